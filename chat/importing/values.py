"""Plain values out of JSON of which nothing can be relied upon."""

import hashlib
import json

LONGEST_ID = 200


def plain_text(value: object) -> str:
    """Return a string or whole number as text, and nothing for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return str(value)


def plain_id(key: str) -> str:
    """Return the key, or a digest of it when it is empty, overlong or not printable."""
    plain = 0 < len(key) <= LONGEST_ID and key.isprintable()
    return key if plain else f"hashed-{digest(key)}"


def digest(text: str) -> str:
    """Return 32 hex digits that stand for the text, which may hold lone surrogates."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def as_json(value: object) -> str:
    """Return the value as compact JSON, in letters rather than escapes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def label(kind: str, name: object) -> str:
    """Return what stands for a file in a text, such as `[image: a.jpg]`."""
    words = " ".join(name.split()) if isinstance(name, str) else ""
    return f"[{kind}: {words}]" if words else f"[{kind}]"


def fields(value: object) -> dict[str, object]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    """Return the value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def objects(value: object) -> list[dict[str, object]]:
    """Return the objects in the value if it is a list; whatever else it holds is left out."""
    return [item for item in items(value) if isinstance(item, dict)]
