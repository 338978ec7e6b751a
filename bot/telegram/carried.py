"""What a message can carry besides words, in the form in which Telegram sends it: files, places, people, questions.

Every text and every measure is cleaned here; what they mean is the reader's business.
"""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

MAX_MEASURE = 2**32
"""In bytes, seconds or points: the largest files that Telegram carries have less."""


def _whole(value: object) -> object:
    """Return a text without lone surrogates and NULs, which no database takes."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "")


def _measured(value: object) -> object:
    """Return a measure, or None for a number that no file can have: nothing is to be reckoned with it."""
    return value if not isinstance(value, int) or 0 <= value <= MAX_MEASURE else None


Text = Annotated[str, BeforeValidator(_whole)]
Measure = Annotated[int | None, BeforeValidator(_measured)]


class Raw(BaseModel):
    """A part of an update; fields that are not named are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class File(Raw):
    """A file, or one size of a picture."""

    file_id: Text
    file_unique_id: Text = ""
    file_size: Measure = None
    mime_type: Text | None = None
    file_name: Text | None = None
    duration: Measure = None
    width: Measure = None
    height: Measure = None
    length: Measure = None
    """The side of a round video."""


class LivePhoto(Raw):
    photo: tuple[File, ...] = ()


class Sticker(Raw):
    emoji: Text | None = None
    set_name: Text | None = None


class Location(Raw):
    latitude: float
    longitude: float
    live_period: int | None = None


class Venue(Raw):
    location: Location
    title: Text = ""
    address: Text = ""


class Contact(Raw):
    phone_number: Text = ""
    first_name: Text = ""
    last_name: Text = ""


class Dice(Raw):
    emoji: Text = ""
    value: int = 0


class _Choice(Raw):
    text: Text = ""


class Poll(Raw):
    question: Text = ""
    options: tuple[_Choice, ...] = ()


class _Task(Raw):
    text: Text = ""
    completion_date: int | None = None


class Checklist(Raw):
    title: Text = ""
    tasks: tuple[_Task, ...] = ()
