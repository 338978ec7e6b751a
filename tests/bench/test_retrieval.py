"""`bench retrieval`: what it counts, and what it says about a folder it cannot use."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from bench.asking import Answer
from bench.plain_search import PlainSearch
from bench.questions import Question, hash_of, read_talks
from bench.retrieval import run
from bot.inputs import UsageFault

SAID = {
    "one": [("Ann", "I adopted a beagle called Biscuit."), ("Bob", "Lovely! My boat is called Zephyr.")],
    "two": [("Eve", "The spare key is under the fig tree."), ("Kim", "I moved to Lisbon in March.")],
}
ASKED = {"one": ("What is Ann's beagle called?", "D1:1"), "two": ("Where is the spare key?", "D1:1")}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name, said in SAID.items():
        folder = tmp_path / "data" / name
        folder.mkdir(parents=True)
        lines = [
            {"at": f"2027-03-02T09:0{n}:00+00:00", "role": "user", "name": who, "text": text, "ref": f"D1:{n + 1}"}
            for n, (who, text) in enumerate(said)
        ]
        query, ref = ASKED[name]
        _write(folder / "transcript.jsonl", lines)
        _write(folder / "queries.jsonl", [{"id": "q", "query": query, "refs": [ref], "category": 4}])
        _write(folder / "unanswerable.jsonl", [{"id": "u", "query": "Which sport?", "refs": [ref], "category": 5}])
    return tmp_path / "data"


def _write(path: Path, lines: Sequence[Mapping[str, object]]) -> None:
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")


async def test_the_document_holds_ours_the_alternative_and_both_halves(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await run(as_json=True, data=data)
    document = json.loads(capsys.readouterr().out)
    figures = {figure["name"]: figure for figure in document["figures"]}
    assert document["about"]["data"] == hash_of(data)
    assert document["about"]["design half (weights chosen on it)"] == "one"
    for name in ("any@5", "one store any@10", "packed into 500 tokens", "design half: all@10", "check half: any@20"):
        assert (figures[name]["value"], figures[name]["alternative"]) == (100, 100), name
    assert figures["silent, unanswerable"]["value"] == 100
    assert figures["true finds lost to the floor"]["value"] == 0


def test_some_and_all_of_the_evidence_are_told_apart() -> None:
    asked = Question("", frozenset({"one/D1:1", "one/D2:5"}), 1)
    answer = Answer(asked, [["one/D9:9"], ["one/D1:7"], ["one/D2:5"], ["one/D1:1"]], {}, 0.0)
    assert [answer.any_at(k) for k in (2, 3)] == [False, True]
    assert [answer.all_at(k) for k in (3, 4)] == [False, True]
    assert [answer.has_session_at(k) for k in (1, 2)] == [False, True]


def test_refs_of_different_talks_are_never_the_same(data: Path) -> None:
    first, second = read_talks(data)
    assert {message.ref for message in first.messages}.isdisjoint(message.ref for message in second.messages)
    hits = PlainSearch([first, second]).search("spare key", 5)
    assert hits[0].refs == ("two/D1:1",)


def test_a_changed_byte_changes_the_hash(data: Path) -> None:
    before = hash_of(data)
    with (data / "one" / "queries.jsonl").open("a") as file:
        file.write("\n")
    assert hash_of(data) != before


def test_a_folder_that_lacks_what_is_needed_is_named(data: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="no folder"):
        read_talks(tmp_path / "nowhere")
    with pytest.raises(UsageFault, match="two or more"):
        read_talks(tmp_path)
    (data / "two" / "unanswerable.jsonl").unlink()
    with pytest.raises(UsageFault, match=r"unanswerable\.jsonl"):
        read_talks(data)


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"query": "x", "category": 4}', '{"query": "x", "refs": 7, "category": 4}']
)
def test_a_question_that_cannot_be_read_is_named_by_its_line(data: Path, line: str) -> None:
    (data / "one" / "queries.jsonl").write_text(f"\n{line}\n")
    with pytest.raises(UsageFault, match=r"queries\.jsonl, line 2"):
        read_talks(data)
