"""What Gemini says to a request for vectors: the rules it refuses by, and vectors in which near texts are near.

A text's vector is the sum of random directions of its words, so texts that share words have a high cosine. The same
text gives the same vector in every process.
"""

import hashlib
import math
import random
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tests.fakes.gemini_rules import Broken, camel, get

MOST_TEXTS = 100
LARGEST = 3072
EMBEDDING_METHODS = {"embedContent", "batchEmbedContents"}
_FIELDS = {"model", "content", "taskType", "title", "outputDimensionality"}
_TASKS = {
    "TASK_TYPE_UNSPECIFIED", "RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT", "SEMANTIC_SIMILARITY", "CLASSIFICATION",
    "CLUSTERING", "QUESTION_ANSWERING", "FACT_VERIFICATION", "CODE_RETRIEVAL_QUERY",
}  # fmt: skip


def answer_vectors(body: Mapping[str, Any], *, method: str, model: str) -> dict[str, Any]:
    """Return the answer to a request, or refuse it.

    Raises: Broken.
    """
    if method == "embedContent":
        return {"embedding": _embedding({"model": f"models/{model}", **body}, model)}
    requests = body.get("requests")
    if not isinstance(requests, list) or not requests or set(body) != {"requests"}:
        raise Broken("BatchEmbedContentsRequest.requests: is not a list of requests")
    if len(requests) > MOST_TEXTS:
        raise Broken(f"BatchEmbedContentsRequest.requests: at most {MOST_TEXTS} requests can be in one batch")
    return {"embeddings": [_embedding(request, model) for request in requests]}


def texts_of(body: Mapping[str, Any]) -> list[str]:
    """Return the words of each text in a request."""
    requests = body.get("requests", [body])
    return ["".join(part["text"] for part in request["content"]["parts"]) for request in requests]


def vector_of(text: str, size: int) -> list[float]:
    """Return the vector of a text, of length one."""
    words = re.findall(r"\w+", text.casefold()) or [text]
    numbers = [sum(column) for column in zip(*(_direction(word, size) for word in words), strict=True)]
    length = math.hypot(*numbers)
    return [number / length for number in numbers]


@lru_cache(maxsize=4096)
def _direction(word: str, size: int) -> tuple[float, ...]:
    dice = random.Random(hashlib.sha256(word.encode()).digest())
    return tuple(dice.gauss(0.0, 1.0) for _ in range(size))


def _embedding(request: Mapping[str, Any], model: str) -> dict[str, Any]:
    for key in request:
        if camel(key) not in _FIELDS:
            raise Broken(f'Invalid JSON payload received. Unknown name "{key}": Cannot find field.')
    if request.get("model") != f"models/{model}":
        raise Broken("the model of a request must be that of the batch")
    parts = (request.get("content") or {}).get("parts") or []
    if not parts or not all(isinstance(part.get("text"), str) for part in parts):
        raise Broken("EmbedContentRequest.content: contains no text")
    text = texts_of(request)[0]
    if not text:
        raise Broken("EmbedContentRequest.content contains an empty Part.")
    if get(request, "taskType") not in {None, *_TASKS}:
        raise Broken("Invalid value at 'task_type'")
    size = get(request, "outputDimensionality")
    size = LARGEST if size is None else size
    if not isinstance(size, int) or not 1 <= size <= LARGEST:
        raise Broken(f"output_dimensionality must be from 1 to {LARGEST}")
    return {"values": vector_of(text, size)}
