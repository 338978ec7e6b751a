"""How far a command is, shown on a terminal and nowhere else."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from rich.console import Console
from rich.progress import Progress as Bar

from bot.probing.examination import Progress


def progress(what: str, total: int | None) -> AbstractContextManager[Callable[[int], None]]:
    """Show how much of something is done; `total` None: nobody knows how much it is."""
    console = Console(stderr=True)
    return _bar(console, what, total) if console.is_terminal else nullcontext(lambda _: None)


@contextmanager
def _bar(console: Console, what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    with Bar(console=console, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def steps(what: str) -> Iterator[Progress | None]:
    """Show how far something is whose length is told as it goes on."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with Bar(console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)

        async def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield show
