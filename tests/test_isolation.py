"""Several people on one bot: two private chats and a group share nothing, and the operator sees no text of the others.

The real program between the fake servers, its log opened to every level. Each space holds a canary word of its own;
all that was ever sent, stored, printed or logged is searched for those of the others.
"""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from sqlite3 import connect
from typing import Any

import pytest

from bot import cli
from bot.__main__ import Remembrancer
from tests.fakes.gemini import FakeGemini, Request
from tests.fakes.gemini_replies import Reply, calls, say
from tests.fakes.telegram import FakeTelegram
from tests.program import Program, wait_until

OPERATOR, FRIEND, ANNA, GROUP = 4242, 5151, 6161, -100777
CANARIES = {OPERATOR: "Aardvarkhausen", FRIEND: "Bumblebeeville", GROUP: "Caterpillarburg"}
FRIENDS_IN_GROUP = "Ladybirdia"
UNHEARD = {"talk": "Dragonflyton", "admin": "Earwigton", "channel": "Fireflyton", "bot": "Gnatton", "post": "Hornetton"}
NAME = "@remembrancer_bot"
ASKED = (
    *("/start", "/help", "/facts", "/facts code", "/recall code word", "/recall r1 why", "/recall p1", "/recall"),
    *("/recall today", "/procedures", "/procedures p1", "/why", "/new", "/compact", "/forget banana"),
)


@dataclass
class House:
    """The program after everybody talked to it; `printed` is what the commands of the command line said."""

    telegram: FakeTelegram
    gemini: FakeGemini
    program: Program
    printed: dict[tuple[str, ...], str] = field(default_factory=dict)

    def say(self, chat_id: int, text: str, *, by: int | None = None) -> None:
        """Have somebody say something to the bot, and wait until all that follows from it is done."""
        addressed = text if chat_id > 0 or text.startswith("/") else f"{NAME} {text}"
        fields: dict[str, Any] = {}
        if addressed.startswith(NAME):
            fields["entities"] = [{"type": "mention", "offset": 0, "length": len(NAME)}]
        before = len(self.telegram.texts(chat_id))
        self.telegram.say(by or chat_id, addressed, chat_id=chat_id, **fields)
        self.telegram.wait_for(lambda: len(self.telegram.texts(chat_id)) > before, timeout=60)
        wait_until(lambda: not self.telegram.pending and self.program.is_idle(chat_id), "a space at rest")

    def push(self, text: str, **fields: Any) -> None:
        """Have a message in the group that no person speaks to the bot."""
        body = {
            "message_id": 900_000 + len(text), "date": 1_800_000_000, "text": f"{NAME} my code word is {text}.",
            "chat": {"id": GROUP, "type": "supergroup", "title": "Home"},
            "entities": [{"type": "mention", "offset": 0, "length": len(NAME)}],
        }  # fmt: skip
        self.telegram.push_raw({fields.pop("kind", "message"): body | fields})
        wait_until(lambda: not self.telegram.pending, "updates taken")


def chat(request: Request) -> Reply:
    """Ask memory for all it has, then say again whatever came."""
    parts = [part for content in request.contents for part in content["parts"]]
    results = [part for part in parts if "functionResponse" in part]
    if "code word?" in request.text and not results:
        return calls(("recall", {"query": "code word"}), ("facts", {}), ("procedures", {"action": "read", "id": "p1"}))
    return say(f"I have: {json.dumps(results, ensure_ascii=False)[:600]} {request.text[:300]}")


def extract(request: Request) -> Reply:
    """Read code words."""
    message = request.contents[-1]["parts"][-1]["text"]
    _, is_stated, rest = message.partition("my code word is ")
    if not is_stated:
        return say('{"changes": []}')
    value = rest.split(".")[0]
    change = {
        "op": "add", "replaces": None, "kind": "user_attribute", "subject": "code word", "value": value,
        "quote": f"my code word is {value}", "question": "What is it?", "patterns": [value], "critical": True,
    }  # fmt: skip
    return say(json.dumps({"changes": [change]}))


def talk(house: House) -> None:
    speakers = {OPERATOR: OPERATOR, FRIEND: FRIEND, GROUP: ANNA}
    for chat_id, by in speakers.items():
        house.say(chat_id, f"Please note: my code word is {CANARIES[chat_id]}.", by=by)
        house.say(chat_id, f"/procedures add Code word, when I ask for it: say {CANARIES[chat_id]}; stop", by=by)
    house.say(GROUP, f"Hello, my code word is {FRIENDS_IN_GROUP}.", by=FRIEND)
    group = {"id": GROUP, "type": "supergroup", "title": "Home"}
    channel = {"id": -100888, "type": "channel", "title": "News"}
    house.telegram.say(ANNA, f"my code word is {UNHEARD['talk']}.", chat_id=GROUP)
    stand_in = {"id": 1087968824, "is_bot": True, "first_name": "Group"}
    house.push(UNHEARD["admin"], **{"from": stand_in}, sender_chat=group)
    house.push(
        UNHEARD["admin"], **{"from": stand_in}, sender_chat=group, edit_date=1_800_000_001, kind="edited_message"
    )
    telegram = {"id": 777000, "is_bot": False, "first_name": "Telegram"}
    house.push(UNHEARD["channel"], **{"from": telegram}, sender_chat=channel, is_automatic_forward=True)
    house.push(UNHEARD["bot"], **{"from": {"id": 5, "is_bot": True, "first_name": "Robot"}})
    house.push(UNHEARD["post"], chat=channel, kind="channel_post")
    for chat_id, by in speakers.items():
        house.say(chat_id, "What is my code word?", by=by)
        for command in ASKED:
            house.say(chat_id, command, by=by)
        house.say(chat_id, "And what is it now, my code word?", by=by)


def ask_the_command_line(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    for space in ([], *([f"--space={chat_id}"] for chat_id in CANARIES)):
        for command in (["facts"], ["facts", "--history"], ["recall", "code word"], ["why"]):
            for form in ([], ["--json"]):
                run(house, capsys, *command, *space, *form)
    run(house, capsys, "doctor")


def run(house: House, capsys: pytest.CaptureFixture[str], *args: str) -> None:
    assert cli.run(args, Remembrancer) == 0, args
    shown = capsys.readouterr()
    house.printed[args] = shown.out + shown.err


@pytest.fixture
def house(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    own_logs: None,
) -> Iterator[House]:
    home = tmp_path_factory.mktemp("people") / "home"
    with FakeTelegram() as telegram, FakeGemini(api_key="AIza-not-a-key-of-anybody-0123456789abc") as gemini:
        for chat_id in CANARIES:
            telegram.open_chat(chat_id)
        gemini.answer("chat", chat).answer("extract", extract)
        program = Program(home, telegram, gemini, OPERATOR, TELEGRAM_ALLOWED_IDS=f"{FRIEND},{GROUP}")
        for name, value in program.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(home.parent)  # where no `.env` of a developer is read
        program.start()
        house = House(telegram, gemini, program)
        try:
            talk(house)
            ask_the_command_line(house, capsys)
            assert program.terminate() == 0
            yield house
        finally:
            program.stop()


def owners_in(text: str) -> set[int]:
    """Return the spaces whose canary stands in a text."""
    words = {**{word: chat_id for chat_id, word in CANARIES.items()}, FRIENDS_IN_GROUP: GROUP}
    return {chat_id for word, chat_id in words.items() if word.casefold() in text.casefold()}


def test_nothing_crosses_from_one_space_to_another(house: House) -> None:
    """Prompts, messages, files, the command line and the log, all of one run: making it is what takes time."""
    in_requests = [owners_in(json.dumps(request.body, ensure_ascii=False)) for request in house.gemini.requests]
    assert all(len(owners) <= 1 for owners in in_requests)
    assert {owner for owners in in_requests for owner in owners} == set(CANARIES)
    assert {request.task for request in house.gemini.requests} >= {"chat", "extract"}

    for chat_id in CANARIES:
        assert owners_in("\n".join(house.telegram.texts(chat_id))) == {chat_id}
        folder = house.program.home / "spaces" / str(chat_id)
        files = [path.read_bytes().decode(errors="replace") for path in folder.rglob("*") if path.is_file()]
        assert owners_in("\n".join(files)) == {chat_id}

    for args, shown in house.printed.items():
        named = [int(arg.partition("=")[2]) for arg in args if arg.startswith("--space=")]
        assert owners_in(shown) == (set() if args[0] == "doctor" else set(named or [OPERATOR])), args

    assert owners_in(house.program.said()) == set()
    assert "space" in house.program.said() or "serving" in house.program.said()
    with closing(connect(house.program.home / "bot.db")) as database:
        assert owners_in("\n".join(database.iterdump())) == set()

    everywhere = [path.read_bytes() for path in house.program.home.rglob("*") if path.is_file()]
    everywhere += [json.dumps(request.body, ensure_ascii=False).encode() for request in house.gemini.requests]
    for whose, word in UNHEARD.items():
        assert not any(word.encode() in content for content in everywhere), whose

    facts = json.loads(house.printed[("facts", f"--space={GROUP}", "--json")])["facts"]
    assert {(fact["by"], fact["value"], fact["status"]) for fact in facts} == {
        (f"User{ANNA}", CANARIES[GROUP], "active"),
        (f"User{FRIEND}", FRIENDS_IN_GROUP, "active"),
    }
    block = next(r.text for r in reversed(house.gemini.of_task("chat")) if owners_in(r.text) == {GROUP})
    assert f"- [user_attribute] code word (User{ANNA}): {CANARIES[GROUP]}" in block
