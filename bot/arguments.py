"""Arguments: the grammar of the command line, with its help. Knows the commands' names and nothing of what they do.

Wrong use is one line on stderr and exit code 2; `parse` then raises SystemExit, as it does after `--help`.
"""

import argparse
import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn

from bot.home import SPACE_ID

WRONG_USE = 2
BENCHES = {
    "faults": "whether the examination finds damage, names the layer, and raises no false alarm",
    "handoff": "what a handoff and recall bring back after a compaction",
    "ledger": "a month of talk, and what the ledger costs",
    "overhead": "what our own code costs around a model call",
    "retrieval": "whether recall finds what answers a question",
    "scale": "recall and storing at ten thousand segments and more",
    "strategies": "what is left of a talk, under six ways of remembering it",
}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USE, f"remembrancer: {' '.join(message.split())} (see: {self.prog} --help)\n")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the arguments; `command` is the name of the command, `serve` when there is none.

    Raises: SystemExit.
    """
    return _parser().parse_args(argv)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="remembrancer",
        description="A personal assistant that keeps what you tell it, and can show where each memory came from. "
        "Without a command it serves: Telegram if TELEGRAM_BOT_TOKEN is set, else a chat in this terminal.",
        epilog="Settings are read from the environment and from .env in this folder; .env.example lists them all. "
        "Exit codes: 0 fine, 1 what was asked about is not well, 2 wrong use or settings.",
    )
    parser.add_argument("--version", action="version", version=f"remembrancer {version('remembrancer')}")
    parser.set_defaults(command="serve")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def add(name: str, summary: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        sub.set_defaults(command=name)
        return sub

    _add_space(add("chat", "talk in the terminal; piped, each line is a message and each reply is printed"))

    facts = add("facts", "list what is known for certain")
    facts.add_argument("--history", action="store_true", help="also what was superseded, retracted or forgotten")
    _add_space(facts)
    _add_json(facts)

    recall = add("recall", "search memory as the assistant would")
    recall.add_argument("query", metavar="QUERY", nargs="?", help="what to look for, in plain words")
    recall.add_argument("--k", type=_count, default=10, metavar="N", help="how many results (default: 10)")
    recall.add_argument(
        "--batch", type=Path, metavar="FILE", help='one {"id", "query"} a line in, one JSON line each out'
    )
    _add_space(recall)
    _add_json(recall)

    why = add("why", "show what the prompt of a turn was built from")
    why.add_argument("turn", metavar="TURN", nargs="?", type=_turn_id, help="for example t12 (default: the last turn)")
    _add_space(why)
    _add_json(why)

    forget = add("forget", "forget a fact, segment, message, turn or procedure everywhere, then prove it")
    forget.add_argument("id", metavar="ID", type=_memory_id, help="for example f12, s12, m12, t12 or p12")
    _add_space(forget)

    probe = add("probe", "examine a memory: whether it still knows what it was told, on a copy of it")
    probe.add_argument(
        "--fixture", action="store_true", help="a frozen talk instead of your memory, with the configured model"
    )
    _add_space(probe)
    _add_json(probe)

    _add_import(add("import", "take in an older talk, from here or from elsewhere"))

    backup = add("backup", "copy the whole home into one checked file, also beside a running server")
    backup.add_argument(
        "file", metavar="FILE", nargs="?", type=Path, help="a name ending with .zip (default: in the home's backups)"
    )

    restore = add("restore", "put a backup in place of what is there, which is kept")
    restore.add_argument("file", metavar="FILE", type=Path, help="what `backup` wrote, or the copy of one memory (.db)")

    export = add("export", "write all of one memory as a zip of JSON and Markdown")
    export.add_argument(
        "file", metavar="FILE", nargs="?", type=Path, help="a name ending with .zip (default: in this folder)"
    )
    _add_space(export)

    doctor = add("doctor", "look at settings, disk, databases and whether the services answer")
    how = doctor.add_mutually_exclusive_group()
    how.add_argument("--deep", action="store_true", help="also every hash and index; rebuilds what is derived")
    how.add_argument("--live", action="store_true", help="only whether the server lives (for containers)")

    _add_benches(add("bench", "measure"))
    return parser


def _add_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        help='JSON lines of {"at", "role", "name"?, "text", "ref"?}, the result.json of Telegram Desktop, '
        "or what `export` wrote",
    )
    _add_space(parser)
    parser.add_argument("--extract", action="store_true", help="also read facts from your own lines, at a price shown")
    parser.add_argument("--yes", action="store_true", help="agree to that price beforehand")
    parser.add_argument("--chat", metavar="NAME_OR_ID", help="which chat of a whole account's export")
    parser.add_argument("--me", metavar="NAME_OR_ID", help="who you are in it, where that cannot be told")


def _add_benches(parser: argparse.ArgumentParser) -> None:
    names = parser.add_subparsers(dest="name", metavar="NAME", required=True)
    benches = {name: names.add_parser(name, help=summary, description=summary) for name, summary in BENCHES.items()}
    benches["retrieval"].add_argument(
        "--data", type=Path, metavar="DIR", required=True, help="a folder of talks with questions about them"
    )
    benches["retrieval"].add_argument("--embedder", choices=["local"], help="also by meaning (the extra `local`)")
    for name in ("retrieval", "strategies"):
        benches[name].add_argument("--chart", type=Path, metavar="FILE", help="also draw a PNG (needs matplotlib)")
    benches["scale"].add_argument("--full", action="store_true", help="also a million segments (takes an hour)")
    for bench in benches.values():
        _add_json(bench)


def _add_space(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--space", metavar="S", type=_space, help="which memory (default: local; with a bot token, the operator's own)"
    )


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")


def _space(text: str) -> str:
    if not SPACE_ID.fullmatch(text):
        raise argparse.ArgumentTypeError("must be 1 to 64 letters, digits, `_` or `-`")
    return text


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError("must be a number from 1 to 1000")
    return int(text)


def _turn_id(text: str) -> int:
    digits = text.removeprefix("t")
    if not digits.isascii() or not digits.isdecimal() or len(digits) > 18:
        raise argparse.ArgumentTypeError("must be a turn's id, for example t12")
    return int(digits)


def _memory_id(text: str) -> str:
    if not re.fullmatch(r"[fsmtp][0-9]{1,18}", text):
        raise argparse.ArgumentTypeError("must be an id like f12, s12, m12, t12 or p12")
    return text
