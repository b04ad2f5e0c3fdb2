"""Read tables of cases from files beside the tests. A file without cases is an error, not a passing test."""

import codecs
import json
import re
from pathlib import Path
from typing import Any

ESCAPE = re.compile(r"\\(?:n|u[0-9a-f]{4}|U[0-9a-f]{8})")


def cases(test_module: str, name: str) -> dict[str, list[str]]:
    """The lines of a text file beside a test module, grouped by the headings (`# …`) above them.

    The first line says what the file is about. Line breaks and invisible characters are written as escapes,
    such as `\\n`. Raises ValueError for a heading without lines.
    """
    found: dict[str, list[str]] = {}
    for line in Path(test_module).with_name(name).read_text(encoding="utf-8").splitlines()[1:]:
        if line.startswith("# "):
            lines = found.setdefault(line.removeprefix("# "), [])
        elif line:
            lines.append(ESCAPE.sub(lambda escape: codecs.decode(escape[0], "unicode_escape"), line))
    if not found or not all(found.values()):
        raise ValueError("no cases", name, [heading for heading, lines in found.items() if not lines])
    return found


def json_cases(test_module: str, name: str) -> list[Any]:
    """The values of a JSON Lines file beside a test module. Raises ValueError if there is none."""
    lines = Path(test_module).with_name(name).read_text(encoding="utf-8").splitlines()
    if not lines:
        raise ValueError("no cases", name)
    return [json.loads(line) for line in lines]
