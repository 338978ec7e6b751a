"""One long talk through the real program: its own process, the real client libraries, strict servers on both sides.

Sixty turns with tools, a budget that is hit, compactions, a stop and a kill; then what a member and a script can ask
of the memory that is left. The talk runs once; the tests look at it from different sides.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.telegram.delivery import AGAIN
from tests.fakes.gemini import FakeGemini, Request
from tests.fakes.gemini_replies import Reply, calls, say, stalls
from tests.fakes.gemini_rules import get
from tests.fakes.telegram import FakeTelegram
from tests.program import Program, wait_until

pytestmark = pytest.mark.timeout(300)

OWNER = 4242
TURNS = 60
STOPPED_AFTER, KILLED_IN, OVER_BUDGET_IN = 20, 40, 50
KEEP_TURNS = 4

CODE = "ALDER-7734"
KAYAK = "The blue kayak lies behind the boathouse at Lindau, under the grey tarpaulin."
STATED = {
    2: ("deadline", "tax report deadline", "12 March at 17:30", "The tax report is due on 12 March at 17:30."),
    5: ("decision", "archive database", "Postgres", "We decided to use Postgres for the archive."),
    8: ("entity", "vet", "Dr. Brandt", "Our vet is Dr. Brandt."),
    11: ("constraint", "kitchen budget", "at most 4000 euros", "The kitchen may cost at most 4000 euros."),
    14: ("user_attribute", "allergy", "allergic to walnuts", "I am allergic to walnuts."),
    33: ("entity", "vet", "Dr. Okafor", "Our vet is Dr. Okafor now."),
}
SAID = {
    3: KAYAK,
    9: "What time is it?",
    24: f"Please remember: the locker code is {CODE}.",
    KILLED_IN: "Where is the blue kayak?",
    OVER_BUDGET_IN: "Look up everything about our holidays.",
    56: "What do you know for certain?",
}
WANTED: dict[int, list[list[tuple[str, dict[str, Any]]]]] = {
    9: [[("clock", {}), ("clock", {"zone": "Asia/Tokyo"})]],
    24: [[("remember", {"kind": "entity", "subject": "locker code", "value": CODE})]],
    KILLED_IN: [[("recall", {"query": "blue kayak"})], [("clock", {})]],
    OVER_BUDGET_IN: [[("recall", {"query": f"holiday {step} {n}"}) for n in range(4)] for step in range(9)],
    56: [[("facts", {})]],
}
"""The calls of each step, by turn: the model asks for more than it may have in one of them."""
FACT_KEYS = {
    "id", "kind", "subject", "value", "quote", "question", "critical", "status", "since", "until", "replaces", "by",
    "source",
}  # fmt: skip
ITEM_KEYS = {"id", "layer", "text", "score", "at", "refs", "source", "tokens"}
BIRDS = ("heron", "wagtail", "kingfisher", "dipper", "goldcrest", "nuthatch", "siskin")


def words_of(turn: int) -> str:
    """Return what the member says in a turn."""
    if turn in STATED:
        return STATED[turn][3]
    bird, place = BIRDS[turn % len(BIRDS)], f"bridge {turn}"
    return SAID.get(turn) or (
        f"Walk {turn}: by {place} a {bird} sat on the railing for a long while, and we stood there without a word till "
        f"the rain began. On the way home we spoke about the garden, the roof and {turn} other things, had soup at the "
        f"mill and counted the boats by {place} again."
    )


def reply_of(turn: int) -> str:
    """Return what the model answers; the number tells each reply from all others."""
    bird = BIRDS[turn % len(BIRDS)]
    return (
        f"Reply {turn}. A {bird} that stays in the rain has found good water; the mill's soup was well earned after "
        f"so long a way. Tell me about the roof when you have looked at it, and mind the wet planks at the landing."
    )


TURN_OF = {words_of(turn): turn for turn in range(1, TURNS + 1)}


def parts_of(request: Request) -> list[tuple[str, dict[str, Any]]]:
    """Return the parts of a request in order, each with its role."""
    return [(content["role"], part) for content in request.contents for part in content["parts"]]


def is_block(part: dict[str, Any]) -> bool:
    return str(part.get("text", "")).splitlines()[-1:] != [] and part["text"].splitlines()[-1].startswith("Now: ")


def history_of(request: Request) -> list[tuple[str, dict[str, Any]]]:
    """Return the parts that stand before the memory block."""
    parts = parts_of(request)
    return parts[: next(n for n, (_, part) in enumerate(parts) if is_block(part))]


def block_of(request: Request) -> str:
    parts = parts_of(request)
    return str(parts[len(history_of(request))][1]["text"])


def turn_of(request: Request) -> int:
    return TURN_OF[history_of(request)[-1][1]["text"]]


def has_tools(request: Request) -> bool:
    config = get(request.body, "toolConfig") or {}
    return (get(config, "functionCallingConfig") or {}).get("mode") != "NONE"


def handoffs_in(request: Request) -> set[str]:
    texts = "\n".join(str(part.get("text", "")) for _, part in history_of(request))
    return {word for word in texts.replace(":", " ").split() if word[:1] == "h" and word[1:].isdecimal()}


@dataclass
class Model:
    """Answers by what it is asked, so that it can be asked again after a crash. One step stalls once."""

    stalled: list[Request] = field(default_factory=list)

    def chat(self, request: Request) -> Reply:
        turn = turn_of(request)
        done = sum("functionResponse" in part for _, part in parts_of(request)[len(history_of(request)) :])
        steps = WANTED.get(turn, [])
        taken = next(n for n in range(len(steps) + 1) if sum(map(len, steps[:n])) == done)
        if turn == KILLED_IN and taken == 1 and not self.stalled:
            self.stalled.append(request)
            return stalls()
        if taken < len(steps) and has_tools(request):
            return calls(*steps[taken])
        return say(reply_of(turn), chunks=3, thought="The member talks about a walk.")

    def extract(self, request: Request) -> Reply:
        parts = [part["text"] for part in request.contents[-1]["parts"]]
        stated = STATED.get(TURN_OF.get(parts[-1], 0))
        if stated is None:
            return say('{"changes": []}')
        kind, subject, value, quote = stated
        known = next((line.split(" | ")[0] for line in parts[0].splitlines() if f"| {subject} |" in line), None)
        change: dict[str, Any] = {
            "op": "replace" if known else "add", "replaces": known, "kind": kind, "subject": subject, "value": value,
            "quote": quote, "question": f"What about the {subject}?", "patterns": [], "critical": False,
        }  # fmt: skip
        return say(json.dumps({"changes": [change]}))


@dataclass
class Talk:
    """The program after the talk, still running."""

    telegram: FakeTelegram
    gemini: FakeGemini
    program: Program
    model: Model
    exit_code: int

    @property
    def prompts(self) -> list[Request]:
        return self.gemini.of_task("chat")

    def ask(self, command: str) -> str:
        """Send a command and return all that it brings."""
        before = len(self.telegram.texts(OWNER))
        self.telegram.say(OWNER, command)
        self.telegram.wait_for(lambda: len(self.telegram.texts(OWNER)) > before, timeout=30)
        self.rest()
        return "\n\n".join(self.telegram.texts(OWNER)[before:])

    def rest(self) -> None:
        """Wait until nothing is left to do."""
        wait_until(lambda: not self.telegram.pending and self.program.is_idle(OWNER), "a program at rest")


def _say(telegram: FakeTelegram, turn: int) -> None:
    telegram.say(OWNER, words_of(turn))
    telegram.wait_for(lambda: any(f"Reply {turn}." in text for text in telegram.texts(OWNER)), timeout=60)


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    home = tmp_path_factory.mktemp("talk") / "home"
    model = Model()
    with FakeTelegram() as telegram, FakeGemini(api_key="AIza-not-a-key-of-anybody-0123456789abc") as gemini:
        gemini.answer("chat", model.chat).answer("extract", model.extract)
        program = Program(
            home,
            telegram,
            gemini,
            OWNER,
            REMEMBRANCER_COMPACT_AT_TOKENS="3500",
            REMEMBRANCER_KEEP_TURNS=str(KEEP_TURNS),
        )
        program.start()
        try:
            exit_code = _talk(telegram, program, model)
            done = Talk(telegram, gemini, program, model, exit_code)
            done.rest()
            yield done
        finally:
            program.stop()


def _talk(telegram: FakeTelegram, program: Program, model: Model) -> int:
    """Have the whole talk: a stop between two turns, a kill within one.

    At its beginning and end the member waits until all is done, in between they go on beside the background work.
    """
    for turn in range(1, STOPPED_AFTER + 1):
        _say(telegram, turn)
        wait_until(lambda: program.is_idle(OWNER), "a program at rest")
    exit_code = program.terminate()
    telegram.say(OWNER, words_of(STOPPED_AFTER + 1))
    program.start()
    telegram.wait_for(lambda: any(f"Reply {STOPPED_AFTER + 1}." in t for t in telegram.texts(OWNER)), timeout=60)
    for turn in range(STOPPED_AFTER + 2, KILLED_IN):
        _say(telegram, turn)
    telegram.say(OWNER, words_of(KILLED_IN))
    wait_until(lambda: model.stalled, "a turn in its second step")
    program.kill()
    program.start()
    telegram.wait_for(lambda: any(f"Reply {KILLED_IN}." in text for text in telegram.texts(OWNER)), timeout=60)
    for turn in range(KILLED_IN + 1, TURNS + 1):
        _say(telegram, turn)
        if turn >= OVER_BUDGET_IN:
            wait_until(lambda: program.is_idle(OWNER), "a program at rest")
    return exit_code


def test_every_message_is_answered_once_and_in_order(talk: Talk) -> None:
    replies = [text for text in talk.telegram.texts(OWNER) if "Reply " in text]
    assert replies == [reply_of(turn) for turn in range(1, TURNS + 1)]
    assert not any(AGAIN in text for text in talk.telegram.texts(OWNER))
    assert talk.program.rows(OWNER, "SELECT text FROM messages WHERE role = 'user' ORDER BY id") == [
        (words_of(turn),) for turn in range(1, TURNS + 1)
    ]
    assert talk.program.rows(OWNER, "SELECT state, count(*) FROM turns GROUP BY state") == [("done", TURNS)]
    assert talk.exit_code == 0


def test_every_request_was_accepted_by_the_strict_server(talk: Talk) -> None:
    talk.gemini.assert_all_accepted()
    assert {request.task for request in talk.gemini.requests} >= {"chat", "extract", "summarise"}


def test_the_talk_was_compacted_and_later_prompts_hold_the_handoffs(talk: Talk) -> None:
    handoffs = [f"h{number}" for (number,) in talk.program.rows(OWNER, "SELECT id FROM handoffs ORDER BY id")]
    assert len(handoffs) >= 3
    assert handoffs_in(talk.prompts[-1]) >= set(handoffs[:-1])
    held: set[str] = set()
    for prompt in talk.prompts:
        assert handoffs_in(prompt) >= held, "a handoff left the prompt"
        held = handoffs_in(prompt)
    said = [part["text"] for role, part in history_of(talk.prompts[-1]) if _is_said(role, part)]
    assert not any("Walk 1:" in text for text in said)


def test_the_newest_turns_stand_verbatim_in_every_prompt(talk: Talk) -> None:
    for prompt in talk.prompts:
        turn = turn_of(prompt)
        newest = [*range(max(1, turn - KEEP_TURNS + 1), turn)]
        expected = [text for one in newest for text in (words_of(one), reply_of(one))] + [words_of(turn)]
        words = [part["text"] for role, part in history_of(prompt) if _is_said(role, part)]
        assert words[-len(expected) :] == expected, f"turn {turn}"


def _is_said(role: str, part: dict[str, Any]) -> bool:
    is_note = part.get("text", "").startswith("[From the program")
    return bool(part.get("text")) and not part.get("thought") and not is_note


def test_consecutive_prompts_are_the_same_up_to_the_earlier_memory_block(talk: Talk) -> None:
    shared = 0
    for earlier, later in zip(talk.prompts, talk.prompts[1:], strict=False):
        assert [get(later.body, name) for name in ("systemInstruction", "tools")] == [
            get(earlier.body, name) for name in ("systemInstruction", "tools")
        ]
        if handoffs_in(later) == handoffs_in(earlier):
            history = history_of(earlier)
            assert parts_of(later)[: len(history)] == history
            shared += 1
        if turn_of(later) == turn_of(earlier):
            assert block_of(later) == block_of(earlier)
    assert shared > TURNS


def test_tools_ran_once_and_a_budget_that_is_hit_ends_in_words(talk: Talk) -> None:
    def results_of(turn: int) -> list[dict[str, Any]]:
        last = [prompt for prompt in talk.prompts if turn_of(prompt) == turn][-1]
        after = parts_of(last)[len(history_of(last)) :]
        return [part["functionResponse"]["response"] for _, part in after if "functionResponse" in part]

    here, tokyo = results_of(9)
    assert (here["zone"], tokyo["zone"]) == ("Europe/Berlin", "Asia/Tokyo")
    assert [result["value"] for result in results_of(24)] == [CODE]
    recalled, _ = results_of(KILLED_IN)
    assert KAYAK in [item["text"] for item in recalled["items"]]
    assert "Dr. Okafor" in json.dumps(results_of(56))
    spent = results_of(OVER_BUDGET_IN)
    assert len(spent) == 16
    assert [number for number, result in enumerate(spent) if "error" in result] == [15]
    assert not has_tools([prompt for prompt in talk.prompts if turn_of(prompt) == OVER_BUDGET_IN][-1])


def test_what_was_stated_is_known_for_certain_and_stands_in_the_prompt(talk: Talk) -> None:
    facts = talk.program.rows(OWNER, "SELECT subject, value FROM facts WHERE status = 'active'")
    known = dict(facts)
    assert known["vet"] == "Dr. Okafor"
    assert {"archive database", "vet", "kitchen budget", "allergy", "tax report deadline"} <= set(known)
    assert known["archive database"] == "Postgres"
    block = block_of(talk.prompts[-1])
    assert "- [entity] vet: Dr. Okafor" in block
    assert "Dr. Brandt" not in block.partition("Recalled:")[0]
    receipts = [text for text in talk.telegram.texts(OWNER) if text.startswith("✎")]
    assert sum(CODE in text for text in receipts) == 1
    assert len(receipts) == len(STATED) + 1


def test_the_commands_print_the_shapes_of_the_contract_beside_the_server(talk: Talk) -> None:
    known, found, why = talk.program.ask(
        ["facts", "--history", "--json"], ["recall", "Where is the blue kayak?", "--json"], ["why", "--json"]
    )
    facts = known["facts"]
    assert len(facts) == len(STATED) + 1
    for fact in facts:
        assert set(fact) >= FACT_KEYS
        assert fact["quote"] in words_of(int(fact["source"]["turn"].removeprefix("t")))
    old, new = (fact for fact in facts if fact["subject"] == "vet")
    assert (old["status"], new["status"], new["replaces"]) == ("superseded", "active", old["id"])
    assert set(found) >= {"query", "items", "excluded", "ms"}
    best = found["items"][0]
    assert set(best) >= ITEM_KEYS
    assert (best["text"], best["layer"], best["source"]["turn"]) == (KAYAK, "segment", "t3")
    assert set(why) >= {"turn", "items", "prompt_tokens", "model"}
    assert (why["turn"], why["model"]) == (f"t{TURNS}", "gemini-3.8-flash")
    assert {item["layer"] for item in why["items"]} >= {"system", "tools", "handoff", "tail", "ledger", "time"}
    assert all(set(item) >= {"layer", "id", "tokens", "text"} for item in why["items"])


def test_a_member_can_ask_for_facts_and_words_and_have_a_fact_forgotten(talk: Talk) -> None:
    assert KAYAK in talk.ask("/recall blue kayak")
    facts = talk.ask("/facts")
    assert "Dr. Okafor" in facts
    assert "Dr. Brandt" not in facts
    assert talk.ask("/why").startswith(f"t{TURNS} ")
    locker = next(line for line in facts.splitlines() if CODE in line)
    ref = next(word for word in locker.split() if word[:1] == "f" and word[1:].isdecimal())
    answer = talk.ask(f"/forget {ref}")
    assert CODE not in answer
    assert CODE not in talk.ask("/facts")
    assert CODE not in talk.ask("/recall locker code")
    files = [path for path in (talk.program.home / "spaces" / str(OWNER)).rglob("*") if path.is_file()]
    assert len(files) > 1
    assert not [path.name for path in files if CODE.encode() in path.read_bytes()]


def test_nothing_the_program_wrote_holds_a_secret_or_a_word_of_the_talk(talk: Talk) -> None:
    said = talk.program.said()
    assert " DEBUG " in said
    assert talk.telegram.token not in said
    assert talk.telegram.token.partition(":")[2] not in said
    assert talk.gemini.api_key not in said
    for turn in range(1, TURNS + 1):
        for words in (words_of(turn).split(), reply_of(turn).split()):
            stretches = (" ".join(words[at : at + 3]) for at in range(max(1, len(words) - 2)))
            assert not [stretch for stretch in stretches if stretch in said]
    assert not [value for _, _, value, _ in STATED.values() if value in said]
