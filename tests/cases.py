"""Read tables of cases from text files beside the tests."""

import codecs
import re
from pathlib import Path

ESCAPE = re.compile(r"\\(?:n|u[0-9a-f]{4}|U[0-9a-f]{8})")


def cases(test_module: str, name: str) -> dict[str, list[str]]:
    """The lines of a text file beside a test module, by the heading above them, which starts with `# `.
    Line breaks and invisible characters are written as escapes, such as `\\n`."""
    found: dict[str, list[str]] = {}
    for line in Path(test_module).with_name(name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            lines = found.setdefault(line.removeprefix("# "), [])
        elif line:
            lines.append(ESCAPE.sub(lambda escape: codecs.decode(escape[0], "unicode_escape"), line))
    return {heading: lines for heading, lines in found.items() if lines}
