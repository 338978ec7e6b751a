"""Forgetting through the real program, in its own process: what was forgotten is in no byte of any file of the home.

Looked for while the server runs (with its write-ahead log and its log at every level) and once more after its end.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes.gemini import FakeGemini, Request
from tests.fakes.gemini_replies import Reply, calls, say
from tests.fakes.telegram import FakeTelegram
from tests.program import Program, wait_until

OWNER = 4242
CANARY, SECOND = "Quokkaville-31", "Wombatstadt"
TOLD = f"Good that you ask: the safe code is {CANARY}. The kayak lies behind the boathouse."
BYSTANDER = "The kayak lies behind the boathouse"


@dataclass
class House:
    """The program at work, and the member's hands on it."""

    telegram: FakeTelegram
    program: Program

    def say(self, text: str, *, reply_to: int | None = None) -> str:
        """Say something, wait until all that follows from it is done, and return what came."""
        before = len(self.telegram.texts(OWNER))
        self.telegram.say(OWNER, text, reply_to=reply_to)
        self.telegram.wait_for(lambda: len(self.telegram.texts(OWNER)) > before, timeout=60)
        wait_until(lambda: not self.telegram.pending and self.program.is_idle(OWNER), "a program at rest")
        return "\n".join(self.telegram.texts(OWNER)[before:])

    def files_with(self, word: str) -> list[str]:
        """Return every file under the home, and the program's output, that holds a word."""
        home = self.program.home
        paths = [path for path in [*home.rglob("*"), home.parent / "output"] if path.is_file()]
        return sorted(path.name for path in paths if word.casefold().encode() in path.read_bytes().lower())


def chat(request: Request) -> Reply:
    """Look into memory first, then repeat what was said, so that it stands in calls, results and answers."""
    parts = [part for content in request.contents for part in content["parts"]]
    if CANARY in request.text and not any("functionResponse" in part for part in parts):
        return calls(("recall", {"query": f"safe code {CANARY}"}))
    return say(f"Yes, {CANARY}, I see." if CANARY in json.dumps(request.contents) else f"Noted, {SECOND}.")


def extract(request: Request) -> Reply:
    """Find the safe code in the message."""
    message = request.contents[-1]["parts"][-1]["text"]
    if f"the safe code is {CANARY}" not in message:
        return say('{"changes": []}')
    change = {
        "op": "add", "replaces": None, "kind": "entity", "subject": "safe code", "value": CANARY,
        "quote": f"the safe code is {CANARY}", "question": "What opens the safe?", "patterns": [CANARY],
        "critical": False,
    }  # fmt: skip
    return say(json.dumps({"changes": [change]}))


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with FakeTelegram() as telegram, FakeGemini(api_key="AIza-not-a-key-of-anybody-0123456789abc") as gemini:
        telegram.open_chat(OWNER)
        gemini.answer("chat", chat).answer("extract", extract)
        program = Program(tmp_path / "home", telegram, gemini, OWNER)
        program.start()
        try:
            yield House(telegram, program)
        finally:
            program.stop()


def test_a_forgotten_fact_and_then_an_erased_memory_leave_no_byte(house: House) -> None:
    house.say(TOLD)
    for asked in ("What opens the safe?", "/facts", f"/recall {CANARY}", "/why"):
        house.say(asked)
    assert house.files_with(CANARY) != []

    receipt = house.say("/forget f1")

    assert re.search(r"Forgotten: f1\. Found before: .*1 fact.*; found after: 0\.", receipt)
    assert "Erased: " in receipt
    assert house.files_with(CANARY) == []
    assert house.files_with(BYSTANDER) != []

    house.say(f"My cat was born in {SECOND}.")
    asked = house.say("/forget everything")
    assert house.files_with(SECOND) != []
    word = re.search(r"/forget everything ([a-z]+)", asked)
    assert word is not None, asked
    assert "not the word" in house.say("/forget everything please")

    receipt = house.say(word.group(0))

    assert re.search(r"Forgotten: everything\. Found before: .*messages.*; found after: 0\.", receipt)
    assert "Erased: " in receipt
    for lost in (SECOND, BYSTANDER, CANARY):
        assert house.files_with(lost) == [], lost
    assert "nothing to forget" in house.say("/forget everything")
    assert house.program.terminate() == 0
    for lost in (SECOND, BYSTANDER, CANARY):
        assert house.files_with(lost) == [], lost
    assert house.program.ask(["facts", "--json"]) == [{"facts": []}]
