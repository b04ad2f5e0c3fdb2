"""Turns the HTML of an answer into text with the Markdown it was rendered from, in linear time."""

import html
import re
from dataclasses import dataclass, field

from transfer.importing.values import label

_MARKUP = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)([^<>]*)>|<[!?][^<>]*>")
_ATTRIBUTE = re.compile(r"""\b(href|src|alt)=(?:"([^"]*)"|'([^']*)')""")
_SPACE = re.compile(r"\s+")
_GAPS = re.compile(r"\n{3,}")

_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`"}
_BLOCKS = {"p", "div", "ul", "ol", "table", "blockquote", "section", "article", "pre"}
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_INDENT = "\x00"  # survives the removal of spaces around line breaks
_DEEPEST = 8
_UNSEEN = {"script", "style", "head", "title"}


def text_of(markup: str) -> str:
    """The text of HTML, with Markdown for headings, emphasis, lists, tables, links and code."""
    reader = _Reader()
    position = 0
    for found in _MARKUP.finditer(markup):
        reader.say(markup[position : found.start()])
        if found[2]:
            reader.tag(found[2].lower(), found[3] or "", closes=bool(found[1]))
        position = found.end()
    reader.say(markup[position:])
    return reader.text()


@dataclass(slots=True)
class _Reader:
    """The text so far. `_lists` has the number of the next item of each open list, 0 for bullets."""

    _pieces: list[str] = field(default_factory=list)
    _kept: list[str] = field(default_factory=list)
    _lists: list[int] = field(default_factory=list)
    _links: list[str] = field(default_factory=list)
    _is_code: bool = False
    _unseen: str = ""

    def say(self, words: str) -> None:
        """Add text between tags; outside of code, its white space counts as one space."""
        if not words or self._unseen:
            return
        plain = html.unescape(words).replace("\xa0", " ")
        self._pieces.append(plain if self._is_code else _SPACE.sub(" ", plain))

    def tag(self, name: str, attributes: str, *, closes: bool) -> None:
        """Add what a tag stands for."""
        if self._unseen:
            self._unseen = "" if closes and name == self._unseen else self._unseen
        elif name in _UNSEEN:
            self._unseen = "" if closes else name
        elif name == "pre":
            self._code(closes)
        elif name in _MARKS:
            self._pieces.append("" if self._is_code else _MARKS[name])
        elif name == "a":
            self._link(attributes, closes)
        elif name in ("ul", "ol", "li"):
            self._list(name, closes)
        else:
            self._plain(name, attributes, closes)

    def text(self) -> str:
        """All of it, without trailing spaces and needless empty lines."""
        self._code(closes=True)
        return "\n\n".join(filter(None, self._kept))

    def _plain(self, name: str, attributes: str, closes: bool) -> None:
        if name in _BLOCKS:
            self._pieces.append("\n\n" if not self._lists else "\n")
        elif name in _HEADINGS:
            self._pieces.append("\n\n" if closes else f"\n\n{_HEADINGS[name]} ")
        elif name in ("td", "th"):
            self._pieces.append(" | " if closes else "")
        elif name in ("br", "tr"):
            self._pieces.append("" if closes else "\n")
        elif name == "hr":
            self._pieces.append("\n\n---\n\n")
        elif name == "img":
            self._pieces.append(label("image", _values(attributes).get("alt")))

    def _code(self, closes: bool) -> None:
        """Keep what stands before and in a block of code apart, since only code keeps its spaces."""
        said = "".join(self._pieces)
        self._pieces.clear()
        if self._is_code:
            self._kept.append(f"```\n{said.strip(chr(10))}\n```")
        else:
            lines = "\n".join(line.strip(" ") for line in said.split("\n"))
            self._kept.append(_GAPS.sub("\n\n", lines).strip().replace(_INDENT, "  "))
        self._is_code = not closes

    def _link(self, attributes: str, closes: bool) -> None:
        if not closes:
            self._links.append(_values(attributes).get("href", ""))
            self._pieces.append("[" if self._links[-1] else "")
        elif self._links:
            target = self._links.pop()
            self._pieces.append(f"]({target})" if target else "")

    def _list(self, name: str, closes: bool) -> None:
        if name != "li":
            if not closes:
                self._lists.append(int(name == "ol"))
            elif self._lists:
                self._lists.pop()
            inner = len(self._lists) > (0 if closes else 1)
            self._pieces.append("" if inner else "\n\n")
        elif not closes:
            number = self._lists[-1] if self._lists else 0
            mark = f"{number}. " if number else "- "
            self._pieces.append(f"\n{_INDENT * min(len(self._lists) - 1, _DEEPEST)}{mark}")
            if number:
                self._lists[-1] += 1


def _values(attributes: str) -> dict[str, str]:
    return {name: html.unescape(one or other) for name, one, other in _ATTRIBUTE.findall(attributes)}
