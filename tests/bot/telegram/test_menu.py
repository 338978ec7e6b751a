"""The commands that Telegram shows: in each language, and fewer of them in groups."""

from pathlib import Path

from telegram import Bot, BotCommandScopeAllGroupChats

from bot.commands.offered import COMMANDS
from bot.telegram.menu import IN_GROUPS, register_commands
from memory.catalogue import LANGUAGES, _, speaking
from tests.bot.telegram.house import OWNER, serving
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_failures import refused


async def test_each_language_has_its_commands_and_groups_have_fewer(telegram: FakeTelegram, bot: Bot) -> None:
    await register_commands(bot)
    for code in LANGUAGES:
        language = None if code == "en" else code
        private = await bot.get_my_commands(language_code=language)
        shared = await bot.get_my_commands(BotCommandScopeAllGroupChats(), language)
        with speaking(code):
            assert [(one.command, one.description) for one in private] == [(c.name, _(c.purpose)) for c in COMMANDS]
        assert {one.command for one in shared} == IN_GROUPS
    assert telegram.count("setMyCommands") == 2 * len(LANGUAGES)


async def test_commands_that_cannot_be_registered_hold_up_nothing(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.fail_next("setMyCommands", refused(400, "Bad Request: BOT_COMMAND_INVALID"), skip=1)
    async with serving(telegram, tmp_path):
        telegram.say(OWNER, "hello")
        await telegram.until(lambda: telegram.texts(OWNER))
