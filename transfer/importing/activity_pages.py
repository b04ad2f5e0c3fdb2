"""Reads the web page that Takeout makes of "My Activity", one entry at a time.

Every entry becomes an object like those in the JSON that Takeout makes of the same activity.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from html import unescape

from transfer.importing.archives import FileRefused, Limits, Part
from transfer.importing.entries import FILE_TRUNCATED, NOT_UNICODE, Value, entry_location, too_large
from transfer.importing.threads import Raw, label

_MARKUP = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*+)([^<>]*+)>|<[!?][^<>]*+>")
_ATTRIBUTE = re.compile(r"""\b(href|src|alt)=(?:"([^"]*)"|'([^']*)')""")
_SPACE = re.compile(r"\s+")
_GAPS = re.compile(r"\n{3,}")

_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`"}
_BLOCKS = {"p", "div", "ul", "ol", "table", "blockquote", "section", "article", "pre"}
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_INDENT = "\x00"  # survives the removal of spaces around line breaks
_MAX_INDENT = 8
_SKIPPED_TAGS = {"script", "style", "head", "title"}


def text_of(markup: str) -> str:
    """The text of HTML, with Markdown for headings, emphasis, lists, tables, links and code."""
    reader = _Reader()
    position = 0
    for found in _MARKUP.finditer(markup):
        reader.add_text(markup[position : found.start()])
        if found[2]:
            reader.tag(found[2].lower(), found[3] or "", closes=bool(found[1]))
        position = found.end()
    reader.add_text(markup[position:])
    return reader.text()


@dataclass(slots=True)
class _Reader:
    """The text so far. `_lists` has the number of the next item of each open list, 0 for bullets."""

    _pieces: list[str] = field(default_factory=list)
    _blocks: list[str] = field(default_factory=list)
    _lists: list[int] = field(default_factory=list)
    _links: list[str] = field(default_factory=list)
    _is_code: bool = False
    _skipped_tag: str = ""

    def add_text(self, words: str) -> None:
        """Add text between tags; outside of code, its white space counts as one space."""
        if not words or self._skipped_tag:
            return
        plain = html.unescape(words).replace("\xa0", " ")
        self._pieces.append(plain if self._is_code else _SPACE.sub(" ", plain))

    def tag(self, name: str, attributes: str, *, closes: bool) -> None:
        """Add what a tag stands for."""
        if self._skipped_tag:
            self._skipped_tag = "" if closes and name == self._skipped_tag else self._skipped_tag
        elif name in _SKIPPED_TAGS:
            self._skipped_tag = "" if closes else name
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
        return "\n\n".join(filter(None, self._blocks))

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
        """Finish the current block: only code keeps its spaces."""
        said = "".join(self._pieces)
        self._pieces.clear()
        if self._is_code:
            self._blocks.append(f"```\n{said.strip(chr(10))}\n```")
        else:
            lines = "\n".join(line.strip(" ") for line in said.split("\n"))
            self._blocks.append(_GAPS.sub("\n\n", lines).strip().replace(_INDENT, "  "))
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
            self._pieces.append(f"\n{_INDENT * min(len(self._lists) - 1, _MAX_INDENT)}{mark}")
            if number:
                self._lists[-1] += 1


def _values(attributes: str) -> dict[str, str]:
    return {name: html.unescape(one or other) for name, one, other in _ATTRIBUTE.findall(attributes)}


_ENTRY = b'<div class="outer-cell'
_HEAD_BYTES = 4096
_HEADER = re.compile(r'class="header-cell[^<>]*>\s*<p[^<>]*>([^<]*)')
_CELL = '<div class="content-cell'
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
_CHAT = re.compile(r"https://gemini\.google\.com/app/[^\"'<>\s]+")
_FILE = re.compile(r'(?:href|src)="([^"<>:]{1,300})"')
_MAX_DATE_LENGTH = 80
_CLOCK = re.compile(r"(\d{1,2}):(\d{2}):(\d{2})")
_NUMBERS = re.compile(r"\d+")
_WORDS = re.compile(r"[^\W\d_]+\.?[^\W\d_]*\.?|[+-]\d{1,2}:?\d{0,2}")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MORNING = {"am", "a.m.", "오전", "上午", "午前"}
_AFTERNOON = {"pm", "p.m.", "오후", "下午", "午後"}
_OFFSET = re.compile(r"([+-])(\d{1,2}):?(\d{2})?")
_ZONES = {
    "utc": 0, "gmt": 0, "z": 0, "wet": 0, "west": 1, "bst": 1,
    "cet": 1, "mez": 1, "seč": 1, "cest": 2, "mesz": 2, "selč": 2, "eet": 2, "sast": 2, "eest": 3, "msk": 3,
    "gst": 4, "pkt": 5, "ist": 5.5, "wib": 7, "ict": 7, "hkt": 8, "sgt": 8, "awst": 8,
    "jst": 9, "kst": 9, "acst": 9.5, "aest": 10, "acdt": 10.5, "aedt": 11, "nzst": 12, "nzdt": 13,
    "brt": -3, "art": -3, "adt": -3, "nst": -3.5, "ast": -4, "edt": -4, "est": -5, "cdt": -5, "cst": -6,
    "mdt": -6, "mst": -7, "pdt": -7, "pst": -8, "akdt": -8, "akst": -9, "hst": -10,
}  # fmt: skip


def is_page(part: Part) -> bool:
    """Whether a file is a web page."""
    head = next(part.chunks(), b"")
    return head.lstrip().startswith(b"<")


def entries_in(part: Part, limits: Limits) -> Iterator[Value]:
    """Each entry of the page. Raises FileRefused if the page is cut off."""
    for number, data in enumerate(_split(part, limits), start=1):
        where = entry_location(part, number)
        if len(data) > limits.entry_bytes:
            yield Value(where, problem=too_large(limits.entry_bytes))
            continue
        try:
            yield Value(where, _entry(data.decode()))
        except UnicodeDecodeError:
            yield Value(where, problem=NOT_UNICODE)


def _split(part: Part, limits: Limits) -> Iterator[bytes]:
    """The bytes of each entry; of one that is too large only a little more than allowed."""
    rest, is_first = bytearray(), True
    for chunk in part.chunks():
        start = max(1, len(rest) - len(_ENTRY))
        rest += chunk
        while (end := rest.find(_ENTRY, start)) > 0:
            if not is_first:
                yield bytes(rest[:end])
            del rest[:end]
            start, is_first = 1, False
        if is_first or len(rest) > limits.entry_bytes + 2 * len(chunk):
            del rest[limits.entry_bytes + 1 if not is_first else 0 : -len(_ENTRY)]
    if rest.startswith(_ENTRY):
        if b"</body>" not in rest[-_HEAD_BYTES:]:
            raise FileRefused(FILE_TRUNCATED)
        yield bytes(rest)


def _entry(text: str) -> Raw:
    """The prompt is above the line with the time, the answer below it."""
    header = _HEADER.search(text)
    cells = text.split(_CELL)
    said = [cell.partition(">")[2].rstrip().removesuffix("</div>") for cell in cells[1:2]]
    lines = _BREAK.split(said[0]) if said else []
    at, time = _find_time(lines)
    files = [name for cell in cells[2:] for name in _FILE.findall(cell)]
    return Raw(
        {
            "header": unescape(header[1]).strip() if header else "",
            "title": "\n".join(map(text_of, lines[:at])),
            "time": time.isoformat() if time else "",
            "safeHtmlItem": [Raw(html="<br>".join(lines[at + 1 :]))],
            "details": [Raw(url=url) for cell in cells[2:] for url in _CHAT.findall(cell)],
            "attachedFiles": [unescape(name) for name in files],
        }
    )


def _find_time(lines: list[str]) -> tuple[int, datetime | None]:
    """The index of the line with the time, and the time; without one, all lines are the prompt."""
    for at, line in enumerate(lines):
        if len(line) <= _MAX_DATE_LENGTH and (time := parse_time(" ".join(unescape(line).split()))):
            return at, time
    return len(lines), None


def parse_time(line: str) -> datetime | None:
    """The time in a line such as "Mar 3, 2026, 6:25:05 AM PDT" or "12. 1. 2026 19:01:56 SEČ"; in an unknown
    zone it is taken for UTC.

    None if the line holds anything else, or names the month in another language.
    """
    clock = _CLOCK.search(line)
    if not clock:
        return None
    words = [word.casefold() for word in _WORDS.findall(line[: clock.start()] + " " + line[clock.end() :])]
    day = _day(line[: clock.start()], words)
    marks = [word for word in words if word[:3] not in _MONTHS]
    zones = [word for word in marks if word not in _MORNING | _AFTERNOON]
    if day is None or len(zones) > 2:
        return None
    try:
        naive = datetime(*day, _hour(int(clock[1]), marks), int(clock[2]), int(clock[3]))  # noqa: DTZ001
        return naive.replace(tzinfo=timezone(timedelta(hours=_offset(zones))))
    except ValueError:
        return None


def _day(text: str, words: list[str]) -> tuple[int, int, int] | None:
    """Year, month and day; numbers alone are in the order of year or day first."""
    numbers = [int(number) for number in _NUMBERS.findall(text)]
    named = [_MONTHS.index(word[:3]) + 1 for word in words if word[:3] in _MONTHS]
    if named and len(numbers) == 2:
        year, day = max(numbers), min(numbers)
        return year, named[0], day
    if named or len(numbers) != 3:
        return None
    first, month, last = numbers
    return (first, month, last) if first > 31 else (last, month, first)


def _hour(hour: int, marks: list[str]) -> int:
    if _AFTERNOON.intersection(marks):
        return hour % 12 + 12
    return hour % 12 if _MORNING.intersection(marks) else hour


def _offset(zones: list[str]) -> float:
    """Hours ahead of UTC; none if the zone is unknown."""
    for zone in reversed(zones):
        if offset := _OFFSET.fullmatch(zone):
            return float(offset[1] + "1") * (int(offset[2]) + int(offset[3] or 0) / 60)
    return next((float(_ZONES[zone]) for zone in zones if zone in _ZONES), 0.0)
