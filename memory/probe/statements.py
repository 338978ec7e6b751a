"""What the extractor is tried with: statements as people make them, and statements that look like no prose.

Each has the words that its fact's value must hold. The odd ones are what exact copies are lost on: ids, mixed scripts,
emoji, long numbers, quotation marks, denials, units.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Statement:
    """A sentence, and what the value of its fact must hold, as it stands there."""

    sentence: str
    holds: str


PLAUSIBLE: Final = (
    Statement("My dentist is called Dr. Hallmann.", "Hallmann"),
    Statement("The tax report is due on 12 March at 17:30.", "12 March"),
    Statement("We decided to use oak for the stairs.", "oak"),
    Statement("The bathroom may cost at most 9,400 euros.", "9,400"),
    Statement("I'm allergic to walnuts.", "walnuts"),
    Statement("Our cat is called Paprika.", "Paprika"),
    Statement("My sister lives in Ghent.", "Ghent"),
    Statement("My daughter Lena was born on 4 June 2019.", "4 June 2019"),
    Statement("The spare key is under the blue flower pot.", "blue flower pot"),
    Statement("Choir practice is every Tuesday at 19:30.", "Tuesday"),
    Statement("I work as a bookbinder.", "bookbinder"),
    Statement("My passport expires on 9 April 2031.", "9 April 2031"),
    Statement("We agreed on dark green for the garden gate.", "dark green"),
    Statement("I never drink coffee after 15:00.", "15:00"),
    Statement("Our landlord's name is Petra Voss.", "Petra Voss"),
    Statement("The wedding takes place on 21 August at 14:00.", "21 August"),
    Statement("Unsere Tierärztin heißt Frau Doktor Senn.", "Senn"),
    Statement("Die Steuererklärung ist am 31. Juli fällig.", "31. Juli"),
    Statement("Мою собаку зовут Клякса.", "Клякса"),
    Statement("Я живу в Твери.", "Твери"),
)

ODD: Final = (
    Statement("The router's serial number is FX-00O0-7731/b.", "FX-00O0-7731/b"),
    Statement("My library card number is 00417-0091.", "00417-0091"),
    Statement("The build that works is v2.10.0-rc.3+b71.", "v2.10.0-rc.3+b71"),
    Statement("Our meter reading is 8004271936605512300417.", "8004271936605512300417"),
    Statement("My WoW guild is called Ночной Drift ⚔.", "Ночной Drift"),
    Statement("Our band is called 東京 Knödel.", "東京 Knödel"),
    Statement("My favourite emoji is 🦔.", "🦔"),
    Statement("The café's name is ‘L’Été 🌻 d’Or’.", "L’Été 🌻 d’Or"),
    Statement("The motto of our club is \"never 'just' talk\".", "never 'just' talk"),
    Statement("My brother's boat is called \"Don't Panic\".", "Don't Panic"),
    Statement("I don't eat mushrooms.", "mushrooms"),
    Statement("Never ring the upstairs bell after 21:00.", "21:00"),
    Statement("My father can't drink milk.", "milk"),
    Statement("The bolt is M8×1.25, 35 mm.", "M8×1.25"),
    Statement("My kiln's limit is 1 260 °C.", "1 260 °C"),
    Statement("The tyre pressure is 2.4 bar (35 psi).", "2.4 bar"),
    Statement("My blood pressure is 128/81 mmHg.", "128/81"),
    Statement("The tent measures 2.10 m × 1.45 m.", "2.10 m × 1.45 m"),
    Statement("Our plot's coordinates are 54°19′N 10°08′E.", "54°19′N 10°08′E"),
    Statement("Мой код детали — АБ-12/7Х.", "АБ-12/7Х"),
)
