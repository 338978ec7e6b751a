"""The chats behind the fake Bot API: who is there, what is shown, what the bot has not fetched yet.

Carries out Bot API methods on plain values and refuses what `telegram_rules` refuses. No HTTP and no threads here:
`telegram.FakeTelegram` serves it and holds the lock.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.telegram_rules import (
    CHAT_ACTIONS,
    MAX_CAPTION,
    REACTIONS,
    Refused,
    Webhook,
    bad_request,
    canonical,
    check_commands,
    check_entities,
    check_keyboard,
    check_markup,
    check_photo,
    check_text,
    check_webhook,
    utf16_len,
)

MAX_DOWNLOAD = 20 * 1024 * 1024
MAX_FILE_NAME = 60


@dataclass
class Document:
    name: str
    data: bytes
    caption: str | None = None


@dataclass
class Shown:
    """A message as a person sees it now."""

    chat_id: int
    message_id: int
    text: str
    entities: list[dict[str, Any]] = field(default_factory=list)
    date: int = 0
    is_bots: bool = True
    edits: int = 0
    keyboard: dict[str, Any] | None = None
    reply_to: int | None = None
    thread_id: int | None = None
    is_silent: bool = False
    document: Document | None = None
    photo: bytes | None = None
    """Its `text` and `entities` are those of the caption."""
    reaction: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Chat:
    chat_id: int
    messages: dict[int, Shown] = field(default_factory=dict)
    topics: set[int] = field(default_factory=set)
    drafts: dict[int, str] = field(default_factory=dict)
    is_blocked: bool = False
    is_left: bool = False
    migrated_to: int | None = None

    @property
    def is_private(self) -> bool:
        return self.chat_id > 0

    def as_json(self) -> dict[str, Any]:
        if self.is_private:
            return {"id": self.chat_id, "type": "private", "first_name": f"User{self.chat_id}"}
        return {"id": self.chat_id, "type": "supergroup", "title": f"Group{self.chat_id}"}


def user_json(user_id: int, name: str | None = None) -> dict[str, Any]:
    return {"id": user_id, "is_bot": False, "first_name": name or f"User{user_id}"}


class World:
    """All chats of one bot, and its queue of updates; `now` gives seconds since 1970. Not safe for threads."""

    def __init__(self, bot_id: int, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self.names: dict[int, str] = {}
        self.bot = {"id": bot_id, "is_bot": True, "first_name": "Remembrancer", "username": "remembrancer_bot"}
        self.chats: dict[int, Chat] = {}
        self.pending: dict[int, dict[str, Any]] = {}
        self.commands: dict[str, list[dict[str, str]]] = {}
        self.files: dict[str, bytes] = {}
        self.reactions: dict[tuple[int, int, int], list[dict[str, str]]] = {}
        self.open_presses: set[str] = set()
        self.answered_presses: dict[str, str] = {}
        self.webhook: Webhook | None = None
        self._last_message_id = 0
        self._last_update_id = 1000
        self._methods: dict[str, Callable[[dict[str, Any]], Any]] = {
            "getMe": self._get_me,
            "getChat": self._get_chat,
            "leaveChat": self._leave_chat,
            "setWebhook": self._set_webhook,
            "deleteWebhook": self._delete_webhook,
            "getWebhookInfo": self._get_webhook_info,
            "setMyCommands": self._set_my_commands,
            "getMyCommands": self._get_my_commands,
            "sendMessage": self._send_message,
            "editMessageText": self._edit_message_text,
            "editMessageReplyMarkup": self._edit_message_reply_markup,
            "deleteMessage": self._delete_message,
            "setMessageReaction": self._set_message_reaction,
            "sendChatAction": self._send_chat_action,
            "sendMessageDraft": self._send_message_draft,
            "sendDocument": self._send_document,
            "sendPhoto": self._send_photo,
            "answerCallbackQuery": self._answer_callback_query,
            "getFile": self._get_file,
        }

    def call(self, method: str, params: dict[str, Any]) -> Any:
        """Carry a method out and return its result. Raises Refused; 404 for a method Telegram does not know."""
        perform = self._methods.get(method)
        if perform is None:
            raise Refused(404, "Not Found")
        return perform(params)

    # -- the people ---------------------------------------------------------------------------------------------------

    def date(self) -> int:
        """Return what a message of this moment is dated."""
        return int(self._now())

    def user_json(self, user_id: int) -> dict[str, Any]:
        return user_json(user_id, self.names.get(user_id))

    def chat(self, chat_id: int) -> Chat:
        return self.chats.setdefault(chat_id, Chat(chat_id))

    def next_message_id(self) -> int:
        self._last_message_id += 1
        return self._last_message_id

    def queue(self, update: dict[str, Any]) -> int:
        """Queue an update, numbered if it is not; an id that was queued before is queued again."""
        update_id: int = update.get("update_id") or self._last_update_id + 1
        self._last_update_id = max(self._last_update_id, update_id)
        self.pending[update_id] = {"update_id": update_id, **update}
        return update_id

    def post(self, shown: Shown) -> Shown:
        self.chat(shown.chat_id).messages[shown.message_id] = shown
        return shown

    def take_updates(self, offset: int, limit: int, allowed: list[str]) -> list[dict[str, Any]]:
        """Forget what `offset` confirms (and kinds that are not allowed) and return what waits, oldest first."""
        if offset < 0:
            offset = sorted(self.pending)[max(offset, -len(self.pending))] if self.pending else 0
        for update_id, update in list(self.pending.items()):
            if update_id < offset or (allowed and not set(update) & set(allowed)):
                del self.pending[update_id]
        return [self.pending[update_id] for update_id in sorted(self.pending)][:limit]

    def message_json(self, shown: Shown) -> dict[str, Any]:
        body: dict[str, Any] = {
            "message_id": shown.message_id,
            "date": shown.date,
            "chat": self.chat(shown.chat_id).as_json(),
            "from": self.bot if shown.is_bots else self.user_json(shown.chat_id),
        }
        if shown.document:
            body["document"] = {
                "file_id": f"doc{shown.message_id}",
                "file_unique_id": f"u{shown.message_id}",
                "file_name": shown.document.name,
                "file_size": len(shown.document.data),
            }
        elif shown.photo:
            file = {"file_id": f"photo{shown.message_id}", "file_unique_id": f"p{shown.message_id}"}
            body["photo"] = [file | {"width": 900, "height": 1200, "file_size": len(shown.photo)}]
            body["caption"] = shown.text
        else:
            body["text"] = shown.text
        if shown.entities:
            body["caption_entities" if shown.photo else "entities"] = shown.entities
        if "inline_keyboard" in (shown.keyboard or {}):
            body["reply_markup"] = shown.keyboard
        if shown.edits:
            body["edit_date"] = shown.date
        if shown.thread_id:
            body |= {"message_thread_id": shown.thread_id, "is_topic_message": True}
        return body

    # -- methods ------------------------------------------------------------------------------------------------------

    def _get_me(self, params: dict[str, Any]) -> dict[str, Any]:
        return self.bot | {"can_join_groups": True, "can_read_all_group_messages": False}

    def _get_chat(self, params: dict[str, Any]) -> dict[str, Any]:
        return self._reachable(params).as_json() | {"accent_color_id": 0, "max_reaction_count": 11}

    def _leave_chat(self, params: dict[str, Any]) -> bool:
        chat = self._reachable(params)
        if chat.is_private:
            raise bad_request("chat member status can't be changed in private chats")
        chat.is_left = True
        return True

    def _set_webhook(self, params: dict[str, Any]) -> bool:
        self.webhook = check_webhook(params)
        return self._delete_webhook({}) if self.webhook is None else True

    def _get_webhook_info(self, params: dict[str, Any]) -> dict[str, Any]:
        hook = self.webhook
        info = {"url": "", "has_custom_certificate": False, "pending_update_count": len(self.pending)}
        return info if hook is None else info | {
            "url": hook.url, "max_connections": hook.max_connections, "allowed_updates": hook.allowed, **hook.failure
        }  # fmt: skip

    def _delete_webhook(self, params: dict[str, Any]) -> bool:
        self.webhook = None
        if params.get("drop_pending_updates"):
            self.pending.clear()
        return True

    def _set_my_commands(self, params: dict[str, Any]) -> bool:
        self.commands[_command_scope(params)] = check_commands(params.get("commands"))
        return True

    def _get_my_commands(self, params: dict[str, Any]) -> list[dict[str, str]]:
        return self.commands.get(_command_scope(params), [])

    def _send_message(self, params: dict[str, Any]) -> dict[str, Any]:
        chat = self._reachable(params)
        text, entities = _checked_text(params)
        return self._post_bots(chat, params, Shown(chat.chat_id, 0, text, entities))

    def _send_document(self, params: dict[str, Any]) -> dict[str, Any]:
        chat = self._reachable(params)
        name, data = params.get("document") or ("", b"")
        if not data:
            raise bad_request("file must be non-empty")
        if len(name) > MAX_FILE_NAME or "/" in name:
            raise bad_request("file name is too long or holds a path")
        caption = params.get("caption")
        if caption is not None:
            check_text(caption, empty="message caption is empty", limit=MAX_CAPTION)
            check_entities(caption, params.get("caption_entities"))
        return self._post_bots(chat, params, Shown(chat.chat_id, 0, "", document=Document(name, data, caption)))

    def _send_photo(self, params: dict[str, Any]) -> dict[str, Any]:
        chat = self._reachable(params)
        data = check_photo(params.get("photo"))
        text = ""
        entities: list[dict[str, Any]] = []
        if params.get("caption") is not None:
            caption = check_text(params["caption"], empty="message caption is empty", limit=MAX_CAPTION)
            text, entities = _trimmed(caption, check_entities(caption, params.get("caption_entities")))
        return self._post_bots(chat, params, Shown(chat.chat_id, 0, text, entities, photo=data))

    def _post_bots(self, chat: Chat, params: dict[str, Any], shown: Shown) -> dict[str, Any]:
        shown.keyboard = check_keyboard(params.get("reply_markup"))
        shown.reply_to = _reply_target(chat, params)
        shown.thread_id = _topic(chat, params)
        shown.is_silent = bool(params.get("disable_notification"))
        shown.date = self.date()
        shown.message_id = self.next_message_id()
        chat.drafts.clear()
        return self.message_json(self.post(shown))

    def _edit_message_text(self, params: dict[str, Any]) -> dict[str, Any]:
        shown = self._own_message(params, "message to edit not found")
        if shown.photo:
            raise bad_request("there is no text in the message to edit")
        text, entities = _checked_text(params)
        keyboard = check_keyboard(params.get("reply_markup"))
        if canonical([text, entities, keyboard]) == canonical([shown.text, shown.entities, shown.keyboard]):
            raise _not_modified()
        shown.text, shown.entities, shown.keyboard = text, entities, keyboard
        shown.edits += 1
        return self.message_json(shown)

    def _edit_message_reply_markup(self, params: dict[str, Any]) -> dict[str, Any]:
        shown = self._own_message(params, "message to edit not found")
        keyboard = check_keyboard(params.get("reply_markup"))
        if canonical(keyboard) == canonical(shown.keyboard):
            raise _not_modified()
        shown.keyboard = keyboard
        return self.message_json(shown)

    def _delete_message(self, params: dict[str, Any]) -> bool:
        shown = self._message(params, "message to delete not found")
        del self.chats[shown.chat_id].messages[shown.message_id]
        return True

    def _set_message_reaction(self, params: dict[str, Any]) -> bool:
        shown = self._message(params, "message to react not found")
        reaction = params.get("reaction") or []
        if len(reaction) > 1 or any(r.get("type") != "emoji" or r.get("emoji") not in REACTIONS for r in reaction):
            raise bad_request("REACTION_INVALID")
        shown.reaction = reaction
        return True

    def _send_chat_action(self, params: dict[str, Any]) -> bool:
        _topic(self._reachable(params), params)
        if params.get("action") not in CHAT_ACTIONS:
            raise bad_request("wrong parameter action in request")
        return True

    def _send_message_draft(self, params: dict[str, Any]) -> bool:
        chat = self._reachable(params)
        if not chat.is_private:
            raise bad_request("message drafts can be sent only to private chats")
        draft_id = _integer(params.get("draft_id"), "draft_id")
        if draft_id == 0:
            raise bad_request("draft identifier must be non-zero")
        _topic(chat, params)
        text, _ = _checked_text(params)
        chat.drafts[draft_id] = text
        return True

    def _answer_callback_query(self, params: dict[str, Any]) -> bool:
        press_id = str(params.get("callback_query_id"))
        if press_id not in self.open_presses:
            raise bad_request("query is too old and response timeout expired or query ID is invalid")
        if utf16_len(params.get("text") or "") > 200:
            raise bad_request("MESSAGE_TOO_LONG")
        self.open_presses.remove(press_id)
        self.answered_presses[press_id] = params.get("text") or ""
        return True

    def _get_file(self, params: dict[str, Any]) -> dict[str, Any]:
        file_id = str(params.get("file_id"))
        if file_id not in self.files:
            raise bad_request("wrong file_id or the file is temporarily unavailable")
        size = len(self.files[file_id])
        if size > MAX_DOWNLOAD:
            raise bad_request("file is too big")
        return {"file_id": file_id, "file_unique_id": f"u{file_id}", "file_size": size, "file_path": f"files/{file_id}"}

    # -- what methods share -------------------------------------------------------------------------------------------

    def _reachable(self, params: dict[str, Any]) -> Chat:
        chat = self.chats.get(_integer(params.get("chat_id"), "chat_id"))
        if chat is None:
            raise bad_request("chat not found")
        if chat.migrated_to is not None:
            reason = "Bad Request: group chat was upgraded to a supergroup chat"
            raise Refused(400, reason, migrate_to_chat_id=chat.migrated_to)
        if chat.is_left:
            raise Refused(403, "Forbidden: bot is not a member of the supergroup chat")
        if chat.is_blocked:
            raise Refused(403, "Forbidden: bot was blocked by the user")
        return chat

    def _message(self, params: dict[str, Any], missing: str) -> Shown:
        chat = self._reachable(params)
        shown = chat.messages.get(_integer(params.get("message_id"), "message_id"))
        if shown is None:
            raise bad_request(missing)
        return shown

    def _own_message(self, params: dict[str, Any], missing: str) -> Shown:
        shown = self._message(params, missing)
        if not shown.is_bots or shown.document:
            raise bad_request("message can't be edited")
        return shown


def _not_modified() -> Refused:
    return bad_request(
        "message is not modified: specified new message content and reply markup are exactly the same as a current "
        "content and reply markup of the message"
    )


def _integer(value: Any, name: str) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise bad_request(f"invalid {name} specified") from None


def _command_scope(params: dict[str, Any]) -> str:
    return canonical([params.get("scope") or {"type": "default"}, params.get("language_code") or ""])


def _checked_text(params: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    text = check_text(params.get("text"))
    entities = check_entities(text, params.get("entities"))
    check_markup(text, params.get("parse_mode"))
    return _trimmed(text, entities)


def _trimmed(text: str, entities: list[dict[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
    """Drop the space around a text as Telegram does, the entities clipped to what is left."""
    first = min((entity["offset"] for entity in entities), default=len(text))
    lead = min(len(text) - len(text.lstrip()), first)
    shown = text[lead:].rstrip()
    end = utf16_len(shown)
    kept = []
    for entity in entities:
        offset = entity["offset"] - lead
        length = min(entity["length"], end - offset)
        if length > 0:
            kept.append(entity | {"offset": offset, "length": length})
    return shown, sorted(kept, key=lambda e: (e["offset"], -e["length"], e["type"]))


def _reply_target(chat: Chat, params: dict[str, Any]) -> int | None:
    reply = params.get("reply_parameters")
    if not reply:
        return None
    message_id = _integer(reply.get("message_id"), "message_id")
    target = chat.messages.get(message_id)
    if target is None:
        if reply.get("allow_sending_without_reply"):
            return None
        raise bad_request("message to be replied not found")
    if reply.get("quote") and reply["quote"] not in target.text:
        raise bad_request("QUOTE_TEXT_INVALID")
    return message_id


def _topic(chat: Chat, params: dict[str, Any]) -> int | None:
    if params.get("message_thread_id") is None:
        return None
    thread_id = _integer(params["message_thread_id"], "message_thread_id")
    if thread_id not in chat.topics:
        raise bad_request("message thread not found")
    return thread_id
