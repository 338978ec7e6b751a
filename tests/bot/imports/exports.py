"""Exports as Telegram Desktop writes them."""

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]
FIRST = 1_748_764_800
"""1 June 2025, 08:00 UTC."""


def said(number: int, who: str | None, key: str, text: Any, **more: Any) -> Json:
    return {
        "id": number,
        "type": "message",
        "date": "2025-06-01T10:00:00",
        "date_unixtime": str(FIRST + number * 60),
        "from": who,
        "from_id": key,
        "text": text,
        "text_entities": [],
        **more,
    }


def service(number: int) -> Json:
    return {"id": number, "type": "service", "actor": "Ann", "actor_id": "user42", "action": "phone_call", "text": ""}


def chat(*messages: Json, name: str | None = "Bob", kind: str = "personal_chat", number: int = 77) -> Json:
    named = {"name": name} if name is not None else {}
    return {**named, "type": kind, "id": number, "messages": list(messages)}


def account(*chats: Json, owner: int = 42) -> Json:
    return {
        "about": "Here is the data you requested.",
        "personal_information": {"user_id": owner, "first_name": "Ann", "last_name": ""},
        "contacts": {"about": "…", "list": [{"user_id": 5, "first_name": "Eve", "messages": []}]},
        "chats": {"about": "…", "list": list(chats)},
        "left_chats": {"about": "…", "list": [chat(said(1, "Old", "user3", "bye"), name="Left", number=3)]},
    }


def write(folder: Path, export: Json) -> Path:
    path = folder / "result.json"
    path.write_text(json.dumps(export, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


TALK = chat(
    service(1),
    said(2, "Ann", "user42", "My dentist is Dr. Vogel."),
    said(3, "Bob", "user77", ["I moved to ", {"type": "bold", "text": "Graz"}, "."]),
    said(4, "Ann", "user42", "", photo="(File not included. Change data exporting settings to download.)"),
    said(5, "Ann", "user42", "The wedding is on 12 June 2027.", forwarded_from=None),
    said(6, "Ann", "user42", "Chosen for you", via_bot="@gif"),
    {"id": 7, "type": "unsupported"},
    said(8, None, "user77", "bye", reply_to_message_id=2, edited="2025-06-02T10:00:00", edited_unixtime="1748800000"),
    said(9, "Ann", "user42", "", media_type="sticker", sticker_emoji="😀", file="stickers/a.webp"),
    said(10, "Ann", "user42", "We decided to paint the kitchen green.", photo="photos/1.jpg", width=1, height=1),
)
