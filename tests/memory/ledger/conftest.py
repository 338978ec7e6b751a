from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.memory.ledger.world import LedgerWorld, open_world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[LedgerWorld]:
    async with open_world(tmp_path) as opened:
        yield opened
