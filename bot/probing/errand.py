"""The errand: what the process that examines is told, and what it may say. JSON on both ways, no text of a person."""

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memory.findings import Run
from memory.probe.run import Orders

ORDERS_FILE = "orders.json"


class Errand(BaseModel):
    """What to examine. `allowance_usd` is what its calls may cost together, None without a ceiling.

    `is_frozen`: an empty memory in which the frozen talk is played first, and examined by its own cases.
    """

    model_config = ConfigDict(frozen=True)

    orders: Orders
    allowance_usd: float | None
    is_frozen: bool = False

    def write(self, scratch: Path) -> None:
        (scratch / ORDERS_FILE).write_text(self.model_dump_json(), encoding="utf-8")

    @classmethod
    def read(cls, scratch: Path) -> Self:
        """Raises: OSError, ValueError."""
        return cls.model_validate_json((scratch / ORDERS_FILE).read_text(encoding="utf-8"))


class Said(BaseModel):
    """One line of the process that examines, exactly one of three: how far it is, the end, why there is none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    progress: tuple[int, int] | None = None
    run: Run | None = None
    failed: str | None = Field(default=None, pattern=r"^[A-Za-z]{1,64}$")

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(one is not None for one in (self.progress, self.run, self.failed)) != 1:
            raise ValueError("a line says one thing")
        return self

    def line(self) -> str:
        return f"{self.model_dump_json(exclude_unset=True)}\n"
