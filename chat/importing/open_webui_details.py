"""What Open WebUI folds into the text of a reply: thoughts, calls of tools, code that was run."""

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from chat.importing.threads import Piece

_OPENING = re.compile(r'<details\s+type="(reasoning|tool_calls|code_interpreter)"([^>]*)>')
_CLOSING = "</details>"
_ATTRIBUTE = re.compile(r'([a-z_]+)="([^"]*)"')
_SUMMARY = re.compile(r"\s*<summary>[^<]*</summary>\n?")
_QUOTED = re.compile(r"^> ?", re.MULTILINE)


def told(text: str, speaker: Piece) -> Iterator[Piece]:
    """Yield the text in pieces that are like `speaker`, and what is folded into it in between.

    A fold that is never closed is text.
    """
    position = 0
    for opening in _OPENING.finditer(text):
        if opening.start() < position:
            continue
        closing = text.find(_CLOSING, opening.end())
        if closing < 0:
            break
        yield replace(speaker, content=text[position : opening.start()].strip())
        attributes = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(opening[2])}
        yield from _folded(opening[1], attributes, text[opening.end() : closing], speaker)
        position = closing + len(_CLOSING)
    yield replace(speaker, content=text[position:].strip() if position else text)


def _folded(kind: str, attributes: Mapping[str, str], body: str, speaker: Piece) -> Iterator[Piece]:
    inner = html.unescape(_SUMMARY.sub("", body, count=1)).strip()
    if kind == "reasoning":
        yield replace(
            speaker, role="system", tool_name=kind, content=_QUOTED.sub("", inner), model=""
        )
        return
    call = attributes.get("id", "")
    name = attributes.get("name") or kind
    given = _plain(attributes.get("arguments", "")) or inner
    yield replace(
        speaker, role="assistant", content="", tool_name=name, tool_arguments=given, call_id=call
    )
    result = _plain(attributes.get("result") or attributes.get("output", ""))
    yield replace(speaker, role="tool", tool_name=name, content=result, call_id=call, model="")


def _plain(value: str) -> str:
    """The text in a value that may be JSON of a text, once or twice."""
    for _ in range(2):
        if not value.startswith('"'):
            break
        try:
            decoded = json.loads(value)
        except ValueError:
            break
        if not isinstance(decoded, str):
            break
        value = decoded
    return value
