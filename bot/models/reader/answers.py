"""What the offline reader says in a chat: quotations of its prompt, short acknowledgements, plain admissions.

Every number, name and date in an answer stands in the prompt it was asked with. It never says that something was
stored: only the program does, after it has read the row back.
"""

import re
from collections.abc import Sequence

from bot.models.reader.clauses import Clause, clauses
from bot.models.reader.corrections import says_where_home_is
from bot.models.reader.match import (
    calls_off,
    facts_about,
    matching_facts,
    matching_lines,
    names_a_time,
    nearest_fact,
    read_question,
    said_value,
    supporting_line,
)
from bot.models.reader.prompt import FactLine, ReaderPrompt, SaidLine, has_same_words
from bot.models.reader.statements import finding_of
from bot.models.reader.words import fold, is_question, language_of, sentences

_ADVICE = {
    "en": " Set GEMINI_API_KEY for real conversation.",
    "de": " Für echte Gespräche: GEMINI_API_KEY setzen.",
    "ru": " Для настоящей беседы задайте GEMINI_API_KEY.",
}
OFFLINE = f"I'm the offline reader: I can only quote what you told me.{_ADVICE['en']}"
_OFFLINE = {
    "en": OFFLINE,
    "de": f"Ich lese nur offline und kann zitieren, was du mir gesagt hast.{_ADVICE['de']}",
    "ru": f"Я работаю без сети и могу только цитировать сказанное вами.{_ADVICE['ru']}",
}
_FORGETTING = {
    "en": "If that is a fact I hold, a line below says that it no longer counts. /forget with its id erases it.",
    "de": "Steht das fest, sagt eine Zeile darunter, dass es nicht mehr gilt. /forget mit der Nummer löscht es.",
    "ru": "Если это записано, строка ниже скажет, что оно больше не действует. /forget с номером стирает его.",
}
_WHICH = {
    "en": "Without a model I can't tell what you mean. /undo takes back the last change; /forget f12 erases that fact.",
    "de": "Ohne Modell weiß ich nicht, was du meinst. /undo nimmt die letzte Änderung zurück; /forget f12 löscht f12.",
    "ru": "Без модели я не понимаю, о чём речь. /undo отменяет последнее изменение; /forget f12 стирает этот факт.",
}
_NO_REMINDERS = {
    "en": "I can't set reminders without a model, but I read it",
    "de": "Erinnern kann ich ohne Modell nicht, aber ich habe es gelesen",
    "ru": "Без модели я не умею напоминать, но прочитал",
}
_HELP = (
    "Tell me things in plain sentences (deadlines, decisions, names, numbers) and ask for them later in your"
    " own words. "
    "Ask “What do you know about me?” for everything that is established. " + OFFLINE
)
_UNKNOWN = {
    "en": "I don't have that. Nothing you told me, as far as I can see, answers it.",
    "de": "Das weiß ich nicht. In dem, was du mir gesagt hast, finde ich keine Antwort darauf.",
    "ru": "Этого я не знаю. В том, что вы мне говорили, ответа нет.",
}
_NOTHING_YET = {
    "en": "Nothing is established about that yet.",
    "de": "Dazu steht noch nichts fest.",
    "ru": "Об этом пока ничего не известно.",
}
_NEAREST = {"en": "The nearest I have: ", "de": "Am nächsten kommt: ", "ru": "Ближе всего: "}
_SAID = {"en": "you said", "de": "du hast gesagt", "ru": "вы сказали"}
_EARLIER = {"en": "From earlier", "de": "Von früher", "ru": "Из прошлого"}
_LATER = {"en": "and later", "de": "und später", "ru": "и позже"}
_KNOWN = {"en": "What I have:", "de": "Was ich weiß:", "ru": "Что известно:"}
_NOW = {"en": "It is", "de": "Es ist", "ru": "Сейчас"}
_HEARD = {"en": ("Understood", "Got it", "All right"), "de": ("Verstanden", "Alles klar"), "ru": ("Понятно", "Ясно")}
_READ = {"en": "I read that.", "de": "Das habe ich gelesen.", "ru": "Прочитано."}
_GREETED = {
    "en": "Hello! Ask me about anything you told me, or tell me something new.",
    "de": "Hallo! Frag mich nach dem, was du mir erzählt hast, oder erzähl mir etwas Neues.",
    "ru": "Здравствуйте! Спросите о том, что рассказывали, или расскажите новое.",
}
_THANKED = {"en": "You're welcome.", "de": "Gern geschehen.", "ru": "Пожалуйста."}
_PARTED = {"en": "Until next time.", "de": "Bis zum nächsten Mal.", "ru": "До встречи."}

_GREETING = re.compile(
    r"^(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening)|hallo|guten (?:morgen|tag|abend)|moin|servus|привет"
    r"|здравствуй(?:те)?|добр(?:ое утро|ый день|ый вечер)|hola|bonjour|salut)\b"
    r"(?: (?:there|again|bot))?[\s!,.?)👋🙂:]*$",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"^(?:many )?(?:thanks?|thank you|thx|cheers|danke|vielen dank|спасибо|благодарю|gracias|merci)\b[^?]{0,30}$",
    re.IGNORECASE,
)
_PARTING = re.compile(
    r"^(?:(?:good ?)?bye|good ?night|see you|ciao|tschüss|gute nacht|bis (?:dann|bald|morgen)|пока|до"
    r" (?:свидания|встречи)"
    r"|спокойной ночи)\b[^?]{0,30}$",
    re.IGNORECASE,
)
_HELP_ASKED = re.compile(
    r"^(?:help|/help|hilfe|помощь|what can you do|how do(?:es)? (?:you|this) work|who are you|what are you|was"
    r" kannst du"
    r"|wer bist du|что ты умеешь|кто ты)\b[\s?!.]*$",
    re.IGNORECASE,
)
_TIME_ASKED = re.compile(
    r"\b(?:what(?:['’]s| is)? (?:the )?(?:time|date|day)(?: is it)?(?: (?:now|today|is it))?\s*\??$"
    r"|what time is it|what day is (?:it|today)|which day is it"
    r"|wie spät|wie ?viel uhr ist|welcher tag ist heute|который час|сколько времени|какое сегодня число)",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:what (?:do|did) you (?:know|remember|have)(?: so far)?(?: about (?P<en>.+?))?|what have i told you(?:"
    r" about (?P<told>.+?))?"
    r"|tell me (?:everything|what you know) about (?P<tell>.+?)|was weißt du(?: alles)?(?: über (?P<de>.+?))?"
    r"|что (?:ты|вы) (?:знаешь|знаете|помнишь|помните)(?: об? (?P<ru>.+?))?|who is (?P<who>me|i))\s*[?.!]*$",
    re.IGNORECASE,
)
_MYSELF = re.compile(r"^(?:me|myself|us|mich|uns|мне|меня|нас)?$", re.IGNORECASE)
_KIND_ASKED = (
    ("deadline", re.compile(
        r"\b(?:deadlines|appointments|due (?:this|next) (?:week|month)|what(?:['’]s| is) (?:due|next|coming up)"
        r"|coming up|upcoming"
        r"|on my (?:calendar|agenda)|fristen|termine|anstehend|сроки|дедлайны|встречи)\b", re.IGNORECASE)),
    ("decision", re.compile(
        r"\b(?:decisions|what (?:did|have) we decided?|entscheidungen|beschlüsse|решения)\b(?!.*\b(?:about|for"
        r"|on|on the|über|für|по|о)\b)",
        re.IGNORECASE)),
    ("constraint", re.compile(r"\b(?:constraints|rules|limits|regeln|grenzen|правила|ограничения)\b", re.IGNORECASE)),
)  # fmt: skip
_TASK_ASKED = re.compile(
    r"^(?:please |can you |could you |bitte |пожалуйста,? )?(?:write|translate|calculate|compute|explain|draft"
    r"|compose|create"
    r"|generate|summari[sz]e|plan|search|google|look up|find out|draw|code|tell me a (?:joke|story)|schreib"
    r"|übersetz|erkläre"
    r"|rechne|напиши|переведи|объясни|посчитай|найди)\b",
    re.IGNORECASE,
)
_TODAY = re.compile(r"\b(?:today|heute|сегодня)\b", re.IGNORECASE)
_REMIND = re.compile(r"^(?:please )?(?:remind me|erinnere mich|напомни(?:те)?(?: мне)?)\b", re.IGNORECASE)
_FORGET_THAT = re.compile(
    r"^\W*(?:(?:no|oh|ok(?:ay)?|please|nein|ach|bitte|нет|ой|пожалуйста)\W+)*"
    r"(?:(?:forget|scratch|strike|delete|ignore|disregard|undo) (?:that|this|it)|never ?mind"
    r"|(?:vergiss|streich\w*|lösch\w*|ignorier\w*) (?:das|es|dies)"
    r"|(?:забудь|удали|сотри|вычеркни)(?:те)?(?: об)?(?: эт\w+)?)"
    r"(?:\W+(?:please|again|wieder|bitte|пожалуйста))*\W*$",
    re.IGNORECASE,
)
"""Words to take something back that do not say what."""
_FORGET = re.compile(r"^(?:please )?(?:forget|vergiss|забудь(?:те)?)\b(?! nicht)", re.IGNORECASE)


def answer(prompt: ReaderPrompt) -> str | None:
    """Return the answer, or None when only recall could still find one."""
    text = prompt.question
    if not text:
        return _wordless(prompt)
    small = _small_talk(prompt)
    if small is not None:
        return small
    asked = [text[start:end] for start, end in sentences(text) if is_question(text[start:end])]
    if not asked:
        return _acknowledged(text)
    answers = [_answer_one(question, prompt) for question in asked[:3]]
    found = [one for one in answers if one is not None]
    if len(found) == len(answers) or not prompt.can_recall:
        return "\n".join(
            one if one is not None else _unknown(question, prompt)
            for question, one in zip(asked, answers, strict=False)
        )
    return None


def without_advice(text: str) -> str:
    """Return an answer without the advice to set up a model."""
    for advice in _ADVICE.values():
        text = text.replace(advice, "")
    return text


def _wordless(prompt: ReaderPrompt) -> str:
    if prompt.has_media:
        return "I can't look at pictures, files or voice notes without a model. " + OFFLINE
    return _HELP


def _small_talk(prompt: ReaderPrompt) -> str | None:
    text, language = prompt.question.strip(), language_of(prompt.question)
    for pattern, words in ((_GREETING, _GREETED), (_THANKS, _THANKED), (_PARTING, _PARTED)):
        if pattern.match(text):
            return words[language]
    if _HELP_ASKED.match(text):
        return _HELP
    if _TIME_ASKED.search(text):
        return f"{_NOW[language]} {prompt.now}." if prompt.now else "I can't see a clock. " + OFFLINE
    return _OFFLINE[language] if _TASK_ASKED.match(text) else None


def _answer_one(text: str, prompt: ReaderPrompt) -> str | None:
    language = language_of(text)
    listed = _listing(text, prompt.facts)
    if listed is not None:
        return (
            "\n".join([_KNOWN[language], *(f"- {_shown(fact)}" for fact in listed)])
            if listed
            else _nothing(prompt, language)
        )
    question = read_question(text)
    facts = matching_facts(question, prompt.facts)
    if facts:
        return "\n".join(_quoted_fact(fact, prompt.said, language) for fact in facts)
    lines = matching_lines(question, prompt.said)
    return _quoted_lines(lines, language) if lines else None


def _listing(text: str, facts: Sequence[FactLine]) -> list[FactLine] | None:
    """Return the facts a question for a list asks for; None when it asks for something else."""
    about = _ABOUT.search(text)
    if about:
        words = next((group for group in about.groups() if group), "")
        return list(facts) if _MYSELF.match(words) or fold(words) == "i" else facts_about(words, facts)
    for kind, pattern in _KIND_ASKED:
        if pattern.search(text):
            return [fact for fact in facts if fact.kind.startswith(kind)]
    return None


def _nothing(prompt: ReaderPrompt, language: str) -> str | None:
    return None if prompt.can_recall else _NOTHING_YET[language]


def _quoted_fact(fact: FactLine, said: Sequence[SaidLine], language: str) -> str:
    support = supporting_line(fact, said)
    if support is None or has_same_words(support.text, fact.value):
        return f"{_shown(fact)}"
    value = fact.value.removesuffix(f'("{said_value(fact.value)}")').rstrip()
    return f'{_capital(fact.subject)}: {value} — {_SAID[language]}: "{support.text}"'


def _quoted_lines(lines: Sequence[SaidLine], language: str) -> str:
    earlier = _EARLIER[language] + (f" ({lines[0].when})" if lines[0].when else "")
    head = earlier if lines[0].is_recalled else _capital(_SAID[language])
    first = f'{head}: "{lines[0].text}"'
    return first + "".join(f', {_LATER[language]}: "{line.text}"' for line in lines[1:])


def _shown(fact: FactLine) -> str:
    if fold(fact.subject).endswith(fold(fact.value)):
        return _capital(fact.subject)  # "allergy to peanuts" says its value already
    return f"{_capital(fact.subject)}: {fact.value}"


def _unknown(text: str, prompt: ReaderPrompt) -> str:
    language = language_of(text)
    near = nearest_fact(read_question(text), prompt.facts)
    return _UNKNOWN[language] + (f" {_NEAREST[language]}{_shown(near)}." if near else "")


def _acknowledged(text: str) -> str:
    language = language_of(text)
    if _REMIND.match(text):
        return f'{_NO_REMINDERS[language]}: "{_short(text)}"'
    if _FORGET_THAT.match(text):
        return _WHICH[language]
    if _FORGET.match(text):
        return _FORGETTING[language]
    if not names_a_time(_TODAY.sub("", text)) and not any(_is_news(clause) for clause in clauses(text)):
        return f"{_READ[language]} {_OFFLINE[language]}"
    heard = _HEARD[language]
    return f'{heard[sum(text.encode()) % len(heard)]}: "{_short(text)}"'


def _is_news(clause: Clause) -> bool:
    text = clause.text
    return clause.is_correcting or calls_off(text) or says_where_home_is(text) or finding_of(clause, None) is not None


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 160 else flat[:160].rsplit(" ", 1)[0] + "…"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
