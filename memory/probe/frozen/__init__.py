"""The frozen talk: sixty turns of one person over five weeks, and the fourteen facts that must be left of them.

`talk.jsonl` holds a turn a line: when (local time), the `episode` it belongs to, what was said. `facts.jsonl` holds a
fact a line: what is asked, the value, the sentence that says it last, patterns of their own (no extractor made them)
and the values that held before. The data is fixed: a change of it changes `sha256`, and every figure that goes by it.
"""

from memory.probe.frozen.frozen import (
    AFTERWARDS,
    ZONE,
    TalkClock,
    TalkTurn,
    cases,
    matched,
    play,
    sha256,
    talk,
    with_unextracted,
)

__all__ = [
    "AFTERWARDS",
    "ZONE",
    "TalkClock",
    "TalkTurn",
    "cases",
    "matched",
    "play",
    "sha256",
    "talk",
    "with_unextracted",
]
