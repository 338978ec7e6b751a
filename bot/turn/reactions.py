"""How the model learns what members thought of its answers: by a note of the program at the start of the next turn."""

from memory.messages import text_message
from memory.space import Space
from memory.store.sessions import Turn

_REACTED = "{who} reacted {emoji} to your answer in turn t{turn}. Take it as a hint; it needs no reply."


async def tell_reactions(space: Space, turn: Turn) -> None:
    """Tell the model, in a turn that begins, of reactions it does not know of. Joins the caller's transaction."""
    who = "One of the members" if space.is_shared else "The member"
    for one in await space.reactions.take_untold():
        note = text_message(
            "notice",
            _REACTED.format(who=who, emoji=one.emoji, turn=one.turn_id),
            space.clock.now(),
            origin="program",
        )
        await space.sessions.append(note, session_id=turn.session_id, turn_id=turn.id)
