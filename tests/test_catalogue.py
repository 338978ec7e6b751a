"""The texts of the interface in other languages: each is there, and has the places and the commands of its text."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from memory import catalogue
from memory.catalogue import ENGLISH, LANGUAGES, _, language, ngettext, speak, speaking

ROOT = Path(__file__).parents[1]
KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2)}
OTHERS = [code for code in LANGUAGES if code != ENGLISH]
COMMAND = re.compile(r"(?<![\w/])/[a-z]+\b")


def sources() -> Iterator[Path]:
    return (path for package in ("memory", "tools", "bot") for path in sorted((ROOT / package).rglob("*.py")))


def extracted() -> Catalog:
    """Return every text that the code marks for translation."""
    found = Catalog()
    for path in sources():
        for _line, text, _comments, _context in extract_from_file("python", path, keywords=KEYWORDS):
            found.add(text)
    return found


def folder(code: str) -> Path:
    return catalogue.FOLDER / code / "LC_MESSAGES"


def translated(code: str) -> Catalog:
    with (folder(code) / f"{catalogue.DOMAIN}.po").open("rb") as file:
        return read_po(file, locale=code)


def forms(message: Message) -> list[tuple[str, str]]:
    """Return each form of a translation beside the English text it says."""
    if isinstance(message.id, tuple | list):
        return [(message.id[min(number, 1)], text) for number, text in enumerate(message.string or ())]
    return [(str(message.id), str(message.string))]


def _strings(texts: Catalog) -> list[list[str]]:
    return sorted([text for pair in forms(message) for text in pair] for message in texts if message.id)


def places(text: str) -> set[str]:
    return {name for _text, name, _form, _conversion in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("code", OTHERS)
def test_each_text_has_a_translation_and_no_translation_is_left_over(code: str) -> None:
    wanted = {message.id for message in extracted() if message.id}
    there = {message.id: message for message in translated(code) if message.id}

    assert wanted - set(there) == set(), "run `make texts` and translate what it adds"
    assert set(there) - wanted == set(), "run `make texts`"
    assert [one.id for one in there.values() if one.fuzzy or not all(text for _id, text in forms(one))] == []


@pytest.mark.parametrize("code", OTHERS)
def test_a_translation_keeps_the_places_and_the_commands_of_its_text(code: str) -> None:
    for message in translated(code):
        for english, text in forms(message) if message.id else []:
            # A form for one may say "one" where English counts.
            assert places(text) <= places(english) | {"count"}, english
            assert places(english) - places(text) <= {"count"}, english
            assert sorted(COMMAND.findall(text)) == sorted(COMMAND.findall(english)), english
            assert text.count("**") == english.count("**"), english
            assert text.count("`") == english.count("`"), english


@pytest.mark.parametrize("code", OTHERS)
def test_what_is_compiled_is_what_is_written(code: str) -> None:
    with (folder(code) / f"{catalogue.DOMAIN}.mo").open("rb") as file:
        compiled = read_mo(file)

    assert _strings(compiled) == _strings(translated(code)), "run `make texts`"


def test_no_text_is_put_together_before_it_is_translated() -> None:
    """What is looked up is a constant: an f-string or a filled-in text has no translation."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KEYWORDS
        for argument in node.args[: 2 if node.func.id == "ngettext" else 1]
        if isinstance(argument, ast.JoinedStr | ast.BinOp) or ".format(" in ast.unparse(argument)
    ]
    assert wrong == []


def test_no_text_stands_within_an_f_string() -> None:
    """There the extraction does not find it."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sources()
        for string in ast.walk(ast.parse(path.read_text()))
        if isinstance(string, ast.JoinedStr)
        for node in ast.walk(string)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KEYWORDS
        if isinstance(node.args[0], ast.Constant)
    ]
    assert wrong == []


def test_a_language_that_there_is_not_is_english() -> None:
    with speaking("xx"):
        assert language() == ENGLISH
        assert _("no such text") == "no such text"
        assert ngettext("one thing", "{count} things", 2) == "{count} things"


def test_a_language_is_spoken_for_the_length_of_its_context() -> None:
    speak(ENGLISH)
    with speaking("de"):
        assert language() == "de"
    assert language() == ENGLISH
