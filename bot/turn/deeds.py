"""What a turn's rows bear out of the deeds an answer may claim. Reads rows; judges no wording (`claims` does)."""

from bot.turn.claim_words import Act
from bot.turn.claims import Deeds
from memory.space import Space


async def deeds_of(space: Space, turn_id: int) -> Deeds:
    """Return what the member's messages of a turn changed in the ledger so far, and whether all were read for facts."""
    messages = await space.sessions.turn_messages(turn_id)
    own = [m.id for m in messages if m.role == "user" and m.origin == "own" and m.id is not None]
    stated = [
        fact for fact in await space.facts.from_messages(own) if fact.status != "pending" and fact.withdrawn_at is None
    ]
    ended = {fact.id for fact in await space.facts.touched_by(own)} - {fact.id for fact in stated}
    acts: set[Act] = set()
    if stated:
        acts |= {"saved", "changed"}
    if ended:
        acts |= {"changed", "forgotten"}
    waiting = await space.jobs.waiting_reads()
    return Deeds(frozenset(acts), is_read=not waiting.keys() & set(own))
