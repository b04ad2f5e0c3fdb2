"""Reads plain values out of JSON that may hold anything."""

import hashlib
import json
import math
import re
from datetime import UTC, datetime

LONGEST_ID = 200


def plain_text(value: object) -> str:
    """A string or whole number as text; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return str(value)


def plain_id(key: str) -> str:
    """The key, or a digest of it if it is empty, too long or not printable."""
    plain = 0 < len(key) <= LONGEST_ID and key.isprintable()
    return key if plain else f"hashed-{digest(key)}"


def digest(text: str) -> str:
    """A digest of 32 hex digits; the text may hold lone surrogates."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def as_json(value: object) -> str:
    """The value as compact JSON without escaping non-ASCII letters."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def label(kind: str, name: object) -> str:
    """The label of a file in a text, such as `[image: a.jpg]`."""
    words = " ".join(name.split()) if isinstance(name, str) else ""
    return f"[{kind}: {words}]" if words else f"[{kind}]"


def fields(value: object) -> dict[str, object]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def objects(value: object) -> list[dict[str, object]]:
    """The objects in a list; empty for anything else."""
    return [item for item in items(value) if isinstance(item, dict)]


_NUMBER = re.compile(r"\s*\d{1,16}(\.\d*)?\s*")
_FIRST_MILLISECONDS = 100_000_000_000
_END = datetime(2200, 1, 1, tzinfo=UTC).timestamp()


def moment(value: object) -> datetime | None:
    """An aware UTC time from Unix seconds, milliseconds or ISO text, else None."""
    if isinstance(value, str):
        return _from_number(float(value)) if _NUMBER.fullmatch(value) else _from_text(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    return None


def _from_number(seconds: float) -> datetime | None:
    if not math.isfinite(seconds):
        return None
    if seconds >= _FIRST_MILLISECONDS:
        seconds /= 1000
    return datetime.fromtimestamp(seconds, tz=UTC) if 0 < seconds < _END else None


def _from_text(value: str) -> datetime | None:
    try:
        parsed = datetime.fromisoformat(value.strip())
        aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        return aware.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
