"""Instructions: what a procedure says (its name, when it is wanted, its steps), read from a person's text and written.

Every part is one line of visible characters, so that what is shown is all there is. `read(written(one))` is the same
again. Pure; whether a procedure holds is decided elsewhere.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.catalogue import N_
from memory.errors import MemberMustAct
from memory.store.redaction import strip_hidden

MAX_NAME_CHARS = 80
MAX_TRIGGER_CHARS = 200
MAX_STEP_CHARS = 300
MAX_STEPS = 20
MAX_CHARS = 2_000
"""Of all parts together: a procedure is shown and put into a prompt whole or not at all."""

_TRIGGER_LABEL = "Trigger: "
_WHEN = re.compile(
    r"(?:\b(?:when|whenever|every time|each time|as soon as|wenn|sobald|jedes mal|когда|если|коли|якщо|cuando|quando"
    r"|quand|lorsque|wanneer|kiedy|gdy)\b|每当|当|كلما|عندما|जब).*",
    re.IGNORECASE | re.DOTALL,
)
_LABEL = re.compile(r"(?:trigger|auslöser)\s*:\s*", re.IGNORECASE)
_MARKER = re.compile(r"\s*(?:(?:step\s+)?[0-9]{1,2}[.):]|[-*•–])\s+", re.IGNORECASE)
_INLINE = re.compile(r"(?:^|\s)([0-9]{1,2})[.)]\s+")
_EDGES = " \t,:;：，、–—-"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


class UnclearProcedure(MemberMustAct):
    """A text that is no procedure; it says what is wrong."""


@dataclass(frozen=True)
class Instructions:
    """What one version of a procedure says. Made by `instructions` or `read` alone, which check it."""

    name: str
    trigger: str
    steps: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it, as it is written."""
        return written(self)


def instructions(name: str, trigger: str, steps: Sequence[str]) -> Instructions:
    """Return checked instructions; without a trigger the name is one. Raises: UnclearProcedure."""
    made = Instructions(_line(name), _line(trigger) or _line(name), tuple(_line(step) for step in steps if _line(step)))
    if not made.name:
        raise UnclearProcedure(N_("a procedure needs a name, on its first line"))
    if not made.steps:
        raise UnclearProcedure(N_("a procedure needs steps, one a line"))
    if len(made.name) > MAX_NAME_CHARS:
        raise UnclearProcedure(N_("its name is longer than {most} characters"), most=MAX_NAME_CHARS)
    if len(made.trigger) > MAX_TRIGGER_CHARS:
        raise UnclearProcedure(N_("its trigger is longer than {most} characters"), most=MAX_TRIGGER_CHARS)
    for number, step in enumerate(made.steps, start=1):
        if len(step) > MAX_STEP_CHARS:
            raise UnclearProcedure(
                N_("step {number} is longer than {most} characters"), number=number, most=MAX_STEP_CHARS
            )
    if len(made.steps) > MAX_STEPS or len(written(made)) > MAX_CHARS:
        raise UnclearProcedure(
            N_("a procedure has at most {steps} steps and {chars} characters; make it two"),
            steps=MAX_STEPS,
            chars=f"{MAX_CHARS:,}",
        )
    return made


def written(one: Instructions) -> str:
    """Return instructions as text: the name, the trigger, the numbered steps, a line each."""
    steps = (f"{number}. {step}" for number, step in enumerate(one.steps, start=1))
    return "\n".join([one.name, f"{_TRIGGER_LABEL}{one.trigger}", *steps])


def read(text: str) -> Instructions:
    """Return the instructions a person wrote: a line with name and trigger, then a step a line.

    All in one line it is `name, when …: 1. … 2. …` or `name, when …: …; …`. Raises: UnclearProcedure.
    """
    lines = [line for line in text.splitlines() if _line(line)]
    if len(lines) == 1:
        lines = _from_one_line(lines[0])
    if not lines:
        raise UnclearProcedure(N_("there is nothing to keep"))
    head, *rest = lines
    if rest and (label := _LABEL.match(rest[0].strip())):
        return instructions(head, rest[0].strip()[label.end() :], _steps(rest[1:]))
    if rest and not _MARKER.match(rest[0]) and len(rest) > 1 and _WHEN.match(rest[0].strip()):
        return instructions(head, rest[0].strip().rstrip(":"), _steps(rest[1:]))
    name, trigger = _name_and_trigger(head)
    return instructions(name, trigger, _steps(rest))


def _name_and_trigger(head: str) -> tuple[str, str]:
    """Take "Report, when I say hello" apart; a head that is all trigger gives the name too."""
    head = head.strip(_EDGES)
    found = _WHEN.search(head)
    if found is None:
        return head, ""
    name = head[: found.start()].strip(_EDGES)
    trigger = found.group()
    return (name or trigger[:1].upper() + trigger[1:MAX_NAME_CHARS].rstrip()), trigger


def _steps(lines: Sequence[str]) -> list[str]:
    """Return the steps; where the first line is numbered, a line without a number goes on with the step before."""
    is_marked = bool(lines) and _MARKER.match(lines[0]) is not None
    steps: list[str] = []
    for line in lines:
        marker = _MARKER.match(line)
        if is_marked and marker is None and steps:
            steps[-1] = f"{steps[-1]} {line.strip()}"
        else:
            steps.append(line[marker.end() :] if marker else line)
    return steps


def _from_one_line(line: str) -> list[str]:
    """Return head and steps of a procedure that was written in one line."""
    marks = [(mark.start(), mark.end()) for mark in _in_sequence(line)]
    if marks:
        ends = [start for start, _ in marks[1:]] + [len(line)]
        steps = [line[begin:end] for (_, begin), end in zip(marks, ends, strict=True)]
        return [line[: marks[0][0]], *steps]
    head, colon, rest = line.rpartition(": ")
    return [head, *rest.split(";")] if colon else [line]


def _in_sequence(line: str) -> list[re.Match[str]]:
    """Return the marks 1., 2., 3. … in their order; other numbers are part of what is said."""
    found: list[re.Match[str]] = []
    for mark in _INLINE.finditer(line):
        if int(mark[1]) == len(found) + 1:
            found.append(mark)
    return found


def _line(text: str) -> str:
    return " ".join(_CONTROL.sub(" ", strip_hidden(text)).split())
