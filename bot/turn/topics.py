"""Topics: how what is told long after a message finds the topic of its chat. A job notes it when it is queued."""

from collections.abc import Mapping, Sequence

from memory.store.entries import Entry, Outgoing

_CHAT, _THREAD = "chat", "thread"


def topic_of(entry: Entry) -> dict[str, int]:
    """Return what the payload of a job says of an entry's topic; nothing for one outside topics."""
    if entry.chat_id is None or entry.thread_id is None:
        return {}
    return {_CHAT: entry.chat_id, _THREAD: entry.thread_id}


def in_topic(messages: Sequence[Outgoing], payload: Mapping[str, int]) -> list[Outgoing]:
    """Return messages that go to the topic a job's payload names, if it names one."""
    if _THREAD not in payload:
        return list(messages)
    where = {"chat_id": payload[_CHAT], "thread_id": payload[_THREAD]}
    return [message.model_copy(update=where) for message in messages]
