"""When to ask again, and after how long: a pure function over the failures so far.

Overload and broken connections get three short waits. A limit gets the delay the server asks for, up to a minute;
without one, waits that a minute's window needs. A garbled answer, a signature or a file the server did not accept
get one more try at once (the request is repaired in between). Everything else is final.
"""

from collections.abc import Sequence

from bot.models.failures import LONGEST_WAIT_S, Failure

_SHORT_WAITS_S = (1.0, 2.0, 4.0)
_LIMIT_WAITS_S = (15.0, 30.0)
_OBEYED_DELAYS = 3


def wait_before_retry(failures: Sequence[Failure], remaining_s: float) -> float | None:
    """Return the seconds to wait before the next attempt, or None to give up.

    `failures` are the attempts at one model, the newest last; `remaining_s` is what is left of the deadline.
    """
    last = failures[-1]
    earlier = [failure for failure in failures[:-1] if failure.kind == last.kind]
    wait_s = _wait(last, len(earlier))
    if wait_s is None or wait_s > LONGEST_WAIT_S or wait_s >= remaining_s:
        return None
    return wait_s


def _wait(last: Failure, times: int) -> float | None:
    match last.kind:
        case "overloaded" | "unreachable" | "limited" if last.wait_s is not None:
            return last.wait_s if times < _OBEYED_DELAYS else None
        case "overloaded" | "unreachable":
            return _SHORT_WAITS_S[times] if times < len(_SHORT_WAITS_S) else None
        case "limited":
            return _LIMIT_WAITS_S[times] if times < len(_LIMIT_WAITS_S) else None
        case "disputed":
            return last.wait_s if times == 0 else None
        case "garbled" | "unsigned" | "no_file":
            return 0.0 if times == 0 else None
        case _:
            return None
