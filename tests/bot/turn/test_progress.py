"""While a tool runs the member reads what it does, in a few words that tell nothing private."""

import pytest

from bot.turn.progress import line, work
from bot.wiring import make_registry
from memory.messages import CallPart
from tests.fakes.model import ScriptedModel


def call(name: str, **args: object) -> CallPart:
    return CallPart(call_id="c1", name=name, args=args)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        (call("web_search", query="my illness"), "🔎 searching the web…"),
        (call("fetch_url", url="https://me:pw@example.org:8080/private?key=4711"), "📄 reading example.org…"),
        (call("fetch_url", url="https://[broken"), "⚙️ working…"),
        (call("fetch_url"), "⚙️ working…"),
        (call("fetch_url", url=f"https://{'a' * 61}.org"), "⚙️ working…"),
        (call("home__lights", on=True), "🔌 asking home…"),
        (call("recall", query="house"), "🧠 looking in my memory…"),
        (call("files", action="write", path="secret.txt"), "📁 working with your files…"),
        (call("reminders", action="set", text="call Ida"), "⏰ setting a reminder…"),
        (call("reminders", action="list"), "⏰ looking at your reminders…"),
        (call("reminders", action=["set"]), "⏰ looking at your reminders…"),
        (call("something_new"), "⚙️ working…"),
    ],
)
def test_each_tool_has_its_line(asked: CallPart, shown: str) -> None:
    assert line(asked) == shown


def test_the_work_of_a_servers_tool_names_both() -> None:
    assert work(call("notes__note")) == "a call of “note” of the server “notes”"


def test_every_tool_but_the_clock_has_words_of_its_own() -> None:
    names = {spec.name for spec in make_registry(ScriptedModel()).specs}
    assert {name for name in names if work(call(name)) == f"a call of {name}"} == {"clock"}
