"""Catalogue: the texts of the interface in the language of the space that is at work (GNU gettext).

The English text is the key. What is never translated here: prompts, stored words, logs, the command line. The language
belongs to the task: the runner of a space sets it once, and every task that starts from there inherits it.
"""

import gettext as gnu
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, datetime
from functools import cache
from pathlib import Path

from babel.dates import format_date, format_datetime

LANGUAGES: Mapping[str, str] = {"en": "English", "de": "Deutsch"}
"""The languages there are, by their codes, each named in itself."""
ENGLISH = "en"
DOMAIN = "remembrancer"
FOLDER = Path(__file__).parent / "locale"

_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


def _(text: str) -> str:
    """Return a text in the language that is spoken now; one without a translation as it is."""
    return _translations(_language.get()).gettext(text)


def ngettext(one: str, many: str, count: int) -> str:
    """Return the form for a count; `{count}` and other places are filled in by the caller."""
    return _translations(_language.get()).ngettext(one, many, count)


def N_(text: str) -> str:  # noqa: N802 - the name that gettext's tools look for
    """Mark a constant for translation; `_` is put around it where it is shown."""
    return text


DAY = N_("EEE d MMM y")
"""How a day is written, in CLDR's signs: "Mon 15 Mar 2027"."""
DAY_OF_YEAR = N_("d MMM")
WEEKDAY_OF_YEAR = N_("EEE d MMM")
LONG_DAY = N_("d MMMM y")
LONG_DAY_OF_YEAR = N_("d MMMM")
DAY_OF_MONTH = N_("d")
WEEKDAY = N_("EEEE")
MONTH = N_("MMMM")
MOMENT = N_("EEE d MMM y HH:mm")
MOMENT_OF_YEAR = N_("EEE d MMM HH:mm")


def written(at: date | datetime, pattern: str = DAY) -> str:
    """Return a day, or a local moment, as the language that is spoken now writes it (one of the patterns above)."""
    form = format_datetime if isinstance(at, datetime) else format_date
    return form(at, _(pattern), locale=_language.get())


def in_all_languages(text: str) -> frozenset[str]:
    """Return a text of the catalogue as each language has it, to know again what was said in whichever."""
    return frozenset(_translations(code).gettext(text) for code in LANGUAGES)


def language() -> str:
    """Return the code of the language that is spoken now."""
    return _language.get()


def language_of(code: str | None) -> str | None:
    """Return the language of a program that names its own so (`de-CH`); None for one that there is not."""
    found = (code or "").partition("-")[0].lower()
    return found if found in LANGUAGES else None


def speak(code: str) -> None:
    """Speak a language from here on, in this task and those it starts; English for one that there is not."""
    _language.set(code if code in LANGUAGES else ENGLISH)


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Speak a language for the length of the context."""
    before = _language.set(code if code in LANGUAGES else ENGLISH)
    try:
        yield
    finally:
        _language.reset(before)


@cache
def _translations(code: str) -> gnu.NullTranslations:
    return gnu.translation(DOMAIN, localedir=FOLDER, languages=[code], fallback=True)
