"""Pairing: how a stranger comes in. They send /start, get a code and nothing else, and the operator is asked.

Everything else of a stranger is passed over without a trace. The question stands in the operator's outbox under the
name of its request, so it is asked once however often the update comes. Names go into that message alone.
"""

import logging
import re
import unicodedata

from pydantic import ValidationError
from telegram import Bot
from telegram.error import TelegramError

from bot.commands.members import ADMIT, TURN_AWAY
from bot.quoting import literal
from bot.telegram.admission import Admission, Request
from bot.telegram.chats import ChatStore
from bot.telegram.reader import Presence, Reader, Reading
from bot.telegram.updates import Arrival, Chat, User
from bot.turn.answer import Answer
from bot.turn.runner import Runner
from bot.turn.spaces import Spaces
from memory.catalogue import N_, _, language_of, speaking
from memory.store.entries import Button, Buttons, Entry

log = logging.getLogger(__name__)

NAME_CHARS = 64
ANSWER_DEADLINE_S = 3.0
NAMELESS = N_("(no name)")

PERSON = N_("Somebody asks to talk to me.\nName: {name}\nId: {id}\nCode: {code}")
PERSON_WHAT = N_(
    "I told them the code and nothing else: whoever tells you this code is the one who asks. Admitted, they have a "
    "memory of their own here, which you cannot read, and their questions are paid by you. The request ends at {until}."
)
GROUP = N_("You brought me into a group.\nName: {name}\nId: {id}")
GROUP_WHAT = N_(
    "Admitted, it has one memory of its own; everybody in it can talk to me there and see what that memory holds."
)

_USERNAME = re.compile(r"[A-Za-z0-9_]{1,32}")
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})


class Pairing:
    """Deals with the updates of those who are not admitted."""

    def __init__(self, bot: Bot, admission: Admission, chats: ChatStore, spaces: Spaces, reader: Reader) -> None:
        self._bot = bot
        self._admission = admission
        self._chats = chats
        self._spaces = spaces
        self._reader = reader

    async def consider(self, arrival: Arrival, source: str) -> None:
        """Take a request, if an arrival is one; pass over all else.

        Raises: OperatorMustAct, OSError, sqlite3.Error when it cannot be stored.
        """
        user = arrival.user
        if user is None or user.is_bot or arrival.moved is not None:
            return
        if arrival.chat.is_private and arrival.chat.id == user.id and self._is_start(arrival, source):
            await self._ask_for_person(user)
        elif arrival.chat.is_group and user.id == self._admission.operator_id and self._is_let_in(arrival, source):
            await self._ask_for_group(arrival.chat)

    def _is_start(self, arrival: Arrival, source: str) -> bool:
        """Whether somebody typed /start themselves, with or without what a link adds to it."""
        text = arrival.body.get("text") if isinstance(arrival.body, dict) else None
        if arrival.kind != "message" or not isinstance(text, str) or not text.lower().startswith("/start"):
            return False
        read = self._read(arrival, source)
        return isinstance(read, Entry) and read.kind == "command" and read.text.split()[0] == "/start"

    def _is_let_in(self, arrival: Arrival, source: str) -> bool:
        read = self._read(arrival, source) if arrival.kind == "my_chat_member" else None
        return isinstance(read, Presence) and not read.is_away

    def _read(self, arrival: Arrival, source: str) -> Reading:
        """Return what an arrival means; what cannot be read means nothing here."""
        try:
            return self._reader.read(arrival, source)
        except ValidationError:
            return None

    async def _ask_for_person(self, user: User) -> None:
        request = await self._admission.ask_for_person(user.id, language=language_of(user.language_code))
        if request is None or request.code is None:
            return
        operator = await self._operator()
        name = _clean(user.first_name)
        if user.username and _USERNAME.fullmatch(user.username):
            name = f"{name} @{user.username}".lstrip()
        with speaking(operator.space.preferences.language):
            who = _(PERSON).format(name=literal(name or _(NAMELESS)), id=user.id, code=request.code)
            what = _(PERSON_WHAT).format(until=f"{request.until.astimezone(operator.space.zone):%H:%M}")
            choice = _choice(request, _("Admit"), _("Refuse"))
            await operator.tell(request.key, Answer(f"{who}\n\n{what}", choice))
        await self._say(user.id, request.code)

    async def _ask_for_group(self, chat: Chat) -> None:
        request = await self._admission.ask_for_group(chat.id)
        operator = await self._operator()
        with speaking(operator.space.preferences.language):
            who = _(GROUP).format(name=literal(_clean(chat.title or "") or _(NAMELESS)), id=chat.id)
            choice = _choice(request, _("Admit"), _("Leave"))
            await operator.tell(request.key, Answer(f"{who}\n\n{_(GROUP_WHAT)}", choice))

    async def _operator(self) -> Runner:
        return await self._spaces.runner(await self._chats.space_of(self._admission.operator_id))

    async def _say(self, chat_id: int, code: str) -> None:
        try:
            await self._bot.send_message(chat_id, code, read_timeout=ANSWER_DEADLINE_S)
        except TelegramError as error:
            log.info("code not sent: error=%s", type(error).__name__)


def _choice(request: Request, admit: str, turn_away: str) -> Buttons:
    return (
        (
            Button(text=admit, data=f"{ADMIT}:{request.chat_id}"),
            Button(text=turn_away, data=f"{TURN_AWAY}:{request.chat_id}"),
        ),
    )


def _clean(name: str) -> str:
    """Return a foreign name in one short line, without what is not seen or turns the line around."""
    seen = "".join(" " if unicodedata.category(sign) in _UNSEEN else sign for sign in name)
    return " ".join(seen.split())[:NAME_CHARS].rstrip()
