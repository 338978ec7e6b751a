"""Reduction: a JSON schema that another program wrote, as the narrower one that every model's provider takes; and
whether arguments fit it.

What comes out allows nothing that the program itself does not declare, except where a rule cannot be told at all (a
pattern, a kind of text): that one the program checks itself. Pure.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memory.store.redaction import strip_hidden

MAX_DEPTH = 8
MAX_PARTS = 500
MAX_SCHEMA_CHARS = 6_000
MAX_DESCRIPTION_CHARS = 300
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}
_PROPERTY = re.compile(r"[A-Za-z0-9_.$@-]{1,64}")
_COUNTS = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems")}


class Irreducible(ValueError):
    """The schema cannot be told to a model; the message says where and why."""


def reduced(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a model is shown for the arguments of a call.

    An argument that may be left out, and that cannot be told, is left out. Raises: Irreducible.
    """
    found = _Reading(schema).node(schema)
    if found.get("type") != "object":
        raise Irreducible("the arguments are no object")
    if len(str(found)) > MAX_SCHEMA_CHARS:
        raise Irreducible("the declaration is too long")
    return found


def short(text: object, most: int) -> str:
    """Return a text of another program in one line, without hidden signs, not longer than that."""
    line = " ".join(strip_hidden(text).split()) if isinstance(text, str) else ""
    return line if len(line) <= most else f"{line[: most - 1]}…"


@dataclass(frozen=True)
class _Reading:
    """Where in a schema the reading is: the whole, for references, those that were followed, how deep, and what is left
    of the parts that are read at all (a few references can make millions).
    """

    root: Mapping[str, Any]
    followed: tuple[str, ...] = ()
    depth: int = 0
    left: Iterator[int] = field(default_factory=lambda: iter(range(MAX_PARTS)))

    def node(self, given: object) -> dict[str, Any]:
        if not isinstance(given, Mapping) or not given:
            raise Irreducible("may be anything")
        if self.depth > MAX_DEPTH or next(self.left, None) is None:
            raise Irreducible("is too large")
        if "$ref" in given:
            return self._referred(given)
        if "allOf" in given:
            return self._below().node(_merged(given))
        for union in ("anyOf", "oneOf"):
            if union in given:
                return _described(self._union(given[union]), given)
        kinds = given.get("type")
        if isinstance(kinds, list):
            return self.node({**_without(given, "type"), "anyOf": [{**given, "type": kind} for kind in kinds]})
        if "const" in given:
            given = {**_without(given, "const"), "enum": [given["const"]]}
        return _described(self._one(given), given)

    def _below(self) -> "_Reading":
        return replace(self, depth=self.depth + 1)

    def _referred(self, given: Mapping[str, Any]) -> dict[str, Any]:
        ref = given["$ref"]
        if ref in self.followed:
            raise Irreducible("is defined by itself")
        found: Any = self.root
        for step in str(ref).removeprefix("#/").split("/"):
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
        if not str(ref).startswith("#/") or not isinstance(found, Mapping):
            raise Irreducible("refers to what is not there")
        there = replace(self, followed=(*self.followed, str(ref)), depth=self.depth + 1)
        return there.node({**found, **_without(given, "$ref")})

    def _union(self, variants: object) -> dict[str, Any]:
        """Return the variants that can be told; null among them makes the whole nullable."""
        listed = variants if isinstance(variants, list) else []
        told = []
        for one in listed:
            if one in ({"type": "null"}, {"const": None}, {"enum": [None]}):
                continue
            try:
                told.append(self._below().node(one))
            except Irreducible:
                if len(listed) == 1:
                    raise
        if not told:
            raise Irreducible("none of its forms can be told")
        is_nullable = any(isinstance(one, Mapping) and one.get("type") == "null" for one in listed)
        union = told[0] if len(told) == 1 else {"anyOf": told}
        return {**union, "nullable": True} if is_nullable else union

    def _one(self, given: Mapping[str, Any]) -> dict[str, Any]:
        kind = given.get("type") or _kind_by_keywords(given)
        if "enum" in given:
            return _listed(kind, given["enum"])
        match kind:
            case "object":
                return self._object(given)
            case "array":
                if not isinstance(given.get("items"), Mapping):
                    raise Irreducible("holds items of which nothing is said")
                return {"type": "array", "items": self._below().node(given["items"]), **_counts(kind, given)}
            case "integer" | "number":
                return {"type": kind, **_bounds(kind, given)}
            case "string":
                is_time = given.get("format") == "date-time"
                return {"type": kind, **({"format": "date-time"} if is_time else {}), **_counts(kind, given)}
            case "boolean":
                return {"type": kind}
            case _:
                raise Irreducible("is of no known type")

    def _object(self, given: Mapping[str, Any]) -> dict[str, Any]:
        required = list(dict.fromkeys(_required(given)))
        properties = {}
        for name, child in _declared(given).items():
            try:
                if not _PROPERTY.fullmatch(name):
                    raise Irreducible("has a name that is not plain")
                properties[name] = self._below().node(child)
            except Irreducible as why:
                if name in required:
                    raise Irreducible(f"{name}: {why}") from why
        if missing := [name for name in required if name not in properties]:
            raise Irreducible(f"{missing[0]}: is required and not declared")
        if not properties and self.depth:
            raise Irreducible("has keys of which nothing is said")
        return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _without(given: Mapping[str, Any], keyword: str) -> dict[str, Any]:
    return {key: value for key, value in given.items() if key != keyword}


def _merged(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return `allOf` as one schema: a single part, or objects whose keys do not say different things."""
    rest, parts = _without(given, "allOf"), given["allOf"]
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
        raise Irreducible("joins what cannot be joined")
    if len(parts) == 1 and "properties" not in rest:
        return {**parts[0], **rest}
    properties: dict[str, Any] = {}
    for part in (rest, *parts):
        for name, child in _declared(part).items():
            if properties.setdefault(name, child) != child:
                raise Irreducible("joins what cannot be joined")
    if not properties or any("$ref" in part or "allOf" in part for part in parts):
        raise Irreducible("joins what cannot be joined")
    required = [name for part in (rest, *parts) for name in _required(part)]
    return {**rest, "type": "object", "properties": properties, "required": list(dict.fromkeys(required))}


def _declared(given: Mapping[str, Any]) -> Mapping[str, Any]:
    found = given.get("properties")
    return found if isinstance(found, Mapping) else {}


def _required(given: Mapping[str, Any]) -> list[str]:
    found = given.get("required")
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _kind_by_keywords(given: Mapping[str, Any]) -> str | None:
    if "properties" in given:
        return "object"
    if "items" in given:
        return "array"
    values = given.get("enum")
    first = next((value for value in values if value is not None), None) if isinstance(values, list) else None
    return next((kind for kind in _TYPES if first is not None and _is_of(first, kind)), None)


def _listed(kind: object, values: object) -> dict[str, Any]:
    """Return a choice among values. Only words can be listed; of numbers the description tells which."""
    listed = [value for value in values if value is not None] if isinstance(values, list) else []
    fitting = [value for value in listed if isinstance(kind, str) and kind in _TYPES and _is_of(value, kind)]
    nullable = {"nullable": True} if isinstance(values, list) and None in values else {}
    words = [value for value in fitting if isinstance(value, str) and value and value.isprintable()]
    if words:
        return {"type": "string", "enum": words, **nullable}
    if not fitting or kind not in {"integer", "number", "boolean"}:
        raise Irreducible("lists no value that can be told")
    choice = ", ".join(str(value).lower() for value in fitting)
    return {"type": kind, "description": short(f"one of: {choice}", MAX_DESCRIPTION_CHARS), **nullable}


def _counts(kind: str, given: Mapping[str, Any]) -> dict[str, int]:
    return {key: int(given[key]) for key in _COUNTS[kind] if _is_of(given.get(key), "integer") and given[key] >= 0}


def _bounds(kind: str, given: Mapping[str, Any]) -> dict[str, int | float]:
    """Return the limits of a number; of whole ones also those that exclude themselves."""
    step = 1 if kind == "integer" else 0
    found: dict[str, int | float] = {}
    for keyword, excluding, by in (("minimum", "exclusiveMinimum", step), ("maximum", "exclusiveMaximum", -step)):
        if _is_finite(given.get(keyword)):
            found[keyword] = given[keyword]
        elif _is_finite(given.get(excluding)):
            found[keyword] = given[excluding] + by
    return found


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _described(found: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Add what is said of a value, and the kind of text it is to be where that is no rule of ours."""
    kind = given.get("format")
    said = [given.get("description"), found.get("description")]
    said.append(f"({kind})" if isinstance(kind, str) and "format" not in found else None)
    text = short(" ".join(word for word in said if isinstance(word, str)), MAX_DESCRIPTION_CHARS)
    nullable = {"nullable": True} if given.get("nullable") is True else {}
    return {**found, **({"description": text} if text else {}), **nullable}


def _is_of(value: object, kind: str) -> bool:
    if isinstance(value, bool) or kind == "boolean":
        return isinstance(value, bool) and kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[kind])


# Arguments


def problems(value: object, schema: Mapping[str, Any], where: str = "") -> Iterator[str]:
    """Yield what is wrong with a value by a reduced schema, each with where it stands."""
    if value is None and schema.get("nullable"):
        return
    if "anyOf" in schema:
        if all(any(problems(value, one, where)) for one in schema["anyOf"]):
            yield f"{where}: has none of its forms"
        return
    kind = schema["type"]
    if not _is_of(value, kind):
        yield f"{where or 'the arguments'}: must be {'an' if kind[0] in 'aio' else 'a'} {kind}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: must be one of {', '.join(schema['enum'])}"
    if isinstance(value, dict):
        yield from _object_problems(value, schema, where)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from problems(item, schema["items"], f"{where}[{number}]")
    yield from _limit_problems(value, schema, where)


def _object_problems(value: Mapping[str, Any], schema: Mapping[str, Any], where: str) -> Iterator[str]:
    properties = schema.get("properties", {})
    prefix = f"{where}." if where else ""
    yield from (f"{prefix}{name}: is missing" for name in schema.get("required", ()) if name not in value)
    for name, item in value.items():
        if name in properties:
            yield from problems(item, properties[name], f"{prefix}{name}")
        else:
            yield f"{prefix}{short(name, 40)}: there is no such argument"


def _limit_problems(value: object, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    sizes: Sequence[tuple[str, str]] = [("minLength", "maxLength"), ("minItems", "maxItems"), ("minimum", "maximum")]
    size = len(value) if isinstance(value, str | list) else value
    if not isinstance(size, int | float):
        return
    for least, most in sizes:
        if least in schema and size < schema[least]:
            yield f"{where}: is under {schema[least]} ({least})"
        if most in schema and size > schema[most]:
            yield f"{where}: is over {schema[most]} ({most})"
