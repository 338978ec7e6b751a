"""What each kind of background job does, and the line it leaves for the member."""

from collections.abc import Sequence
from contextlib import suppress

from bot.turn.answer import Answer, formed
from bot.turn.asking import expire
from bot.turn.screen import Screen
from bot.turn.standing import without_row
from bot.turn.told import compacted, questions, receipt_buttons, receipt_lines
from bot.turn.topics import in_topic
from bot.turn.worker import Handler
from memory.catalogue import N_, _
from memory.compaction.compactor import Compactor
from memory.compaction.outcome import Outcome
from memory.errors import UnknownId
from memory.forget import EVERYTHING, effects, effects_of_everything
from memory.ledger.extract import Extractor
from memory.ledger.receipts import Receipt
from memory.space import Space
from memory.store.entries import Button
from memory.store.jobs import COMPACT, EMBED, EXPIRE, EXTRACT, FORGET_EFFECTS, REMEMBERED, RESTORE, Job

UNREAD = N_(
    "I could not read m{message} for facts: the model failed five times. The words are kept and /recall finds them; "
    "to have them read again, send them once more."
)
UNRESTORED = N_(
    "I could not restore what was said in m{message}: it failed five times. Nothing more is lost by that; "
    "`/recall m{message}` shows the words, and telling me again keeps them anew."
)
GIVEN_UP = {EXTRACT: UNREAD, REMEMBERED: UNREAD, RESTORE: UNRESTORED}
NO_FACT = N_("Kept word for word as m{message}. I found no fact in it to list; /recall finds the words.")


class Background:
    """The jobs of one space. Each is applied in one transaction with its end and with what the member reads."""

    def __init__(self, space: Space, extractor: Extractor, compactor: Compactor, screen: Screen) -> None:
        self._space = space
        self._extractor = extractor
        self._compactor = compactor
        self._screen = screen

    def handlers(self) -> dict[str, Handler]:
        """Return the handlers by kind of job."""
        return {
            EXTRACT: self._extract,
            REMEMBERED: self._extract,
            COMPACT: self._compact,
            EMBED: self._embed,
            FORGET_EFFECTS: self._forget_effects,
            EXPIRE: self._expire,
        }

    async def report(self, job: Job) -> None:
        """Tell the member of a job that was given up. Joins the caller's transaction."""
        text = GIVEN_UP.get(job.kind)
        if text is not None and "message" in job.payload:
            text = _(text).format(message=job.payload["message"])
            for number, message in enumerate(in_topic(formed(self._screen, Answer(text), None), job.payload)):
                await self._space.mailbox.post(f"given up:{job.id}:{number}", message)

    async def _extract(self, job: Job) -> None:
        message_id = job.payload["message"]
        extraction = await self._extractor.run(message_id)
        async with self._space.db.transaction():
            receipts = await self._extractor.apply(extraction)
            told = receipt_lines([receipt for receipt in receipts if not receipt.is_question], self._space.preferences)
            if not receipts and job.kind == REMEMBERED:
                told = _(NO_FACT).format(message=message_id)
            author_id = (await self._space.sessions.message(message_id)).author_id if receipts else None
            await self._take_overtaken(job, message_id)
            await self._end(job, Answer(told, receipt_buttons(receipts)), for_member=author_id)
            await self._ask(job, receipts, author_id)

    async def _take_overtaken(self, job: Job, message_id: int) -> None:
        """Take from the receipts of earlier versions of a message the Undo of what it says no longer."""
        for version in await self._space.facts.versions_before(message_id):
            key = f"job:{await self._space.jobs.id_of(f'{EXTRACT}:{version}')}:0"
            place = await self._space.mailbox.place_of(key)
            shown = await self._space.mailbox.shown_at(place) if place else None
            if shown is None:
                continue
            left = shown
            for button in [button for row in shown.buttons for button in row]:
                if await self._is_overtaken(button):
                    left = without_row(left, button.data)
            if left != shown:
                await self._space.mailbox.post(f"{key}:{job.id}", left, place=place)

    async def _is_overtaken(self, button: Button) -> bool:
        number = button.data.removeprefix("undo:")
        change = await self._space.facts.changes.change(int(number)) if number.isdecimal() else None
        return change is not None and await self._space.facts.changes.is_overtaken(change)

    async def _ask(self, job: Job, receipts: Sequence[Receipt], author_id: int | None) -> None:
        """Put the questions among receipts to the member whose message raised them."""
        asked = questions(receipts, self._space.preferences)
        told = formed(self._screen, asked, None, for_member=author_id)
        for number, message in enumerate(in_topic(told, job.payload)):
            await self._space.mailbox.post(f"ask:{job.id}:{number}", message)

    async def _compact(self, job: Job) -> None:
        await self._screen.show_work(_("shortening the prompt"))
        payload = job.payload

        async def end(outcome: Outcome) -> None:
            is_news = outcome.state == "done" and not payload.get("whole")
            is_asked = bool(payload.get("asked"))
            is_told = is_asked or outcome.must_be_told or is_news
            answer = compacted(outcome, is_asked=is_asked) if is_told else Answer()
            await self._end(job, answer, is_silent=not is_asked)

        outcome = await self._compactor.compact(
            payload["session"],
            whole=bool(payload.get("whole")),
            is_urgent=bool(payload.get("urgent")),
            committing=end,
        )
        if outcome.state != "done":
            async with self._space.db.transaction():
                await end(outcome)

    async def _embed(self, job: Job) -> None:
        await self._space.vectors.fill()
        async with self._space.db.transaction():
            await self._space.jobs.finish(job.id)

    async def _forget_effects(self, job: Job) -> None:
        erase = effects_of_everything if job.payload.get(EVERYTHING) else effects
        report = await erase(self._space)
        async with self._space.db.transaction():
            await self._end(job, Answer(report.words()))

    async def _expire(self, job: Job) -> None:
        async with self._space.db.transaction():
            with suppress(UnknownId):  # it was forgotten
                await expire(self._space, await self._space.approvals.approval(job.payload["approval"]))
            await self._space.jobs.finish(job.id)

    async def _end(self, job: Job, answer: Answer, *, for_member: int | None = None, is_silent: bool = False) -> None:
        told = formed(self._screen, answer, None, for_member=for_member)
        for number, message in enumerate(in_topic(told, job.payload)):
            quiet = message.model_copy(update={"is_silent": is_silent})
            await self._space.mailbox.post(f"job:{job.id}:{number}", quiet)
        await self._space.jobs.finish(job.id)
