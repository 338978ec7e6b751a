"""Results of tools that are too long to be shown whole: stored by hash, shown as head, tail and how to read the rest.

Pure. Whoever shortens a result stores its bytes first.
"""

import json

from memory.messages import ResultPart


def whole_result(result: ResultPart) -> bytes:
    """Return a result as the bytes it is stored in."""
    return json.dumps(result.response, ensure_ascii=False).encode()


def shortened(result: ResultPart, whole: bytes, sha256: str, *, shown_chars: int) -> ResultPart:
    """Return the result as `shown_chars` characters of the beginning and of the end of what was stored whole."""
    text = whole.decode()
    shown = {
        "head": text[:shown_chars],
        "tail": text[-shown_chars:],
        "left_out_chars": len(text) - 2 * shown_chars,
        "sha256": sha256,
        "note": f"too long to show whole; it is stored: recall(hash='{sha256[:12]}') reads it page by page",
    }
    return result.model_copy(update={"response": shown, "whole": sha256})
