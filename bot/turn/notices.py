"""Notices: what a member must be told about an entry itself, queued once beside whatever is answered to it."""

from bot.turn.answer import Answer, formed
from bot.turn.screen import Screen
from bot.turn.told import keep_button
from memory.space import Space
from memory.store.entries import Entry


async def post_notices(space: Space, screen: Screen, entry: Entry) -> None:
    """Queue the notices of an entry. Joins the caller's transaction."""
    offer = keep_button(entry.source) if entry.has_offer else ()
    answers = [Answer(notice, () if number else offer) for number, notice in enumerate(entry.notices)]
    rendered = (message for answer in answers for message in formed(screen, answer, entry))
    for number, message in enumerate(rendered):
        await space.mailbox.post(f"notice:{entry.source}:{number}", message)
