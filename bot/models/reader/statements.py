"""What a clause states: findings, each with the sentence it was read from.

Dates are resolved against the moment the message was said; without that moment they stay words.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.models.reader.clauses import Clause
from bot.models.reader.orders import is_order
from bot.models.reader.rule import DATE_MARK, Rule, clean_subject, clean_value, with_article
from bot.models.reader.rules import RULES
from bot.models.reader.words import language_of, stems
from memory.ledger.dates import DateMention, find_dates, format_when
from memory.ledger.facts import Kind

_PLAN_LEAD = re.compile(
    r"^(?:(?:i|we)(?:['’]ve| have|['’]ll have| will have| got)*(?: got)? (?:an? |the |my )|(?:i|we)(?:['’]ll|"
    r" will| shall|['’](?:m|re) going to"
    r"| (?:am|are) going to) |(?:i|we) (?=fly|leave|travel|meet|move|start|drive|visit)|there(?:['’]s| is| will"
    r" be) (?:an? )?"
    r"|(?:ich habe|wir haben|es gibt)\b\s*|у (?:меня|нас)\s+)",
    re.IGNORECASE,
)
_DOING_LEAD = re.compile(
    r"^(?:i|we)(?:['’]| will| shall| am| are| fly| leave| travel| meet| move| start| drive| visit)", re.IGNORECASE
)
_PLAN_TAIL = re.compile(
    r"(?:[\s,:—–-]+(?:on|at|by|from|for|until|is|are|will be|only|already|um|am|ab|ist|findet|statt|einen?|eine|erst"
    r"|schon|doch|в|во|на|к|будет|уже|только))*[\s,:—–.!-]*$",
    re.IGNORECASE,
)
_NO_PLAN = re.compile(
    r"^(?:see|talk|speak|bye|good|thanks?|let['’]?s|let|i|we|you|he|she|it|they|this|that|what|yes|no|ok|not"
    r"|tired|busy|nice|happy"
    r"|weather|sunny|rain\w*|how|why|ich|du|er|sie|es|wir|bis|gute?n?|danke|war|я|ты|он|она|мы|вы|это|до"
    r"|пока|увидимся|спасибо|погода"
    r"|as|so|but|and|because|since|until|by|from|only|just|maybe|today|tomorrow|the (?:weather|sun|rain))\b",
    re.IGNORECASE,
)
_NO_NEWS = re.compile(
    r"\b(?:was|were|war|waren|был[аои]?)\b|\b(?:said|says|sagte?|meinte?|сказал[аи]?|говорит)\b", re.IGNORECASE
)
"""No appointment: it is over, or somebody else says so."""
_SMALL = re.compile(
    r"^(?:fine|good|great|ok(?:ay)?|bad|sick|tired|nice|lovely|awful|terrible|amazing|happy|sad|sorry|busy|late"
    r"|early|here|there"
    r"|ill|asleep|awake|broken|on holiday|gone|done|ready|back|wrong|right|true|cool|hot|cold|full|hungry|killing"
    r"|driving|doing|getting|going"
    r"|coming|so|very|too|not"
    r"|really|moved|cancel\w*|postponed|delayed|a (?:mess|disaster|pain|joke|bit|pleasure|nightmare)|pretty"
    r"|quite|all|just|still|under|over|gut|schön|müde|toll"
    r"|schlecht|nicht|sehr|super|ganz|хорош\w*|плох\w*|устал\w*|не|очень|отличн\w*)\b",
    re.IGNORECASE,
)
_NO_SUBJECT = re.compile(
    r"^(?:his|her|their|its|he|she|sein\w*|ihr\w*|его|её|ее|их|он|она|они)\b(?!['’])|^(?:it|they|er|sie|es|это)$|[(){}\[\]<>=;]|\"[^'\"]*$|(?<!\w)'[^'\"]*$",
    re.IGNORECASE,
)
"""Who is meant by a pronoun is not read here; brackets and open quotes are those of code."""
_NOT_SO = re.compile(
    r"\b(?:not|never|nicht|nie|kein\w*|не)\b|n['’]t\b"
    r"|\b(?:said|says|thinks?|thought|believes?|claims?|hopes?|doubts?|dreamt|dreamed|wish(?:es)?|sagte?|meinte?|glaubt"
    r"|denkt|hofft|träumte|сказал[аи]?|говорит|думает|считает|надеется) (?:that|my|our|the|his|her|their|dass|mein\w*"
    r"|unser\w*|der|die|das|что|мо[йяеёи]|наш\w?)\b",
    re.IGNORECASE,
)
"""A subject with such words is half a sentence: it was denied, or somebody holds it to be so."""
_DENIED = re.compile(
    r"^(?:n['’]t|not|nicht|kein\w*|не)\b(?! (?:later|before|after|more|less|over|above|below|until|später|vor|nach|mehr"
    r"|unter|über|позже|позднее|раньше|больше|меньше|более|менее))",
    re.IGNORECASE,
)
_ASIDE = re.compile(r",\s+(?:he|she|it|they|who|which|er|sie|es|der|die|das|он|она|они|котор\w+)\s.*$", re.IGNORECASE)
"""What is added behind a name ("Jonas, er geht in die 3b")."""
_INVERTED = re.compile(
    r"^(?:(?:ist|sind|findet|finden|haben|habe)|(?P<verb>[a-zäöüß]+(?:t|en)|[а-яё]+(?:ет|ит|ют|ят)))\s+"
    r"(?P<who>(?:der|die|das|eine?|mein\w*|unser\w*|[A-ZÄÖÜ]\w+|[А-ЯЁа-яё]+)\b.*)$"
)
"""What follows a day named first, where the verb comes before its subject ("morgen kommt der Elektriker")."""
_SMALL_SUBJECT = re.compile(
    r"^(?:day|head|back|week|morning|evening|weekend|night|god|bad|mistake|pleasure|turn|question|point|idea"
    r"|opinion|guess|problem"
    r"|fault|life|mind|thing|weather|answer|favou?r|tag|kopf|wetter|frage|день|голова|погода|вопрос|dear"
    r"|stomach|feeling|mood)$",
    re.IGNORECASE,
)


_PREPOSITION = re.compile(
    r"^(?:on|at|by|am|um|bis|zum|в|во|на|до|к|before|until|till|no later than)\s+(?:the\s+|zum\s+)?", re.IGNORECASE
)
_CONTRAST = re.compile(
    r"(?:(?:, (?:not|nicht|а не)|,? (?:instead of|rather than|und nicht)) [\w .'’-]+| now| jetzt|"
    r" теперь)(?=[.!]*$)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Moment:
    """When the message was said, and in which zone."""

    at: datetime
    zone: ZoneInfo


@dataclass(frozen=True)
class Finding:
    """Something a sentence states. `mention` is the date in its value, if there is one."""

    kind: Kind
    subject: str
    value: str
    question: str
    quote: str
    mention: DateMention | None = None


@dataclass(frozen=True)
class _Dates:
    """When a clause was said, and the dates it names."""

    said: Moment | None
    mentions: list[DateMention]

    @property
    def day_said(self) -> str:
        """The day as it names a decision that has no other subject."""
        if self.said is None:
            return "that day"
        return format_when(self.said.at.astimezone(self.said.zone).date()).split(" ", 1)[1]


def finding_of(clause: Clause, said: Moment | None) -> Finding | None:
    """Return what a clause states, None for an order; "not Riga" behind a value is no part of it."""
    if is_order(clause.text) and not clause.is_explicit:
        return None
    clause = replace(clause, text=_CONTRAST.sub("", clause.text))
    mentions = dates_in(clause.text, said)
    masked = _masked(clause.text, mentions)
    for rule in RULES:
        match = rule.pattern.match(masked.rstrip(" .!…")) or rule.pattern.match(masked)
        finding = _finding(rule, match, clause, _Dates(said, mentions)) if match else None
        if finding is not None:
            return finding
    return _plan(clause, masked, mentions, said) or _note(clause)


def dates_in(text: str, said: Moment | None) -> list[DateMention]:
    """Return the dates of a text, none when it is not known when it was said."""
    return find_dates(text, said.at, said.zone) if said else []


def shown_value(value: str, mention: DateMention | None) -> str:
    """Return a value with the absolute date beside the member's own words: `Fri 12 Mar 2027 ("next Friday")`.

    What stands for a time that the clocks skip is for the ledger to say.
    """
    if mention is None or mention.day is None or mention.is_skipped or re.match(r"\d{4}-\d\d-\d\d", mention.wording):
        return value
    when = format_when(mention.day, mention.clock)
    bare = _PREPOSITION.sub("", value)
    return f'{when} ("{bare}")' if bare.startswith(mention.wording) else f"{value} ({when})"


def _masked(text: str, mentions: list[DateMention]) -> str:
    for mention in mentions:
        if not mention.is_clock_alone:
            text = text[: mention.start] + DATE_MARK * (mention.end - mention.start) + text[mention.end :]
    return text


def _finding(rule: Rule, match: re.Match[str], clause: Clause, dates: _Dates) -> Finding | None:
    group = "value" if match["value"] is not None else "value2"
    start, end = match.span(group)
    value = clean_value(clause.text[start:end])
    value = _PREPOSITION.sub("", value) if rule.kind == "deadline" else value
    inside = [mention for mention in dates.mentions if start <= mention.start and mention.end <= end]
    whole = match.groupdict().get("subject")
    subject = clean_subject(clause.text[slice(*match.span("subject"))]) if whole else ""
    if _NOT_SO.search(whole or "") or (rule.kind != "constraint" and _DENIED.match(value)):
        return None
    if not value or _NO_SUBJECT.search(subject) or _SMALL_SUBJECT.match(subject) or not rule.fits(value, inside):
        return None
    if rule.kind in {"entity", "user_attribute"}:
        value = _ASIDE.sub("", value)
    if rule.kind in {"entity", "user_attribute"} and rule.need != "place" and _SMALL.match(value):
        return None
    words = {
        "subject": subject or "spending",
        "the": with_article(subject or "spending"),
        "my": re.sub(r"['’]s$", "", _uncapitalised((whole or "").strip())),
        "value": value,
        "day": dates.day_said,
        "attribute": (match.groupdict().get("attribute") or "").strip(),
    }
    mention = next((mention for mention in inside if mention.day), None)
    keeps_date = rule.kind == "deadline" or (mention is not None and not _is_of_the_past(rule))
    return Finding(
        rule.kind,
        clean_subject(rule.subject.format_map(words)),
        shown_value(value, mention) if keeps_date else value,
        rule.question.format_map(words),
        clause.quote,
        mention if keeps_date else None,
    )


def _uncapitalised(words: str) -> str:
    return words[:1].lower() + words[1:]


def _is_of_the_past(rule: Rule) -> bool:
    """Whether a date in this shape is that of a birth, which lies behind and has no coming year."""
    return re.search(r"birth|born|geb|рожд", rule.subject + rule.question, re.IGNORECASE) is not None


def _plan(clause: Clause, masked: str, mentions: list[DateMention], said: Moment | None) -> Finding | None:
    """Return an appointment: a few words and one day ahead ("dentist tomorrow at 10")."""
    dated = [mention for mention in mentions if not mention.is_clock_alone]
    if said is None or len(dated) != 1 or len(clause.text) > 140 or _NO_NEWS.search(clause.text):
        return None
    mention = dated[0]
    today = said.at.astimezone(said.zone).date()
    if mention.day is not None and (mention.day < today or (mention.day == today and mention.clock is None)):
        return None
    before, after = clause.text[: mention.start], clause.text[mention.end :]
    doing = _DOING_LEAD.match(before)
    words = _PLAN_TAIL.sub("", _PLAN_LEAD.sub("", before))
    words = words if stems(words) else _INVERTED.sub(r"\g<who> \g<verb>", after.strip(" .,!"))
    subject = clean_subject(re.sub(r"^(?:is|are|ist|—|–|-|:)\s+(?:the |my )?", "", _PLAN_TAIL.sub("", words.strip())))
    if (
        _NO_PLAN.match(subject)
        or _NOT_SO.search(subject)
        or _NO_SUBJECT.search(subject)
        or not stems(subject)
        or len(subject.split()) > 8
    ):
        return None
    asked = {
        "en": f"When: {subject}?" if doing else f"When is {with_article(subject)}?",
        "de": f"Wann: {subject}?",
        "ru": f"Когда: {subject}?",
    }
    value = shown_value(mention.wording, mention)
    return Finding("deadline", subject, value, asked[language_of(clause.text)], clause.quote, mention)


def _note(clause: Clause) -> Finding | None:
    """Return what the member asked to remember, when no shape fits it."""
    content = [word for word in re.findall(r"[^\W_][\w'’-]*", clause.text) if stems(word)]
    if not clause.is_explicit or len(content) < 2:
        return None
    subject = " ".join(content[:2])
    return Finding(
        "entity",
        f"note ({subject})",
        clean_value(clause.text),
        f"What was I to remember about “{subject}”?",
        clause.quote,
    )
