"""One change as the offline reader proposes it: the contract's JSON, with patterns and weight made from the finding.

Also when two subjects or two values are the same. Decides nothing about which change a message makes.
"""

import re
from typing import Any

from bot.models.reader.rule import clean_subject
from bot.models.reader.statements import Finding, Moment
from bot.models.reader.words import fold, stems
from memory.ledger.dates import DateMention, format_when
from memory.ledger.patterns import literal_pattern, moment_pattern, number_patterns


def adding(found: Finding, said: Moment | None) -> dict[str, Any]:
    """Return the change that enters a finding."""
    return _document("add", None, found, _patterns(found), is_critical=_is_critical(found, said))


def replacing(fact_id: str, found: Finding, said: Moment | None) -> dict[str, Any]:
    """Return the change that puts a finding in the place of a fact."""
    return _document("replace", fact_id, found, _patterns(found), is_critical=_is_critical(found, said))


def retracting(fact_id: str, found: Finding) -> dict[str, Any]:
    """Return the change that ends a fact."""
    return _document("retract", fact_id, found, [], is_critical=False)


def is_same_subject(one: str, other: str) -> bool:
    return (stems(one) or {fold(one)}) == (stems(clean_subject(other)) or {fold(other)})


def is_same_value(one: str, other: str) -> bool:
    """Tell whether two values are the same, whatever wording stands beside the date they mean."""
    first, second = fold(one).strip(" ."), fold(other).strip(" .")
    when = re.compile(r'\s*\("[^"]*"\)$')
    return first == second or (when.sub("", first) == when.sub("", second) and when.search(first) is not None)


def is_within(found: Finding, held: str) -> bool:
    """Tell whether a finding only says less of what is held already ("Thursdays" of "always Thursdays at 19:30")."""
    return found.kind != "deadline" and set(fold(found.value).split()) < set(fold(held).split())


def _patterns(found: Finding) -> list[str]:
    value = re.sub(r'\s*\("[^"]*"\)$', "", found.value)
    if found.mention is not None:
        value = value.removesuffix(f" ({_when(found.mention)})")
    made: list[str] = []
    if found.mention is not None and found.mention.day is not None and value == _when(found.mention):
        made.append(moment_pattern(found.mention.day, found.mention.clock))
    else:
        made.append(literal_pattern(value))
        names = re.findall(r"(?<!^)(?<![.!?] )\b[A-ZА-ЯЁÄÖÜ][\w-]+", value)
        numbers = number_patterns(value)
        if len(names) == 1 and not re.search(r"\d", value):
            made.append(literal_pattern(names[0]))
        if len(numbers) == 1 and not names:
            made.append(numbers[0])
    return [one for one in dict.fromkeys(made) if one and not re.search(one, found.question, re.IGNORECASE)]


def _when(mention: DateMention) -> str:
    return format_when(mention.day, mention.clock) if mention.day else ""


def _is_critical(found: Finding, said: Moment | None) -> bool:
    if found.kind == "deadline":
        moment = found.mention.instant(said.zone) if found.mention and said else None
        return moment is None or said is None or moment >= said.at
    return found.kind == "decision" or (found.kind == "constraint" and re.search(r"\d", found.value) is not None)


def _document(
    op: str, replaces: str | None, found: Finding, patterns: list[str], *, is_critical: bool
) -> dict[str, Any]:
    return {
        "op": op,
        "replaces": replaces,
        "kind": found.kind,
        "subject": found.subject,
        "value": found.value,
        "quote": found.quote,
        "question": found.question,
        "patterns": patterns,
        "critical": is_critical,
    }
