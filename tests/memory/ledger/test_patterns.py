"""Patterns of a fact: every phrasing of the whole value, and nothing that only looks like it."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
import regex

from memory.ledger.askable import Value, usable_patterns
from memory.ledger.dates import find_dates

AT = datetime(2027, 3, 2, 9, 0, tzinfo=UTC)
ZONE = ZoneInfo("Europe/Berlin")


def recognises(value: str, text: str) -> bool:
    asked = Value(value, find_dates(value, AT, ZONE))
    patterns = usable_patterns((), asked, question="What was it again?", replaced=None, rivals=())
    assert patterns
    return any(regex.search(pattern, text, regex.IGNORECASE) for pattern in patterns)


SAME = (
    ("18:00", "It starts at 18:00."),
    ("18:00", "at 18.00"),
    ("18:00", "6 pm"),
    ("18:00", "6pm"),
    ("18:00", "6:00 p.m."),
    ("18:00", "at six in the evening"),
    ("18:00", "Six pm sharp."),
    ("18:00", "six o'clock in the evening"),
    ("18:00", "6 o’clock in the evening"),
    ("18:00", "um 18 Uhr"),
    ("18:00", "um sechs Uhr abends"),
    ("18:00", "um 6 Uhr abends"),
    ("18:00", "18h"),
    ("18:00", "в 6 вечера"),
    ("18:00", "в шесть вечера"),
    ("18:00", "в шесть часов вечера"),
    ("18:00", "a las 6 de la tarde"),
    ("18:00", "à 6 heures du soir"),
    ("6 pm", "18:00"),
    ("17:30", "5:30 pm"),
    ("17:30", "half past five in the afternoon"),
    ("17:30", "five thirty pm"),
    ("17:30", "halb sechs abends"),
    ("17:30", "17h30"),
    ("17:30", "17 Uhr 30"),
    ("09:15", "quarter past nine in the morning"),
    ("09:15", "9:15 am"),
    ("12:00", "at noon"),
    ("12:00", "12 pm"),
    ("22:00", "ten at night"),
    ("18:00", "moved to six in the evening"),
    ("06:00", "6 in the morning"),
    ("06:00", "6:00"),
    ("3,000 euros", "3000 euros"),
    ("3,000 euros", "3.000 Euro"),
    ("3,000 euros", "3 000 €"),
    ("3,000 euros", "€3k"),
    ("3,000 euros", "three thousand euros"),
    ("3,000 euros", "dreitausend Euro"),
    ("3,000 euros", "3 thousand"),
    ("3000 euros", "3,000"),
    ("1,500 euros", "fifteen hundred euros"),
    ("1,500 euros", "one thousand five hundred"),
    ("250 guests", "two hundred and fifty guests"),
    ("25 guests", "twenty-five guests"),
    ("25 guests", "fünfundzwanzig Gäste"),
    ("5 people", "five people"),
    ("12 people", "a dozen, that is twelve people"),
    ("2.5 litres", "2,5 Liter"),
    ("2.50 euros", "2.5 euros"),
    ("4711-2", "471 12"),
    ("12 March", "on 12 March"),
    ("12 March", "March 12th"),
    ("12 March", "the 12th of March"),
    ("12 March", "the twelfth of March"),
    ("12 March", "March the twelfth"),
    ("12 March", "am 12. März"),
    ("12 March", "am zwölften März"),
    ("12 March", "12 марта"),
    ("12 March", "12 de marzo"),
    ("12 March", "le 12 mars"),
    ("12 March", "12.3."),
    ("12 March", "3月12日"),
    ("12 March 2027", "2027-03-12"),
    ("12 March 2027", "12.03.2027"),
    ("12 March 2027", "12 March"),
    ("21 May", "May twenty-first"),
    ("3 March", "third of March"),
    ("Friday 12 March at 17:30", "5:30 pm on March 12th"),
    ("Friday 12 March at 17:30 (2027)", "Friday 12 March at 17:30"),
    ("28. März um 3:30 (2027)", "Wir fahren am 28. März um 3:30 los"),
    ("28. März um 2:30 (Sun 28 Mar 2027 03:30)", "Wir fahren am 28. März um 2:30 los"),
    ("Anna Weber", "Weber, Anna"),
    ("Ирина Кузнецова", "у Ирины Кузнецовой"),
)

OTHER = (
    ("18:00", "18:30"),
    ("18:00", "6 am"),
    ("18:00", "at six"),
    ("18:00", "six in the morning"),
    ("18:00", "6 Uhr morgens"),
    ("18:00", "6:30 pm"),
    ("18:00", "half past six in the evening"),
    ("18:00", "16:00"),
    ("18:00", "8 pm"),
    ("6 pm", "16:00"),
    ("6 pm", "6 people"),
    ("18:00", "18 people"),
    ("06:00", "6:00 pm"),
    ("06:00", "6 Uhr abends"),
    ("06:00", "16:00"),
    ("10:00", "10 at night"),
    ("12:00", "12:00 am"),
    ("12:00", "in the afternoon"),
    ("17:30", "7:30 pm"),
    ("17:30", "half past five in the morning"),
    ("17:30", "halb fünf abends"),
    ("3,000 euros", "30,000 euros"),
    ("3,000 euros", "3,000,000 euros"),
    ("3,000 euros", "13,000 euros"),
    ("3,000 euros", "300 euros"),
    ("3,000 euros", "3 euros"),
    ("3,000 euros", "3.5k"),
    ("3,000 euros", "3,000.50 euros"),
    ("3,000 euros", "thirty thousand euros"),
    ("3,000 euros", "thirteen thousand euros"),
    ("3,000 euros", "twenty-three thousand euros"),
    ("3,000 euros", "three thousand five hundred euros"),
    ("50 guests", "two hundred and fifty guests"),
    ("20 guests", "twenty-five guests"),
    ("18:00", "quarter to six in the evening"),
    ("18:00", "half past 6 in the evening"),
    ("15 guests", "1.5 guests"),
    ("15 guests", "15:30"),
    ("15 guests", "115 guests"),
    ("1.5 litres", "15 litres"),
    ("2.5 litres", "12.5 litres"),
    ("25 guests", "twenty guests"),
    ("250 guests", "two hundred guests"),
    ("5 people", "fifty people"),
    ("5 people", "5.5 people"),
    ("3 March", "13 March"),
    ("3 March", "March 30"),
    ("3 March", "twenty-third of March"),
    ("12 March", "12 April"),
    ("12 March", "22 March"),
    ("12 March", "2 March"),
    ("12 March", "12.30"),
    ("12 March 2027", "12 March 2028"),
    ("12 March 2027", "12.03.2028"),
    ("12 March 2027", "2027-03-13"),
    ("Friday 12 March at 17:30", "12 March"),
    ("Friday 12 March at 17:30", "17:30"),
    ("Anna Weber", "Anna Webersen"),
)


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert len(SAME) + len(OTHER) >= 80
    assert len(OTHER) >= 30


@pytest.mark.parametrize(("value", "text"), SAME)
def test_another_phrasing_of_the_whole_value_is_recognised(value: str, text: str) -> None:
    assert recognises(value, text)


@pytest.mark.parametrize(("value", "text"), OTHER)
def test_another_value_or_half_of_it_is_not(value: str, text: str) -> None:
    assert not recognises(value, text)


def test_a_proposed_pattern_that_would_be_written_out_in_memory_is_never_compiled() -> None:
    proposed = [r"Brandt((?:a{999}){999}){999}?|Brandt", r"Dr\.? Brandt"]

    patterns = usable_patterns(
        proposed, Value("Dr. Brandt", ()), question="What is the name of our vet?", replaced=None, rivals=()
    )

    assert proposed[1] in patterns
    assert proposed[0] not in patterns
