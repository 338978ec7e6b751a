"""Commands: each answers something useful, also on wrong input, and happens once."""

from pathlib import Path

from bot.commands.offered import COMMANDS
from bot.turn.agent import Limits
from memory.store.database import Database
from memory.store.tombstones import Tombstones
from tests.bot.turn.house import House, TaskModel, change, house
from tests.fakes.clock import FakeClock
from tests.fakes.model import ScriptedModel, extracts, says

VET = change("vet", "Dr. Brandt", "Our vet is Dr. Brandt.")


def reads(*answers: object, chat: int = 1) -> TaskModel:
    """Return a model that says ok in chat and extracts these answers, one a message."""
    return TaskModel(ScriptedModel([says("ok")] * chat), ScriptedModel(answers))  # type: ignore[arg-type]


async def command(h: House, text: str, **more: object) -> str:
    """Send a command and return the first answer to it."""
    before = len(h.screen.delivered)
    await h.say(text, kind="command", **more)
    return h.screen.delivered[before]


async def test_start_says_what_is_kept_and_what_goes_to_google(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        answer = await command(h, "/start")
        assert "word for word" in answer
        assert "Google" in answer
        assert "only web pages that I open and tools of servers that you switch on learn" in answer
        assert "/forget" in answer


async def test_help_says_how_a_question_is_answered_without_buttons(tmp_path: Path) -> None:
    typed = {"keep", "drop", "choose"}
    async with house(tmp_path) as h:
        answer = await command(h, "/help")
    assert all(f"`/{name} f12`" in answer for name in typed)
    assert not typed & {known.name for known in COMMANDS}, "the menu of Telegram offers what always applies"


async def test_help_names_every_command_and_every_tool(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        answer = await command(h, "/help@remembrancer_bot")
        for known in COMMANDS:
            assert f"/{known.name}" in answer
        assert "tell the time" in answer


async def test_an_unknown_command_gets_a_way_on(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        assert "/help" in await command(h, "/dance")


async def test_facts_show_what_was_stated_with_id_and_day(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET))) as h:
        assert "no fact" in await command(h, "/facts")
        await h.say("Our vet is Dr. Brandt.")
        assert h.screen.delivered[-1] == "✎ vet → Dr. Brandt · f1"
        answer = await command(h, "/facts")
        assert "f1 vet: Dr. Brandt" in answer
        assert "2027-03-02" in answer


async def test_a_fact_stands_in_the_next_prompt_and_why_shows_it(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET), extracts(), chat=2)) as h:
        await h.say("Our vet is Dr. Brandt.")
        await h.say("Who is our vet?")
        block = h.model.chat.requests[-1].memory_block or ""
        assert block.splitlines()[:2] == [
            "Established facts (prefer these over summaries and older messages):",
            "- [entity] vet: Dr. Brandt",
        ]
        answer = await command(h, "/why")
        assert "**Facts** (7 tokens)\n• f1 vet: Dr. Brandt (you, m1, Tue 2 Mar 2027 10:00)" in answer
        assert "t1" in await command(h, "/why t1")
        assert "t99" in await command(h, "/why t99")
        assert "is not a turn" in await command(h, f"/why t{'9' * 30}")
        assert "is not a turn" in await command(h, "/why abc")


async def test_why_sums_up_the_talk_itself_in_one_line(tmp_path: Path) -> None:
    async with house(tmp_path, *[says("ok")] * 30) as h:
        for number in range(30):
            await h.say(f"We counted {number} boats. " + "The rain went on. " * 20)
        answer = await command(h, "/why")
        assert "**This conversation** (2,899 tokens)\n• m1 to m59, as it was said" in answer
        assert "boats" not in answer.partition("**This conversation**")[2]


async def test_facts_with_a_word_show_only_what_has_to_do_with_it(tmp_path: Path) -> None:
    car = change("car", "a red Volvo", "Our car is a red Volvo.")
    async with house(tmp_path, model=reads(extracts(VET), extracts(car), chat=2)) as h:
        await h.say("Our vet is Dr. Brandt.")
        await h.say("Our car is a red Volvo.")
        answer = await command(h, "/facts volvo")
        assert "f2 car" in answer
        assert "vet" not in answer
        assert "no fact about “submarine”" in await command(h, "/facts submarine")


async def test_a_command_that_breaks_is_answered_and_holds_nothing_up(tmp_path: Path) -> None:
    async with house(tmp_path, says("Good morning.")) as h:
        await h.say("Hello.")
        async with h.space.db.transaction():
            await h.space.db.execute("DROP TABLE traces")
        assert "went wrong" in await command(h, "/why")
        assert "I hold no facts" in await command(h, "/facts")


async def test_remember_keeps_the_words_and_tells_what_became_of_them(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET), extracts(), chat=0)) as h:
        await h.say("/remember Our vet is Dr. Brandt.", kind="command")
        assert h.screen.delivered[-1] == "✎ vet → Dr. Brandt · f1"
        await h.say("/remember blue is a nice colour", kind="command")
        assert "no fact" in h.screen.delivered[-1]
        assert "> blue is a nice **colour**" in await command(h, "/recall colour")
        assert "Say what to keep" in await command(h, "/remember")


async def test_forget_erases_a_fact_from_every_layer_and_says_so_twice(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET), extracts(), chat=2)) as h:
        await h.say("Our vet is Dr. Brandt.")
        await h.say("/forget f1", kind="command")
        forgotten, erased = h.screen.delivered[-2:]
        assert forgotten.startswith("Forgotten: f1")
        assert erased.startswith("Erased")
        assert "no fact" in await command(h, "/facts")
        await h.say("Who is our vet?")
        assert "Brandt" not in str(h.model.chat.requests[-1])
    assert b"Brandt" not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


async def test_forget_as_a_reply_takes_the_message_that_was_replied_to(tmp_path: Path) -> None:
    async with house(tmp_path, says("ok")) as h:
        entry = await h.receive("my secret canary")
        await h.runner.drain()
        assert (await command(h, "/forget", reply_to=entry.message_id)).startswith("Forgotten: m1")
        assert "nothing close" in await command(h, "/recall canary")


async def test_forget_on_wrong_input_changes_nothing(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        assert "by its id" in await command(h, "/forget")
        assert "f77" in await command(h, "/forget f77")
        assert "“banana” is not an id" in await command(h, "/forget banana")
        assert "is not an id" in await command(h, "/forget f1 and f2")


async def test_forgetting_a_fact_names_the_other_values_that_go_with_it(tmp_path: Path) -> None:
    kern = change("vet", "Dr. Kern", "Our vet is Dr. Kern now.", op="replace", replaces="f1")
    async with house(tmp_path, model=reads(extracts(VET), extracts(kern), chat=2)) as h:
        await h.say("Our vet is Dr. Brandt.")
        await h.say("Our vet is Dr. Kern now.")
        answer = await command(h, "/forget f1")
        assert answer.startswith("Forgotten: f1, and with it the other values of the same thing (f2). Found before: ")


async def test_what_was_forgotten_is_known_to_the_next_import(tmp_path: Path) -> None:
    async with house(tmp_path, says("ok")) as h:
        said_at = h.clock.now()
        await h.say("my secret canary")
        await h.say("/forget m1", kind="command")
    shared = await Database.open(tmp_path / "bot.db", "bot", clock=FakeClock(), backups=tmp_path)
    assert await Tombstones(shared, FakeClock()).covers("1", "my secret canary", said_at=said_at)
    await shared.close()


async def test_new_starts_afresh_and_keeps_the_memory(tmp_path: Path) -> None:
    async with house(tmp_path, model=reads(extracts(VET), extracts(), chat=2)) as h:
        assert "already" in await command(h, "/new")
        await h.say("Our vet is Dr. Brandt.")
        await h.say("/new", kind="command")
        await h.say("Who is our vet?")
        request = h.model.chat.requests[-1]
        assert [m.text for m in request.messages if m.role == "user"] == ["Who is our vet?"]
        assert "Dr. Brandt" in (request.memory_block or "")


async def test_compact_on_request_answers_even_when_there_is_nothing_to_do(tmp_path: Path) -> None:
    async with house(tmp_path, says("ok")) as h:
        await h.say("hello")
        await h.say("/compact", kind="command")
        assert "Nothing to compact" in h.screen.delivered[-1]


async def test_a_long_talk_is_compacted_and_the_newest_turns_stay_verbatim(tmp_path: Path) -> None:
    limits = Limits(compact_at_tokens=2_000)
    talk = [f"Day {n}: we looked at {n} houses in Riga and talked about the garden at length. " * 8 for n in range(12)]
    model = TaskModel(ScriptedModel([says("I see.")] * 13))
    async with house(tmp_path, model=model, limits=limits) as h:
        for text in talk:
            await h.say(text)
            h.clock.advance(3600)
        handoffs = await h.space.handoffs.in_prompt()
        assert handoffs
        await h.say("How many houses on day 0?")
        request = h.model.chat.requests[-1]
        assert request.messages[0].role == "notice"
        assert "background" in request.messages[0].text
        kept = [m.text for m in request.messages if m.role == "user"]
        assert talk[0] not in kept
        assert kept[-5:-1] == talk[-4:]


async def test_a_command_sent_twice_by_the_network_happens_once(tmp_path: Path) -> None:
    async with house(tmp_path) as h:
        entry = await h.receive("/start", kind="command")
        await h.runner.drain()
        assert not await h.runner.receive(entry)
        await h.runner.drain()
        assert len(h.screen.delivered) == 1
