"""What each kind of background job does, and the line it leaves for the member."""

from collections.abc import Sequence

from bot.turn.answer import Answer, formed
from bot.turn.screen import Screen
from bot.turn.told import compacted, questions, receipt_buttons, receipt_lines
from bot.turn.worker import Handler
from memory.compaction.compactor import Compactor
from memory.compaction.outcome import Outcome
from memory.forget import EVERYTHING, effects, effects_of_everything
from memory.ledger.extract import Extractor
from memory.ledger.receipts import Receipt
from memory.space import Space
from memory.store.jobs import COMPACT, EMBED, EXTRACT, FORGET_EFFECTS, REMEMBERED, RESTORE, Job

UNREAD = (
    "I could not read m{message} for facts: the model failed five times. The words are kept and /recall finds them; "
    "to have them read again, send them once more."
)
UNRESTORED = (
    "I could not restore what was said in m{message}: it failed five times. Nothing more is lost by that; "
    "`/recall m{message}` shows the words, and telling me again keeps them anew."
)
GIVEN_UP = {EXTRACT: UNREAD, REMEMBERED: UNREAD, RESTORE: UNRESTORED}
NO_FACT = "Kept word for word as m{message}. I found no fact in it to list; /recall finds the words."


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
        }

    async def report(self, job: Job) -> None:
        """Tell the member of a job that was given up. Joins the caller's transaction."""
        text = GIVEN_UP.get(job.kind)
        if text is not None and "message" in job.payload:
            text = text.format(message=job.payload["message"])
            for number, message in enumerate(formed(self._screen, Answer(text), None)):
                await self._space.mailbox.post(f"given up:{job.id}:{number}", message)

    async def _extract(self, job: Job) -> None:
        message_id = job.payload["message"]
        extraction = await self._extractor.run(message_id)
        async with self._space.db.transaction():
            receipts = await self._extractor.apply(extraction)
            told = receipt_lines([receipt for receipt in receipts if not receipt.is_question], self._space.zone)
            if not receipts and job.kind == REMEMBERED:
                told = NO_FACT.format(message=message_id)
            author_id = (await self._space.sessions.message(message_id)).author_id if receipts else None
            await self._end(job, Answer(told, receipt_buttons(receipts)), for_member=author_id)
            await self._ask(job, receipts, author_id)

    async def _ask(self, job: Job, receipts: Sequence[Receipt], author_id: int | None) -> None:
        """Put the questions among receipts to the member whose message raised them."""
        asked = questions(receipts, self._space.zone)
        for number, message in enumerate(formed(self._screen, asked, None, for_member=author_id)):
            await self._space.mailbox.post(f"ask:{job.id}:{number}", message)

    async def _compact(self, job: Job) -> None:
        await self._screen.show_work("shortening the prompt")
        payload = job.payload

        async def end(outcome: Outcome) -> None:
            is_news = outcome.state == "done" and not payload.get("whole")
            is_told = payload.get("asked") or outcome.must_be_told or is_news
            await self._end(job, compacted(outcome) if is_told else Answer(), is_silent=not payload.get("asked"))

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

    async def _end(self, job: Job, answer: Answer, *, for_member: int | None = None, is_silent: bool = False) -> None:
        for number, message in enumerate(formed(self._screen, answer, None, for_member=for_member)):
            told = message.model_copy(update={"is_silent": is_silent})
            await self._space.mailbox.post(f"job:{job.id}:{number}", told)
        await self._space.jobs.finish(job.id)
