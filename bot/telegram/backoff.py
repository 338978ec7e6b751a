"""Backoff: how long to wait before the next try, longer after each failure."""


class Backoff:
    """Waits that double from `first_s` up to `most_s` until something succeeds."""

    def __init__(self, first_s: float, most_s: float) -> None:
        self._first_s = first_s
        self._most_s = most_s
        self._next_s = first_s

    def next_s(self) -> float:
        """Return the seconds to wait after one more failure."""
        wait_s = self._next_s
        self._next_s = min(self._next_s * 2, self._most_s)
        return wait_s

    def reset(self) -> None:
        """Note a success."""
        self._next_s = self._first_s
