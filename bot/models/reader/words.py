"""Words as the offline reader compares them: sentences, stems, a few shared meanings, the marks of a question.

Light on purpose: endings are cut by short lists for English, German and Russian, and words that stand for the same
thing in an everyday question ("due", "fällig", "срок") share one stem. No model, no state.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_CYRILLIC_ENDING = re.compile(
    r"(?:ами|ями|ого|его|ому|ему|ыми|ими|ешь|ишь|ать|ять|ить|ах|ях|ов|ев|ей|ой|ый|ий|ая|яя|ое|ее|ые|ие|ую|юю|ом|ем"
    r"|ам|ям|ет|ит|ют|ут|ат|ят|а|я|о|е|ы|и|у|ю|ь|й)$"
)
_LATIN_ENDINGS = ("ing", "ed", "en", "es", "em", "s", "e")
_CJK = re.compile(r"[぀-ヿ㐀-鿿가-힯]")

_FUNCTION_WORDS = """
    a an the this that these those and or but so if then than as of to in on at by for from with about into over after
    before until since is are was were be been being am do does did done have has had i me my mine we us our ours you
    your yours he him his she her hers it its they them their what when where who whom whose which why how much many
    please can could would should will shall may might must there here any some again just now still also too thing
    things exactly actually again ever tell remind let know remember say said get got give not no yes s t m re ve ll d
    what's who's when's where's it's i'm i'll we'll don't name's kind der die das den dem des ein eine einen einem
    einer eines und oder aber von zu zum zur im in an am auf mit für über ist sind war waren sein bin bist hat habe
    haben hast hatte ich mich mir mein meine meinen meinem meiner wir uns unser unsere unseren du dir dein deine er
    sie es ihr ihre was wann wo wer wem wen wie wieviel viel welche welcher welches warum bis bitte noch mal denn
    jetzt nun nicht kein keine man heute sag weißt weisst место и или но а в во на к ко с со о об от до для по из у за
    над под что кто когда где как какой какая какое какие каким сколько зачем почему это этот эта эти тот та те я меня
    мне мы нас нам наш наша наше мой моя мое мои моего моей мою ты тебя тебе он она оно они его ее их ли бы же не нет
    да есть был была было быть теперь сейчас пожалуйста ещё еще скажи напомни знаешь
"""
STOPWORDS = frozenset(_FUNCTION_WORDS.split())
"""Folded words that say nothing about what is asked for."""

_MEANINGS = {
    "@due": "deadline deadlines due duedate fällig frist abgabe abgabetermin срок сроки дедлайн сдать сдавать"
    " сдача сдачи",
    "@phone": "phone telephone tel mobile cell telefonnummer handynummer telefon handy телефон телефона",
    "@birth": "birthday birthdays born birth geburtstag geboren рождения рождение родился родилась",
    "@live": "live lives living home residence address wohnort wohne wohnst wohnt wohnort adresse живу живешь"
    " живет адрес жительства",
    "@name": "name names called named heiße heißt heisse heisst heißen зовут имя",
    "@decide": "decide decided decision decisions agreed chose choose chosen picked settled beschlossen entschieden"
    " entscheidung beschluss решили решил решила решение решения договорились выбрали",
    "@allergy": "allergic allergy allergies allergisch allergie allergien аллергия аллергии аллергию",
    "@like": "like likes love loves favourite favorite prefer prefers preference mag liebe lieblings",
    "@work": "work works working job employer arbeite arbeitest arbeitet работаю работаешь работает работа",
    "@password": "password passwort пароль",
    "@expire": "expire expires expiry expiration valid abläuft ablauf gültig истекает",
    "@daughter": "daughter daughters tochter дочь дочку дочери дочка",
    "@son": "son sons sohn sohnes сын сына сыну",
    "@wife": "wife frau жена жену жены жене",
    "@husband": "husband mann муж мужа мужу",
    "@cat": "cat cats katze кот кота кошка кошку кошки",
    "@dog": "dog dogs hund собака собаку собаки",
    "@budget": "budget spend spent spending бюджет",
    "@fly": "fly flies flight flights flug flüge fliege fliegen рейс лечу летим",
    "@meet": "meet meets meeting meetings treffen besprechung встреча встречу встречи встречаюсь встречаемся",
    "@colour": "colour color farbe цвет",
    "@archive": "archive archiv архив",
    "@marry": "marry married marries wedding heiraten geheiratet hochzeit verheiratet свадьба поженились",
    "@vet": "vet veterinarian tierarzt ветеринар",
    "@doctor": "doctor arzt hausarzt врач врача",
    "@limit": "limit limits maximum max minimum cap höchstens",
    "@diet": "diet diets vegan vegetarian eat essen ernährung",
    "@appointment": "appointment appointments termin termine",
}
_FRAMING_STEMS = """
    @name @due @decide @live @work @like @appointment number hand money finish submit send need want take make go
    come happen use start end be set plan call date day time long old year currently current today deal new latest
    situation detail info information story rule value hoch alt lang groß teu high tall big expensiv müss soll geb
    mach abgeb datum zeit tag uhr нужн надо должн дат врем
"""
_SOFT = frozenset(_FRAMING_STEMS.split())
"""Stems a question may hold without the answer's words holding them."""
_QUESTION_START = re.compile(
    r"^(?:(?:and|so|ok|okay|hey|hi|but|also|und|also|а|и|ну)[, ]+)*(?:"
    r"(?:what|when|where|who|whom|whose|which|why|how)(?:['’]s)?\b(?! (?:a |an )?(?:nice|lovely|great)\b)"
    r"|(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should|shall|may) "
    r"(?:i|you|he|she|it|we|they|there|my|our|your|the|that|this|anyone|[A-Z]\w+)\b"
    r"|(?:tell me|remind me (?:what|when|where|who|how|of|about)|show me|list|do you know|any idea|got any)\b"
    r"|(?:was|wann|wo|wohin|woher|wer|wem|wen|wessen|wie|wieviel|welche[rsnm]?|warum|wieso|weshalb)\b"
    r"|(?:bis|seit|ab) wann\b|(?:ist|sind|hast|habe|haben|kannst|weißt|gibt|muss|soll) "
    r"(?:ich|du|wir|es|die|der|das|mein)"
    r"|(?:кто|что|когда|где|куда|откуда|как|какой|какая|какое|какие|сколько|почему|зачем|чей|чья|кому|кого|есть ли"
    r"|во сколько|до какого|напомни,? (?:когда|что|где|кто|как)|скажи,? (?:когда|что|где|кто|как))\b"
    r")",
    re.IGNORECASE,
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|no|nr|bzw|ca|vs|etc|inc|ltd|tel|str|usw|approx|mon|tue|wed|thu|fri|sat|sun|jan|feb"
    r"|mar|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez|г|ул|д|т|тел|им|a\.m|p\.m|e\.g|i\.e|z\. ?b"
    r"|d\. ?h)|\b\w|\b\d{1,2})\.$",
    re.IGNORECASE,
)
_BREAK = re.compile(r"[.!?…]+[\"”“»')\]]*(?=\s)|\n+|[.!?…]+[\"”“»')\]]*$|[。！？]")
_GERMAN = re.compile(
    r"\b(?:ich|wir|ist|nicht|der|das|und|mein|meine|unser|wann|wer|wie|wo|für|haben|heißt|heiße|was|hast|bis|muss"
    r"|um|morgen|heute|uhr|nein|danke|fällig|frist|die|ein|eine|mir|mich|sind|kostet|tschüss|hallo)\b",
    re.IGNORECASE,
)


def fold(text: str) -> str:
    """Return a text as it is compared: compatibility forms joined, case and ё/е equal."""
    return unicodedata.normalize("NFKC", text).casefold().replace("ё", "е")


@lru_cache(maxsize=4_096)
def stem(word: str) -> str:
    """Return the stem of one folded word, or the meaning it shares with others (`@due`)."""
    if word in _MEANING_OF:
        return _MEANING_OF[word]
    cut = _cut(_IRREGULAR.get(word, word))
    return _MEANING_OF.get(cut, cut)


def stems(text: str) -> set[str]:
    """Return the stems of the words that carry content."""
    return {stem(token) for token in tokens(text) if token not in STOPWORDS}


def tokens(text: str) -> Iterator[str]:
    """Yield the folded words of a text, possessive endings cut, Chinese and Japanese runs as pairs of characters."""
    for match in _TOKEN.finditer(fold(text)):
        word = _POSSESSIVE.sub("", match.group())
        if _CJK.search(word) and len(word) > 2:
            yield from (word[index : index + 2] for index in range(len(word) - 1))
        elif word:
            yield word


def weight(one: str) -> float:
    """Return how much a stem of the question must be found: words that only frame a question count little."""
    return 0.35 if one in _SOFT else 1.0


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence; abbreviations and German ordinals ("12. März") do not end one."""
    start = 0
    for match in _BREAK.finditer(text):
        is_stop = match.group().startswith(".") and match.end() < len(text)
        if is_stop and _ABBREVIATION.search(text, max(0, match.start() - 8), match.start() + 1):
            continue
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, len(text))


def is_question(sentence: str) -> bool:
    """Return whether a sentence asks, with or without its question mark."""
    bare = sentence.strip().rstrip("\"”“»')")
    return bare.endswith(("?", "？")) or _QUESTION_START.match(sentence.strip()) is not None


def language_of(text: str) -> str:
    """Return `ru`, `de` or `en`, whichever the text looks like most."""
    if re.search(r"[а-яё]", text, re.IGNORECASE):
        return "ru"
    if re.search(r"[äöüß]", text, re.IGNORECASE):
        return "de"
    return "de" if _GERMAN.search(text) and not re.search(r"\b(?:the|is|my|what|when)\b", text, re.IGNORECASE) else "en"


def _cut(word: str) -> str:
    if re.search(r"[а-я]", word):
        return _CYRILLIC_ENDING.sub("", word) if len(word) > 3 else word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    for ending in _LATIN_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word.removesuffix(ending)
            break
    return word.removesuffix("e") if len(word) > 3 else word


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = start + len(piece.rstrip())
    if left < right:
        yield left, right


_IRREGULAR = {
    form: stem_
    for stem_, forms in (
        line.split(maxsplit=1)
        for line in (
            "write wrote written", "buy bought", "pay paid", "meet met", "see saw seen", "send sent", "lend lent",
            "speak spoke spoken", "choose chose chosen", "drive drove driven", "fly flew flown", "find found",
            "lose lost", "sell sold", "teach taught", "think thought", "bring brought", "break broke broken",
            "eat ate eaten", "drink drank drunk", "begin began begun", "build built", "wear wore worn",
            "win won", "steal stole stolen", "grow grew grown", "hide hid hidden", "leave left", "spend spent",
        )
    )
    for form in forms.split()
}  # fmt: skip
"""English verbs whose past has another stem: asked for in one form, told in another."""
_AMBIGUOUS_STEMS = frozenset({"call", "nam"})
"""What is left of "called" means something else by itself ("call me before noon")."""
_MEANING_OF = {
    form: meaning
    for meaning, words in _MEANINGS.items()
    for word in words.split()
    for form in (fold(word), _cut(fold(word)))
    if form not in _AMBIGUOUS_STEMS
}
