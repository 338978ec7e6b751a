"""What canaries say: sentences a member could well have said, each with one detail that nobody would guess.

Names are made of syllables and codes of letters and digits, so that a detail stands nowhere else; who it is about and
what it is are drawn beside it, so that no two nights are alike. Pure: the same generator gives the same canary.
"""

from dataclasses import dataclass
from random import Random
from typing import Final, Literal


@dataclass(frozen=True)
class Template:
    """A sentence with places for a first name (`who`) and for the detail, and the question that it answers."""

    sentence: str
    question: str
    detail: Literal["name", "code", "имя"] = "name"


@dataclass(frozen=True)
class Plant:
    """A canary's sentence, the question that it answers, and the detail that the answer must hold.

    `names` are the words that were drawn: none of them should stand in the memory before.
    """

    sentence: str
    question: str
    detail: str
    names: tuple[str, ...]


TEMPLATES: Final = (
    Template("The piano tuner of {who} is called {detail}.", "What is the piano tuner of {who} called?"),
    Template("Our beekeeper's name is {detail}.", "What is the name of our beekeeper?"),
    Template("My chess partner is called {detail}.", "What is the name of my chess partner?"),
    Template("{who}'s sailing boat is called {detail}.", "What is {who}'s sailing boat called?"),
    Template("The campsite near {who}'s cabin is called {detail}.", "What is the campsite near {who}'s cabin called?"),
    Template("We decided to use {detail} for the shed paint.", "What did we decide to use for the shed paint?"),
    Template("We chose {detail} for the choir's sheet music.", "What did we choose for the choir's sheet music?"),
    Template("We agreed on {detail} for our quiz team.", "What did we agree on for our quiz team?"),
    Template("My cousin {who} lives in {detail}.", "Where does my cousin {who} live?"),
    Template("My godfather {who} moved to {detail}.", "Where did my godfather {who} move to?"),
    Template("My violin teacher {who} works at {detail}.", "Where does my violin teacher {who} work?"),
    Template("The bookbinder in the old town is called {detail}.", "What is the bookbinder in the old town called?"),
    Template("The upstairs neighbour's parrot is called {detail}.", "What is the upstairs neighbour's parrot called?"),
    Template("Our caravan site is {detail}.", "What is our caravan site?"),
    Template("My favourite hiking trail is {detail}.", "What is my favourite hiking trail?"),
    Template("My old geography teacher is called {detail}.", "What is the name of my old geography teacher?"),
    Template("Our rehearsal room is called {detail}.", "What is our rehearsal room called?"),
    Template("The varnish for {who}'s cello is called {detail}.", "What is the varnish for {who}'s cello called?"),
    Template("My rowing club is called {detail}.", "What is my rowing club called?"),
    Template("The goat cheese from {who} is called {detail}.", "What is the goat cheese from {who} called?"),
    Template("The bakery in {who}'s village is called {detail}.", "What is the bakery in {who}'s village called?"),
    Template("The ferry to {who}'s island is called {detail}.", "What is the ferry to {who}'s island called?"),
    Template("The serial number of the loom is {detail}.", "What is the serial number of the loom?", "code"),
    Template("The inventory tag of {who}'s harp is {detail}.", "What is the inventory tag of {who}'s harp?", "code"),
    Template("My bicycle frame number is {detail}.", "What is my bicycle frame number?", "code"),
    Template("The model number of the kiln is {detail}.", "What is the model number of the kiln?", "code"),
    Template("Our allotment plot number is {detail}.", "What is our allotment plot number?", "code"),
    Template("The hull number of {who}'s dinghy is {detail}.", "What is the hull number of {who}'s dinghy?", "code"),
    Template("Unser Klavierstimmer heißt {detail}.", "Wie heißt unser Klavierstimmer?"),
    Template("Meine Lieblingshütte heißt {detail}.", "Wie heißt meine Lieblingshütte?"),
    Template("Die Imkerin im Dorf von {who} heißt {detail}.", "Wie heißt die Imkerin im Dorf von {who}?"),
    Template("Die Rahmennummer vom Tandem ist {detail}.", "Wie ist die Rahmennummer vom Tandem?", "code"),
    Template("Нашего пчеловода зовут {detail}.", "Как зовут нашего пчеловода?", "имя"),
    Template("Мою учительницу музыки зовут {detail}.", "Как зовут мою учительницу музыки?", "имя"),
    Template("Нашу лодку зовут {detail}.", "Как зовут нашу лодку?", "имя"),
    Template("Мой инвентарный номер — {detail}.", "Какой мой инвентарный номер?", "code"),
)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_WHO = _listed(
    "Tilda Marit Oswin Philine Gunnar Leontine Ruben Solveig Jasper Annika Desmond Edwina Fergus Georgina "
    "Henrike Ingmar Jolanda Konrad Lisbeth Magnus Ottilie Quirin Rosalie Sibylle Torsten Ursel Veronika "
    "Wilfried Xaver Yvette"
)
_HEADS = _listed("Brem Dral Fen Gor Hal Kest Lum Mar Nath Orv Pel Quin Rus Sor Tor Ulb Vel Wex Yar Zan")
_MIDDLES = _listed("a e i o en er il ol an ur")
_TAILS = _listed("bek brin cott din dorn gast lund mond nor quist rup sted thal vik wald zer")
_HEADS_RU = _listed("Бре Вел Гор Дра Зан Кес Лум Мар Нат Пел Рус Сор Тор Уль Фен Хал")
_MIDDLES_RU = _listed("а е и о ен ер ил ол")
_TAILS_RU = _listed("бек врин гаст дин лунд монд нор рик стед таль вик цер")
_LETTERS = "ABCDEFGHKLMNPRSTUVWXYZ"


def draw(random: Random) -> Plant:
    """Return a canary drawn with a generator of random numbers."""
    return fill(random.choice(TEMPLATES), random)


def fill(template: Template, random: Random) -> Plant:
    """Return a canary made of a template."""
    words = {"who": random.choice(_WHO), "detail": _detail(template, random)}
    sentence = template.sentence.format(**words)
    names = tuple(word for word in words.values() if word in sentence)
    return Plant(sentence, template.question.format(**words), words["detail"], names)


def _detail(template: Template, random: Random) -> str:
    if template.detail == "code":
        letters = "".join(random.choices(_LETTERS, k=2))
        return f"{letters}-{random.randrange(10_000, 100_000)}-{random.choice(_LETTERS)}"
    parts = (_HEADS_RU, _MIDDLES_RU, _TAILS_RU) if template.detail == "имя" else (_HEADS, _MIDDLES, _TAILS)
    return "".join(random.choice(part) for part in parts)
