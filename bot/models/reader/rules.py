"""The plain rules of offline extraction: what a sentence of the member states, in English, German and Russian.

A table of shapes, tried in order; the first that fits a clause wins. Each says what kind of fact it makes, how its
subject is named and how one would ask for it. The words of subject and value are the member's own, cut out of the
sentence. Whether a finding is new, a correction or a repetition is decided elsewhere.
"""

import re
from dataclasses import dataclass
from typing import Literal

from memory.ledger.dates import DateMention
from memory.ledger.facts import Kind

Need = Literal["nothing", "date", "exact", "number", "place"]

DATE_MARK = "\ue000"
"""Stands, once for each character, where a clause names a date, so that a shape can ask for one."""

_DATE = f"{DATE_MARK}+"
_NAME = r"(?-i:[A-ZÄÖÜА-ЯЁ]\w+(?: [A-ZÄÖÜА-ЯЁ]\w+)?)"
_WORD = r"[^\W_][\w'’.&/-]*"
_NP = rf"{_WORD}(?: {_WORD}){{0,5}}?"
_OWN = r"(?:my|our|mein(?:e|en|em|er)?|unser(?:e|en|em|er)?|мо(?:й|я|ё|е|и|ю|его|ей)|наш(?:а|е|и|у|его|ей)?)"
_ARTICLE = r"(?:the|der|die|das|den|dem)"
_LEAD = re.compile(rf"^(?:(?:{_OWN}|{_ARTICLE}|an?|eine?[nmr]?|this|that|also|and|und|и|all)\s+)+", re.IGNORECASE)
_TAIL = re.compile(r"(?:['’]s)?[\s.,;:!…]+$|['’]s$")
_VERB_TAIL = re.compile(r"\s+(?:is|are|ist|sind)\s*:?$", re.IGNORECASE)


@dataclass(frozen=True)
class Rule:
    """One shape of a statement."""

    kind: Kind
    pattern: re.Pattern[str]
    subject: str
    question: str
    need: Need = "nothing"

    def fits(self, value: str, mentions: list[DateMention]) -> bool:
        """Return whether the value holds what this shape needs to be believed."""
        if self.need == "date":
            return any(mention.day or mention.readings for mention in mentions)
        if self.need == "number":
            return re.search(r"\d", value) is not None
        return self.need in {"nothing", "place"} or is_exact(value)


def is_exact(value: str) -> bool:
    """Return whether a value is a name, a number or an address: something one could ask for."""
    return re.search(r"\d|@|://|(?<!^)\b[A-ZА-ЯЁÄÖÜ]|^[\"“„«']|^[A-ZА-ЯЁÄÖÜ][\w.-]*$|^(?:Dr|Mr|Ms|Mrs|Prof|Frau"
                     r"|Herr)\b|[A-Z]{2}",
                     value) is not None  # fmt: skip


def clean_subject(words: str) -> str:
    """Return a subject without leading articles, possessives and closing punctuation."""
    return _TAIL.sub("", _VERB_TAIL.sub("", _LEAD.sub("", words.strip()))) or words.strip()


def clean_value(words: str) -> str:
    """Return a value without the punctuation that closes its sentence."""
    bare = words.strip()
    return re.sub(r"(?<=[^\W\d_]{3})\.$|(?<=\d)\.$|[\s,;:!…]+$", "", bare)


def with_article(subject: str) -> str:
    """Return a subject as it stands inside an English question: `the tax report`, `Anna's birthday`."""
    is_name = subject[:1].isupper() or re.match(r"(?:my|our|your)\b", subject) is not None
    return subject if is_name or "'s " in subject or "’s " in subject else f"the {subject}"


def _rule(kind: Kind, pattern: str, subject: str, question: str, need: Need = "nothing") -> Rule:
    return Rule(kind, re.compile(rf"^(?:{pattern})$", re.IGNORECASE), subject, question, need)


_DONE = (
    r"(?:done|finished|submitted|sent|paid|filed|in|ready|delivered|returned|completed|handed in|signed|booked|renewed"
    r"|cancelled|over|back|there|published|released|shipped)"
)
_BY = r"(?:by|before|until|till|on|no later than|at the latest by)"
_DUE_SUBJECT, _DUE_QUESTION = "{subject} deadline", "When is {the} due?"

DEADLINES = (
    _rule("deadline", rf"(?P<subject>{_NP})(?:'s| is| are| was| will be) due"
                      rf" (?P<value>.+)", _DUE_SUBJECT, _DUE_QUESTION),
    _rule("deadline", r"(?:the |our |my )?(?:deadline|due date|cut-?off)(?: date)? (?:for|of|to) (?P<subject>.+?)"
          r"(?: is|:| will be| =)(?: on| at| by)? (?P<value>.+)", _DUE_SUBJECT, _DUE_QUESTION),
    _rule("deadline", rf"(?P<subject>{_NP})(?:'s)? (?:deadline|due date)(?: is| will be|:)(?: on| at)? (?P<value>.+)",
          _DUE_SUBJECT, _DUE_QUESTION),
    _rule("deadline", rf"(?P<subject>{_NP}) (?:must|has to|have to|needs? to|should|is to) be {_DONE}"
                      rf" (?P<value>{_BY} .+)",
          _DUE_SUBJECT, _DUE_QUESTION, "date"),
    _rule("deadline", rf"(?:i|we)(?:'ve got to| must| have to| need to| should| got to) (?P<subject>.+?)"
                      rf" (?P<value>{_BY} .+)",
          _DUE_SUBJECT, "By when: {subject}?", "date"),
    _rule("deadline", rf"remind me to (?P<subject>.+?) (?P<value>(?:on |at |by"
                      rf" )?{_DATE}.*)", "{subject}", "When: {subject}?",
          "date"),
    _rule("deadline", rf"erinnere mich (?P<value>{_DATE}) (?:an|daran,?) (?P<subject>.+)",
          "{subject}", "Wann: {subject}?", "date"),
    _rule("deadline", rf"напомни(?:те)?(?: мне)? (?P<value>{_DATE}) (?:о|об|про)? ?(?P<subject>.+)",
          "{subject}", "Когда: {subject}?", "date"),
    _rule("deadline", rf"(?P<subject>{_NP}) (?:истекает|истекают|заканчивается|действует до)(?: в)? (?P<value>.+)",
          "{subject} (истекает)", "Когда истекает {subject}?", "date"),
    _rule("deadline", rf"(?P<subject>{_NP}) (?:запланирован[аоы]?|назначен[аоы]?|состоится|начн[её]тся"
                      rf"|начинается|будет)(?: на| в| с)? (?P<value>{_DATE}.*)",
          "{subject}", "Когда: {subject}?", "date"),
    _rule("deadline", rf"(?P<subject>{_NP}) (?:expires?|runs out|is valid until|expired)(?: on| in)? (?P<value>.+)",
          "{subject} expiry", "When does {the} expire?", "date"),
    _rule("deadline", rf"(?P<subject>{_NP}) ((?:starts?|begins?|ends?|opens?|closes?|leaves?|departs?|arrives?"
                      rf"|takes place"
          rf"|is scheduled|is set|is planned|is booked|is))(?: for| on| at)? (?P<value>{_DATE}.*)",
          "{subject}", "When is {the}?", "date"),
    _rule("deadline", rf"(?P<subject>{_NP}) (?:ist|sind|wird)(?: am| bis| zum| bis zum)? (?P<value>.+?) fällig",
          "{subject} (Frist)", "Wann ist {subject} fällig?", "date"),
    _rule("deadline", rf"(?P<subject>{_NP}) (?:ist|findet|beginnt|startet|endet|fliegt|fährt)(?: statt)?(?: am|"
                      rf" um| ab)? "
          rf"(?P<value>{_DATE}.*?)(?: statt)?", "{subject}", "Wann ist {subject}?", "date"),
    _rule("deadline", rf"(?P<subject>{_NP}) (?:ist|sind|wird) fällig(?: am| bis| zum)? (?P<value>.+)",
          "{subject} (Frist)", "Wann ist {subject} fällig?", "date"),
    _rule("deadline", r"(?:die |der )?(?:abgabe)?(?:frist|termin|abgabe|stichtag|deadline) (?:für|von|zur|zum|des|der) "
          r"(?P<subject>.+?)(?: ist|:| endet| läuft)(?: am| bis| zum)? (?P<value>.+)",
          "{subject} (Frist)", "Wann ist die Frist: {subject}?"),
    _rule("deadline", rf"(?P<subject>{_NP}) (?:muss|müssen|soll) (?:bis|zum|am)(?: zum| spätestens)? (?P<value>.+?)"
          r"(?: \w+(?:t|en))?(?: sein| werden)?", "{subject} (Frist)", "Bis wann: {subject}?", "date"),
    _rule("deadline", rf"(?:ich|wir) (?:muss|müssen) (?P<subject>.+?) (?P<value>bis {_DATE}.*?)(?: \w+en)?",
          "{subject} (Frist)", "Bis wann: {subject}?", "date"),
    _rule("deadline", r"(?:срок|дедлайн|крайний срок)(?: сдачи| оплаты| подачи)?(?: по| для| на)?"
                      r" ?(?P<subject>.*?[^\s:—–-])"
          rf"(?:\s*[—–:-]\s*|\s+)(?P<value>(?:до |в |во |к |на"
          rf" )?{_DATE}.*)", "{subject} (срок)", "Какой срок: {subject}?"),
    _rule("deadline", rf"(?P<subject>{_NP}) (?:нужно|надо|необходимо|должн[аоы]? быть|следует)(?: \w+)?"
                      rf" (?P<value>(?:до|к|не позднее) .+)",
          "{subject} (срок)", "До какого срока: {subject}?", "date"),
    _rule("deadline", r"(?:мне |нам )?(?:нужно|надо) (?P<subject>.+?) (?P<value>(?:до|к) .+)",
          "{subject} (срок)", "До какого срока: {subject}?", "date"),
)  # fmt: skip

_DECIDED = (
    r"(?:(?:we|i)(?:'ve| have| all| finally| also| just)* (?:decided|agreed|settled|resolved|chose|picked|opted)"
    r"|(?:we|i)(?:'re|'ll| are| will| am)(?: be)? go(?:ing)? with|let's go with|(?:the|our) decision is|it was"
    r" decided|we go with)"
)
_BESCHLOSSEN = (
    r"(?:(?:wir|ich) (?:haben|habe) (?:uns |mich )?(?:beschlossen|entschieden|vereinbart|abgemacht)"
    r"|(?:wir|ich) (?:nehmen|nehme))"
)
_RESHENO = r"(?:(?:мы |я )?(?:решили|решил|решила|договорились|постановили)|решено|(?:мы )?выбрали|остановились на)"
_ABOUT_QUESTION = "What did we decide about {the}?"

DECISIONS = (
    _rule("decision", r"(?:we|i)(?:'ve| have)? (?:chose|chosen|picked|went with|selected|opted for)"
                      r" (?P<value>.+?) (?:for|as) "
          r"(?P<subject>(?:the |our |my )?.+)", "{subject}", _ABOUT_QUESTION),
    _rule("decision", rf"{_DECIDED},?(?: on| to| that| for)* (?P<value>.+?) (?:for|as|regarding|about) "
          r"(?P<subject>(?:the |our |my |all )(?:[\w-]+ ?){1,4})", "{subject}", _ABOUT_QUESTION),
    _rule("decision", rf"(?:for|regarding|about) (?P<subject>(?:the |our |my )?.+?),? {_DECIDED},?(?: on| to|"
                      rf" that| for)* (?P<value>.+)",
          "{subject}", _ABOUT_QUESTION),
    _rule("decision", rf"{_DECIDED},? (?:not to|against) (?P<subject>[\w-]+) (?P<value>.+)",
          "decision not to {subject}", "What did we decide not to {subject}?"),
    _rule("decision", rf"{_DECIDED},? that (?P<subject>(?:the |our |my )?{_NP}) (?P<value>(?:will|is|are|must"
                      rf"|should|stays?|goes)\b .+)",
          "{subject}", _ABOUT_QUESTION),
    _rule("decision", rf"{_DECIDED},? to (?P<subject>[\w-]+)"
                      rf" (?P<value>.+)", "decision to {subject}", "What did we decide to {subject}?"),
    _rule("decision", rf"{_DECIDED},?(?: on| for| that)*:?"
                      rf" (?P<value>.+)", "decision of {day}", "What did we decide on {day}?"),
    _rule("decision", rf"{_BESCHLOSSEN},?:? (?:dass )?(?P<value>.+?) (?:für|als) (?P<subject>(?:die|das|den|der"
                      rf"|unser\w*|mein\w*) .+?)"
          r"(?: zu \w+| \w+en)?", "{subject}", "Was haben wir für {subject} beschlossen?"),
    _rule("decision", rf"(?:für|bei) (?P<subject>(?:die|das|den|der|dem|unser\w*) .+?)"
                      rf" {_BESCHLOSSEN.replace('wir) (?:haben', 'wir)?(?:haben')},?:? (?P<value>.+)",
          "{subject}", "Was haben wir für {subject} beschlossen?"),
    _rule("decision", r"(?:wir haben uns|ich habe mich) für (?P<value>.+?) entschieden",
          "Beschluss vom {day}", "Was haben wir am {day} beschlossen?"),
    _rule("decision", rf"{_BESCHLOSSEN},?:? (?P<value>.+?) zu (?P<subject>\w+en)",
          "Beschluss: {subject}", "Was haben wir beschlossen zu {subject}?"),
    _rule("decision", rf"{_BESCHLOSSEN},?:? (?:dass |für"
                      rf" )?(?P<value>.+)", "Beschluss vom {day}", "Was haben wir am {day} beschlossen?"),
    _rule("decision", rf"{_RESHENO},? (?:что )?(?P<value>.+?) для"
                      rf" (?P<subject>.+)", "{subject}", "Что мы решили для {subject}?"),
    _rule("decision", rf"{_RESHENO},?:? (?P<subject>\w+(?:ть|ти|чь)(?:ся)?) (?P<value>.+)",
          "решение: {subject}", "Что мы решили: {subject}?"),
    _rule("decision", rf"{_RESHENO},?:? (?:что )?(?P<value>.+)", "решение от {day}", "Что мы решили {day}?"),
)  # fmt: skip

_LIMIT = (
    r"(?:at most|no more than|not more than|at least|no less than|up to|max(?:imum)?\.?(?: of)?"
    r"|min(?:imum)?\.?(?: of)?|under|below|over|above|less than|more than|capped at|limited to|exactly)"
)
_GRENZE = r"(?:höchstens|maximal|max\.?|mindestens|nicht mehr als|unter|bis zu)"
_PREDEL = r"(?:не больше|не более|не меньше|не менее|максимум|минимум|до|не выше)"

CONSTRAINTS = (
    _rule("constraint", rf"(?P<subject>{_NP}) (?P<value>(?:must not|may not|cannot|can't|can not|mustn't|should"
                        rf" not|shouldn't"
          r"|must never) (?:exceed|be|cost|go over|take) .+)", "{subject}", "What is the limit for {the}?"),
    _rule("constraint", rf"(?P<subject>{_NP}) (?:is|are|must be|should be|can be|may be|must stay|has to stay"
                        rf"|must cost|should cost|costs?|may cost|can cost|=|:) "
          rf"(?P<value>{_LIMIT} .+)", "{subject}", "What is the limit for {the}?", "number"),
    _rule("constraint", rf"(?:spend|use|keep it|stay|we can spend|i can spend|we have|i have)"
                        rf" (?P<value>{_LIMIT} [^,]*\d.*?)(?: on (?P<subject>.+))?",
          "{subject}", "What is the limit for {the}?"),
    _rule("constraint", r"(?:the |our |my )?(?:budget|limit|maximum|minimum|cap)(?P<subject>(?: for| of) .+?)?"
                        r" (?:is|=|:) (?P<value>.*\d.*)",
          "budget{subject}", "What is the budget{subject}?"),
    _rule("constraint", r"i(?:'m| am)(?: very| badly| severely)? (?:allergic|intolerant) to"
                        r" (?P<value>.+)", "allergy to {value}", "What am I allergic to?"),
    _rule("constraint", r"i(?: have|'ve got) an? (?P<value>[\w ]+?) (?:allergy"
                        r"|intolerance)", "allergy to {value}", "What am I allergic to?"),
    _rule("constraint", r"i(?:'m| am)(?: a)? (?P<value>vegan|vegetarian|pescatarian|teetotal|diabetic|coeliac"
                        r"|celiac)", "diet", "What is my diet?"),
    _rule("constraint", r"i (?P<value>(?:don't|do not|never|can't|cannot) (?:eat|drink) .+|eat .+"
                        r" again)", "diet", "What do I eat or not eat?"),
    _rule("constraint", r"(?P<value>(?:never|always|don't ever|do not ever) (?P<subject>\w+(?: \w+)?) .+)",
          "rule ({subject})", "What is the rule about “{subject}”?"),
    _rule("constraint", r"(?P<value>(?:i|we) (?:can't|can’t|cannot|can not|don't|don’t|do not|won't|won’t|never)"
                        r" (?P<subject>\w+)(?: .+)? (?:on (?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:on|at|over)"
                        r" weekends|(?:before|after) \d.*))",
          "rule ({subject})", "What is the rule about “{subject}”?"),
    _rule("constraint", r"(?P<value>(?:ich|wir) (?:kann|können|arbeite\w*) (?P<subject>\w+tags|am wochenende)"
                        r" (?:nicht|nie)\b.*)", "Regel ({subject})", "Was gilt {subject}?"),
    _rule("constraint", r"(?P<value>(?:нельзя|никогда не|всегда) (?P<subject>\w+) .+)",
          "правило ({subject})", "Какое правило: {subject}?"),
    _rule("constraint", r"(?P<value>(?:(?:you|we|i|they|nobody|no one|it|everyone) )?(?:must not|must never"
                        r"|mustn't|may not) (?P<subject>\w+) .+)",
          "rule ({subject})", "What is the rule about “{subject}”?"),
    _rule("constraint", rf"(?P<subject>{_NP}) (?:ist|sind|beträgt|darf|dürfen|kostet|liegt bei)(?: nur)?"
                        rf" (?P<value>{_GRENZE} .+?)(?: kosten| sein| betragen)?",
          "{subject}", "Was ist die Grenze: {subject}?"),
    _rule("constraint", rf"(?P<subject>{_NP}) (?:darf|dürfen) (?P<value>(?:nicht|nie)"
                        rf" .+)", "{subject}", "Was gilt für {subject}?"),
    _rule("constraint", r"ich bin (?:allergisch gegen|allergisch auf)"
                        r" (?P<value>.+)", "Allergie gegen {value}", "Wogegen bin ich allergisch?"),
    _rule("constraint", r"ich (?P<value>(?:esse|trinke) (?:keine?n?|nie)"
                        r" .+)", "Ernährung", "Was esse oder trinke ich nicht?"),
    _rule("constraint", r"ich bin (?P<value>veganer(?:in)?|vegetarier(?:in)?"
                        r"|vegan)", "Ernährung", "Wie ernähre ich mich?"),
    _rule("constraint", rf"(?P<subject>{_NP})(?: —| -|:)? (?P<value>{_PREDEL}"
                        rf" .*\d.*)", "{subject}", "Какое ограничение: {subject}?"),
    _rule("constraint", r"у меня аллергия на (?P<value>.+)", "аллергия на {value}", "На что у меня аллергия?"),
    _rule("constraint", r"я (?P<value>не (?:ем|пью) .+)", "питание", "Чего я не ем и не пью?"),
    _rule("constraint", r"я (?P<value>веган|веганка|вегетарианец|вегетарианка)", "питание", "Как я питаюсь?"),
)  # fmt: skip

_FAMILY = (
    r"(?:daughter|son|wife|husband|partner|mother|mum|mom|father|dad|sister|brother|boss|manager|vet"
    r"|doctor|dentist|landlord|neighbou?r|teacher|lawyer|accountant|girlfriend|boyfriend|dog|cat|friend)"
)
ATTRIBUTES = (
    _rule("user_attribute", r"(?:my (?:full |first |last )?name(?: is|'s)|i(?:'m| am) called|call me|they call"
                            r" me|i go by) (?P<value>[^,]+)",
          "name", "What is my name?"),
    _rule("entity", rf"(?P<subject>(?:my|our) {_NP}|{_NAME}) was born (?:on|in) (?P<value>.+)",
          "{subject}'s birth", "When was {the} born?"),
    _rule("user_attribute", r"i(?:'m| am| was) born (?:on|in) (?P<value>.+)", "birth", "When or where was I born?"),
    _rule("user_attribute", r"i(?:'m| am)? (?:live|living|based|reside|moved|relocated)(?: now)? (?:in|at|on|to"
                            r"|near) (?P<value>.+)", "home", "Where do I live?"),
    _rule("user_attribute", r"i(?:'m| am) from (?P<value>.+)", "origin", "Where am I from?"),
    _rule("user_attribute", r"live (?:in|at|near) (?P<value>.+)", "home", "Where do I live?"),
    _rule("user_attribute", r"work (?P<value>(?:at|for|as|in) .+)", "work", "Where or as what do I work?"),
    _rule("user_attribute", r"i (?:work|am working|'m working) (?P<value>(?:at|for|as|in|with)"
                            r" .+)", "work", "Where or as what do I work?"),
    _rule("user_attribute", r"i(?:'m| am) an? (?P<value>[\w ]*(?:er|or|ist|ian|nurse|chef|pilot|cook|student"
                            r"|architect|analyst|accountant|engineer))",
          "profession", "What is my profession?"),
    _rule("user_attribute", r"i(?:'m| am) (?P<value>\d{1,3}(?: years old)?)", "age", "How old am I?"),
    _rule("user_attribute", r"i(?:'m| am) married to (?P<value>.+)", "spouse", "Who am I married to?"),
    _rule("user_attribute", r"i (?:drive|own) (?P<value>an? .+)", "car", "What do I drive?"),
    _rule("user_attribute", r"i speak (?P<value>.+)", "languages", "What do I speak?"),
    _rule("user_attribute", r"i prefer (?P<value>.+?) (?:to|over)"
                            r" (?P<subject>.+)", "preference over {subject}", "What do I prefer to {subject}?"),
    _rule("user_attribute", r"i prefer (?P<value>.+)", "preference", "What do I prefer?"),
    _rule("user_attribute", r"i weigh (?P<value>.*\d.*)", "weight", "How much do I weigh?"),
    _rule("user_attribute", r"i(?:'m| am) (?P<value>.*\d.*?) tall", "height", "How tall am I?"),
    _rule("user_attribute", r"i (?:really )?(?:like|love|enjoy|adore) (?P<value>(?!it\b|this|that|you|him|her"
                            r"|them|when|how|to)\S+(?: \S+){0,3})",
          "likes {value}", "What do I like?"),
    _rule("user_attribute", r"i (?:really )?(?:hate|dislike) (?P<value>(?!it\b|this|that|you|him|her|them|when"
                            r"|how|to)\S+(?: \S+){0,3})",
          "dislikes {value}", "What do I dislike?"),
    _rule("user_attribute", r"i wear (?:shoe )?size (?P<value>.+)", "size", "What size do I wear?"),
    _rule("entity", r"(?:i |we )?(?:spent|paid) (?P<value>\S*\d\S*(?: \w+)?) (?:at|on|for|in) (?P<subject>.+)",
          "spent on {subject}", "How much was spent on {the}?"),
    _rule("entity", rf"(?P<subject>(?:my|our) {_NP}) (?:lives|moved)(?: now)? (?:in|to|at) (?P<value>.+?)(?:"
                    rf" and (?:works?|lives|is|has)\b.*)?",
          "{subject}'s home", "Where does {my} live?"),
    _rule("entity", rf"(?P<subject>(?:my|our) {_NP}) works (?P<value>(?:at|for|as|in)"
                    rf" .+)", "{subject}'s work", "Where does {my} work?"),
    _rule("entity", rf"(?:i|we) have an? (?P<subject>{_NP}) (?:called|named)"
                    rf" (?P<value>.+)", "{subject}", "What is the name of the {subject}?"),
    _rule("entity", rf"(?P<subject>(?:my|our) {_NP})(?:(?: is|'s)(?: called| named)|(?:['’]s)? name is) (?P<value>.+)",
          "{subject}", "What is the name of {my}?"),
    _rule("entity", rf"(?P<subject>(?:my|our) (?:new )?{_FAMILY})(?: is|['’]s)"
                    rf" (?P<value>(?-i:[A-ZÄÖÜА-ЯЁ]).+)", "{subject}", "Who is {my}?"),
    _rule("entity", rf"(?P<subject>(?:my|our) {_NP})(?: is|'s) (?P<value>(?!due\b).+)", "{subject}", "What is {my}?"),
    _rule("entity", rf"(?P<subject>(?:my|our) {_NP}) are(?: called| named)?"
                    rf" (?P<value>.+)", "{subject}", "What are {my}?"),
    _rule("entity", rf"my {_FAMILY},? (?P<subject>{_NAME}),? (?P<value>(?:lives|works|was born|studies)"
                    rf" .+)", "{subject}", "What about {subject}?"),
    _rule("entity", rf"(?P<subject>{_NAME})(?:'s|’s) (?P<attribute>[\w -]+?) (?:is|are|:) (?P<value>.+)",
          "{subject}'s {attribute}", "What is {subject}'s {attribute}?"),
    _rule("entity", rf"(?P<subject>{_NAME}) (?:lives|moved) (?:in|to|at) (?P<value>.+?)(?: and (?:works?|has|is)\b.*)?",
          "{subject}'s home", "Where does {subject} live?", "exact"),
    _rule("entity", rf"(?P<subject>{_NAME}) works (?P<value>(?:at|for|as|in)"
                    rf" .+)", "{subject}'s work", "Where does {subject} work?"),
    _rule("entity", rf"(?P<subject>(?:the )?{_NP}) (?:is|are)(?: called| named)"
                    rf" (?P<value>.+)", "{subject}", "What is {the} called?"),
    _rule("entity", rf"(?P<subject>(?:the )?{_NP} (?:number|code|password|pin|iban|plate|address|id|key|phone"
                    rf"|email|size|serial|name|balance|price|rent|salary))"
          r"(?: is|:| =| ends in| ending| starts with) ?(?P<value>.+)", "{subject}", "What is {the}?"),
    _rule("entity", rf"(?P<subject>the {_NP}) (?:is|are|costs?|weighs|measures)"
                    rf" (?P<value>.+)", "{subject}", "What is {the}?", "exact"),
    _rule("entity", rf"(?P<subject>(?:the|my|our) {_NP}) (?:is|are|lies?|hangs?)(?: kept| stored| hidden)?"
                    r" (?P<value>(?:under|in|on|inside|behind|next to|above|below|beside) (?:the|my|our|an?) (?:\w+ )?"
                    r"(?:pot|box|drawer|shelf|cupboard|safe|cellar|attic|garage|fridge|wardrobe|desk|bag|folder|mat|hook"
                    r"|cabinet|closet|bookcase|shed|glovebox|table|bin|tin|jar)\b.*)",
          "{subject}", "Where is {the}?", "place"),
    _rule("entity", rf"(?P<subject>{_NP})(?: ?=|:) (?P<value>(?!(?:we|i|you|he|she|they|wir|ich|мы"
                    rf"|я)\b).+)", "{subject}", "What is {the}?", "exact"),
    _rule("user_attribute", r"ich hei(?:ß|ss)e (?P<value>.+)|mein name ist (?P<value2>.+)", "Name", "Wie heiße ich?"),
    _rule("user_attribute", r"(?:ich )?(?:wohne|lebe)(?: jetzt)? (?:in|im|am|an|auf|bei) (?P<value>.+)",
          "Wohnort", "Wo wohne ich?"),
    _rule("user_attribute", r"(?:ich )?arbeite (?P<value>(?:bei|als|für|in|im)"
                            r" .+)", "Arbeit", "Wo oder als was arbeite ich?"),
    _rule("user_attribute", r"ich bin am (?P<value>.+?) geboren", "Geburtstag", "Wann bin ich geboren?"),
    _rule("entity", r"(?P<subject>\w+) hat am (?P<value>.+?)"
                    r" geburtstag", "{subject} Geburtstag", "Wann hat {subject} Geburtstag?"),
    _rule("entity", rf"(?P<subject>{_OWN} {_NP}) (?:ist|sind|hei(?:ß|ss)t|hei(?:ß|ss)en|lautet)"
                    rf" (?P<value>.+)", "{subject}", "Was gilt: {subject}?"),
    _rule("entity", rf"(?P<subject>(?:der|die|das) {_NP}) (?:hei(?:ß|ss)t|lautet|ist|kostet)"
                    rf" (?P<value>.+)", "{subject}", "Was gilt: {subject}?", "exact"),
    _rule("user_attribute", r"меня зовут (?P<value>.+)|мо[её] имя[ —–-]+(?P<value2>.+)", "имя", "Как меня зовут?"),
    _rule("user_attribute", r"(?:я )?(?:живу|переехала?)(?: теперь)? (?:в|во|на)"
                            r" (?P<value>.+)", "место жительства", "Где я живу?"),
    _rule("user_attribute", r"я (?P<value>(?:[а-яё]+ (?:и )?)?[а-яё]+(?:тор|ер|ист|ник|ант|тель|лог|арь|урс|рач))",
          "профессия", "Кто я по профессии?"),
    _rule("user_attribute", r"(?:я )?работаю (?P<value>(?:в|на|по) .+|\w+ом|\w+ем)",
          "работа", "Где или кем я работаю?"),
    _rule("entity", rf"(?P<subject>{_OWN} {_NP}) зовут (?P<value>.+)|зовут"
                    rf" (?P<value2>.+)", "{subject}", "Как зовут: {subject}?"),
    _rule("entity", rf"день рождения (?P<subject>{_NP})(?: —| –| -|:)?"
                    rf" (?P<value>\d.+)", "день рождения {subject}", "Когда день рождения {subject}?"),
    _rule("entity", rf"(?P<subject>{_OWN} {_NP})(?: —| –| -|:)"
                    rf" ?(?P<value>.+)", "{subject}", "Что известно: {subject}?"),
    _rule("entity", rf"(?P<subject>{_NP}) (?:—|–) (?P<value>.+)", "{subject}", "Что известно: {subject}?", "exact"),
)  # fmt: skip

BIRTHDAYS = (
    _rule("user_attribute", r"my birthday(?: is|['’]s)(?: on)? (?P<value>.+)", "birthday", "When is my birthday?"),
    _rule("entity", rf"(?P<subject>{_NP})(?:['’]s|s['’]) birthday(?: is)?(?: on)? (?P<value>.+)",
          "{subject}'s birthday", "When is {subject}'s birthday?"),
    _rule("user_attribute", r"mein geburtstag ist(?: am)? (?P<value>.+)", "Geburtstag", "Wann habe ich Geburtstag?"),
    _rule("user_attribute", r"мой день рождения(?: —| –| -|:)?"
                            r" (?P<value>.+)", "день рождения", "Когда мой день рождения?"),
    _rule("entity", rf"(?P<value>{_DATE}) is (?P<subject>{_NP})(?:['’]s|s['’]) birthday",
          "{subject}'s birthday", "When is {subject}'s birthday?"),
)  # fmt: skip

RULES = (*BIRTHDAYS, *DECISIONS, *DEADLINES, *CONSTRAINTS, *ATTRIBUTES)
