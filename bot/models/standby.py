"""Standby: which model answers a chat. Another one does while the chat model is gone, overloaded or at its limit.

What failed so is passed over for a while and then tried again, so the chat model comes back by itself.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from bot.models.failures import Failure, Kind, fault_of
from memory.errors import ModelFault
from memory.ports import Clock, ModelReply

REST: Mapping[Kind, timedelta] = {
    "gone": timedelta(hours=1),
    "overloaded": timedelta(minutes=1),
    "limited": timedelta(minutes=1),
}
"""The failures in which another model helps, and how long one that failed so is passed over; longer where the server
asks for more.
"""
SPARED = 0.25
"""The part of a deadline that no wait for a model takes from the one that may answer instead."""

_log = logging.getLogger(__name__)


class Standby:
    """The models of the chat: the one that is wanted, and the one that stands by. They may be the same."""

    def __init__(self, chat_model: str, other: str, clock: Clock) -> None:
        self._chat_model = chat_model
        self._models = list(dict.fromkeys([chat_model, other]))
        self._clock = clock
        self._resting: dict[str, tuple[datetime, ModelFault]] = {}
        """Until when a model is passed over, and why."""

    def candidates(self) -> list[str]:
        """Return the models to ask, in order; all of them when all are passed over."""
        return [model for model in self._models if not self._is_resting(model)] or self._models

    def let_rest(self, model: str, failures: Sequence[Failure]) -> None:
        """Pass a model over for a while; the last failure is one in which another helps."""
        last = failures[-1]
        rest = max(REST[last.kind], timedelta(seconds=last.wait_s or 0.0))
        self._resting[model] = (self._clock.now() + rest, fault_of(failures))
        if last.kind == "gone":
            _log.warning("the model %s does not exist (any more): set GEMINI_MODEL to one that does", model)

    def accounted(self, reply: ModelReply) -> ModelReply:
        """Return a reply with the reason why it is not the chat model's, if it is not."""
        if reply.model == self._chat_model:
            return reply
        return replace(reply, fault=self._resting[self._chat_model][1])

    def is_foreign(self, model: str) -> bool:
        """Whether the signatures of the history are another model's, so that this one may refuse them."""
        return model != self._chat_model

    def _is_resting(self, model: str) -> bool:
        return model in self._resting and self._clock.now() < self._resting[model][0]
