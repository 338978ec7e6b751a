from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.memory.compaction.world import World, opened


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as world:
        yield world
