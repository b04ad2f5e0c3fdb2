"""Puts words into Markdown without letting them become markup.

What was said stands verbatim in a fenced block, which no reader turns into links, pictures or
script; names in headings are escaped.
"""

import re

_RUN_OF_TICKS = re.compile(r"`{3,}")
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~>])")


def fenced(text: str) -> str:
    """`text` as a block that shows exactly its characters."""
    longest = max((len(run) for run in _RUN_OF_TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{text}\n{fence}\n"


def plain(text: str) -> str:
    """A name or a short sentence on one line, with everything escaped that Markdown or HTML reads
    as more than letters."""
    line = " ".join(text.split())
    line = line.replace("&", "&amp;").replace("<", "&lt;")
    return _MARKUP.sub(r"\\\1", line)
