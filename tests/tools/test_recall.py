"""The recall tool: its results say who said each thing, when, and whether it has changed since."""

from pathlib import Path

from tests.bot.turn.house import TaskModel, change, house
from tests.fakes.model import ScriptedModel, calls, extracts, says


async def test_a_superseded_statement_is_marked_and_every_item_names_its_speaker(tmp_path: Path) -> None:
    model = TaskModel(
        ScriptedModel(
            [says("Noted, Dr. Brandt."), says("ok"), calls(("recall", {"query": "our vet"})), says("Dr. Kern.")]
        ),
        ScriptedModel(
            [
                extracts(change("vet", "Dr. Brandt", "Our vet is Dr. Brandt.")),
                extracts(change("vet", "Dr. Kern", "Our vet is Dr. Kern now.", op="replace", replaces="f1")),
                extracts(),
            ]
        ),
    )
    async with house(tmp_path, model=model) as h:
        for text in ("Our vet is Dr. Brandt.", "Our vet is Dr. Kern now.", "Who treats the dog?"):
            await h.say(text)

        (result,) = model.chat.requests[-1].messages[-1].results
        items = {item["text"]: item for item in result.response["items"]}

        assert items["Our vet is Dr. Brandt."]["changed_since"] is True
        assert items["Our vet is Dr. Brandt."]["by"] == "you"
        assert "changed_since" not in items["Our vet is Dr. Kern now."]
        assert items["Noted, Dr. Brandt."]["by"] == "assistant"
        assert "Established facts" in result.response["note"]
