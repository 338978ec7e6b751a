"""Which chat of an export is meant, and who in it is the member. Where that cannot be told, the answer says how to."""

from collections.abc import Sequence

from bot.imports.telegram_desktop import DIRECT, Chat, Speaker, Survey
from bot.inputs import UsageFault

MOST_LISTED = 30


def chosen_chat(found: Survey, wanted: str | None) -> Chat:
    """Return the chat that is meant by its name or id; the only one when nothing is said.

    Raises: UsageFault, which lists the chats.
    """
    if wanted is None:
        if len(found.chats) == 1:
            return found.chats[0]
        raise UsageFault(f"it holds {len(found.chats)} chats; choose one with --chat ID: {_listed_chats(found.chats)}")
    matching = [chat for chat in found.chats if str(chat.id) == wanted]
    matching = matching or [chat for chat in found.chats if chat.title.casefold() == wanted.casefold()]
    if len(matching) == 1:
        return matching[0]
    what = "several chats of that name" if matching else "no such chat"
    raise UsageFault(f"it holds {what}; choose one with --chat ID: {_listed_chats(matching or found.chats)}")


def member_of(chat: Chat, found: Survey, wanted: str | None, *, known_id: str | None) -> str:
    """Return the key of the member: named, else by `known_id` (the space's own), the account's, or the kind of chat.

    Raises: UsageFault, which lists who speaks there.
    """
    if wanted is not None and chat.speakers:
        matching = [one for one in chat.speakers if one.id == wanted.removeprefix("user")]
        matching = matching or [one for one in chat.speakers if (one.name or "").casefold() == wanted.casefold()]
        if len(matching) == 1:
            return matching[0].key
        raise UsageFault(f"--me must be one of those who speak in this chat: {_listed_speakers(chat.speakers)}")
    for number in (known_id, found.owner):
        if number is not None and any(one.key == f"user{number}" for one in chat.speakers):
            return f"user{number}"
    if chat.kind == "saved_messages":
        return f"user{chat.id}"
    if chat.kind in DIRECT:
        others = [one for one in chat.speakers if one.key != f"user{chat.id}"]
        if len(others) <= 1:
            # Where the member never said a word, none of the words is theirs.
            return others[0].key if others else "nobody"
    if not chat.speakers:
        return "nobody"
    raise UsageFault(f"say who you are in this chat with --me ID: {_listed_speakers(chat.speakers)}")


def _listed_chats(chats: Sequence[Chat]) -> str:
    return _listed([chat.shown for chat in chats])


def _listed_speakers(speakers: Sequence[Speaker]) -> str:
    return _listed([one.shown for one in speakers])


def _listed(shown: Sequence[str]) -> str:
    more = f"; and {len(shown) - MOST_LISTED} more" if len(shown) > MOST_LISTED else ""
    return "; ".join(shown[:MOST_LISTED]) + more
