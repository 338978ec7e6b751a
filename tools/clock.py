"""The clock tool: the date, weekday and time now, in the space's zone or another one."""

from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from pydantic import Field

from memory.catalogue import N_
from tools.tool import Arguments, Context, Effect, Tool, ToolError


class ClockArguments(Arguments):
    zone: str = Field(default="", description="IANA time zone such as Europe/Berlin; empty for the member's own")


class ClockTool(Tool):
    name: ClassVar[str] = "clock"
    description: ClassVar[str] = "The current date, weekday and time."
    help_line: ClassVar[str] = N_("tell the time here or in another time zone")
    arguments: ClassVar[type[Arguments]] = ClockArguments
    effect: ClassVar[Effect] = "none"
    is_reference: ClassVar[bool] = True

    async def run(self, arguments: ClockArguments, context: Context) -> dict[str, Any]:
        zone = _zone(arguments.zone) if arguments.zone else context.space.zone
        now = context.space.clock.now().astimezone(zone)
        return {"now": now.isoformat(timespec="minutes"), "weekday": f"{now:%A}", "zone": zone.key}


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ToolError(f"there is no time zone {name!r}; use an IANA name such as Europe/Berlin") from error
