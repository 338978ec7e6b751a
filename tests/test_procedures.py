"""Procedures and /recall in the terminal: the whole program, offline, every button by its typed way."""

import json
from pathlib import Path
from typing import Any

from tests.test_contract import remembrancer

TAUGHT = "/procedures add Packing, when I travel: 1. take the Quetzal passport 2. turn off the heating"
SAID = "\n".join(
    [
        "The blue kayak lies behind the boathouse at Lindau.",
        "Our vet is Dr. Brandt.",
        TAUGHT,
        "/procedures",
        "/procedures p1 edit Packing, when I travel: 1. take the passport 2. call the vet",
        "/procedures p1 1",
        "/new",
        "I travel tomorrow, what is to be done?",
        "/why",
        "/recall kayak boathouse",
        "/recall r1 why",
        "/recall s1",
        "/recall today",
        "/recall",
        "/recall submarine",
    ]
)


def ask(home: Path, *args: str) -> Any:
    code, out, err = remembrancer(home, *args, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_a_procedure_is_taught_followed_found_and_forgotten_in_the_terminal(tmp_path: Path) -> None:
    home = tmp_path / "state"
    code, out, _ = remembrancer(home, "chat", said=SAID)
    assert code == 0
    for line in (
        "✎ procedure kept: Packing · p1.",
        "Edit: `/procedures p1 edit …` · Forget: `/forget p1`",
        "• **p1** Packing · when I travel",
        "✎ procedure kept (version 2): Packing · p1.",
        "1. take the Quetzal passport",
        "• p1 Packing Trigger: when I travel 1. take the passport 2. call the vet",
        "> The blue **kayak** lies behind the **boathouse** at Lindau.",
        "Why these: `/recall r1 why 1`",
        "Why these, for “kayak boathouse”:",
        "• the search index is complete",
        "I found nothing close to “submarine”.",
    ):
        assert line in out, line

    (item,) = [one for one in ask(home, "recall", "passport vet")["items"] if one["layer"] == "procedure"]
    assert item["id"] == "p1"
    assert item["text"] == "Packing\nTrigger: when I travel\n1. take the passport\n2. call the vet"
    assert item["source"] == {"turn": None, "message": None}
    assert {"layer": "procedure", "id": "p1"} in [
        {"layer": one["layer"], "id": one["id"]} for one in ask(home, "why", "t3")["items"]
    ]

    code, out, err = remembrancer(home, "forget", "p1")
    assert (code, err) == (0, "")
    assert "Forgotten: p1. Found before: " in out
    assert "Erased: " in out
    assert [one for one in ask(home, "recall", "passport vet")["items"] if one["layer"] == "procedure"] == []
    files = [path for path in home.rglob("*") if path.is_file() and "spaces" in path.parts]
    assert not any(b"quetzal" in path.read_bytes().lower() for path in files)
    assert any(b"kayak" in path.read_bytes().lower() for path in files)


def test_a_forgotten_id_that_is_unknown_is_told(tmp_path: Path) -> None:
    home = tmp_path / "state"
    assert remembrancer(home, "chat", said="I live in Oslo\n")[0] == 0
    code, _, err = remembrancer(home, "forget", "p7")
    assert code == 1
    assert "p7" in err
