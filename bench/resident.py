"""Opens a memory in a process of its own, asks it questions and prints the most memory the process ever held, in MB."""

import asyncio
import resource
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.clock import SystemClock
from memory.space import Space


async def main(folder: Path, queries: list[str]) -> None:
    space = await Space.open(
        folder, default_zone=ZoneInfo("UTC"), clock=SystemClock(), backups=folder.parent, read_only=True
    )
    for query in queries:
        await space.recall.search(query)
    await space.close()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
