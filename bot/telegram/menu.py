"""Menu: the commands that Telegram shows beside the input field, in each language, fewer of them in groups."""

import logging

from telegram import Bot, BotCommand, BotCommandScopeAllGroupChats, BotCommandScopeDefault
from telegram.error import TelegramError

from bot.commands.offered import COMMANDS, Command
from memory.catalogue import ENGLISH, LANGUAGES, _, speaking

log = logging.getLogger(__name__)

IN_GROUPS = frozenset({"help", "facts", "recall", "remember", "forget", "remind", "reminders", "undo", "why", "stop"})
"""What is shown in groups; all others are answered there too."""


async def register_commands(bot: Bot) -> None:
    """Tell Telegram the commands. What it does not take holds up nothing."""
    shared = [command for command in COMMANDS if command.name in IN_GROUPS]
    try:
        for code in LANGUAGES:
            language = None if code == ENGLISH else code
            await bot.set_my_commands(_told(COMMANDS, code), BotCommandScopeDefault(), language)
            await bot.set_my_commands(_told(shared, code), BotCommandScopeAllGroupChats(), language)
    except TelegramError as error:
        log.warning("commands not registered: error=%s", type(error).__name__)


def _told(commands: tuple[Command, ...] | list[Command], code: str) -> list[BotCommand]:
    with speaking(code):
        return [BotCommand(command.name, _(command.purpose)) for command in commands]
