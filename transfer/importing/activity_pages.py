"""Reads the web page that Takeout makes of "My Activity", one entry at a time.

Every entry becomes an object like those in the JSON that Takeout makes of the same activity.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from html import unescape

from django.utils.translation import gettext_noop
from html_to_markdown import ConversionOptions, convert

from transfer.importing.archives import ImportUnreadable, Limits, Part
from transfer.importing.entries import FILE_TRUNCATED, Value, entry_location, too_large
from transfer.importing.threads import Raw

_MARKDOWN = ConversionOptions(autolinks=False, extract_metadata=False, bullets="-", max_depth=200)


def text_of(markup: str) -> str:
    """The text of HTML as Markdown; what is nested too deeply is left out."""
    return (convert(markup, _MARKDOWN).content or "").strip()


UNKNOWN_ZONE = gettext_noop("A time has an unknown time zone; it was read as UTC.")

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
    """Each entry of the page. Raises ImportUnreadable if the page is cut off."""
    for number, data in enumerate(_split(part, limits), start=1):
        where = entry_location(part, number)
        if len(data) > limits.entry_bytes:
            yield Value(where, problem=too_large(limits.entry_bytes))
            continue
        entry, repairs = _entry(data.decode("utf-8", "replace"))
        yield Value(where, entry, repairs)


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
            raise ImportUnreadable(FILE_TRUNCATED)
        yield bytes(rest)


def _entry(text: str) -> tuple[Raw, tuple[str, ...]]:
    """The prompt is above the line with the time, the answer below it."""
    header = _HEADER.search(text)
    cells = text.split(_CELL)
    lines = _BREAK.split(_inside(cells[1])) if len(cells) > 1 else []
    at, time, repairs = _find_time(lines)
    files = [name for cell in cells[2:] for name in _FILE.findall(cell)]
    entry = Raw(
        {
            "header": unescape(header[1]).strip() if header else "",
            "title": "\n".join(map(text_of, lines[:at])),
            "time": time.isoformat() if time else "",
            "safeHtmlItem": [Raw(html="<br>".join(lines[at + 1 :]))],
            "details": [Raw(url=url) for cell in cells[2:] for url in _CHAT.findall(cell)],
            "attachedFiles": [unescape(name) for name in files],
        }
    )
    return entry, repairs


def _inside(cell: str) -> str:
    """The content of a cell, without its own tag."""
    return cell.partition(">")[2].rstrip().removesuffix("</div>")


def _find_time(lines: list[str]) -> tuple[int, datetime | None, tuple[str, ...]]:
    """The index of the line with the time, and the time; without one, all lines are the prompt."""
    for at, line in enumerate(lines):
        if len(line) <= _MAX_DATE_LENGTH and _CLOCK.search(line):
            time, repairs = parse_time(" ".join(unescape(line).split()))
            if time:
                return at, time, repairs
    return len(lines), None, ()


def parse_time(line: str) -> tuple[datetime | None, tuple[str, ...]]:
    """The time in a line such as "Mar 3, 2026, 6:25:05 AM PDT" or "12. 1. 2026 19:01:56 SEČ".

    None if the line holds anything else, or names the month in another language.
    """
    clock = _CLOCK.search(line)
    if not clock:
        return None, ()
    words = [word.casefold() for word in _WORDS.findall(line[: clock.start()] + " " + line[clock.end() :])]
    day = _day(line[: clock.start()], words)
    marks = [word for word in words if word[:3] not in _MONTHS]
    zones = [word for word in marks if word not in _MORNING | _AFTERNOON]
    if day is None or len(zones) > 2:
        return None, ()
    try:
        naive = datetime(*day, _hour(int(clock[1]), marks), int(clock[2]), int(clock[3]))  # noqa: DTZ001
        offset = _offset(zones)
        aware = naive.replace(tzinfo=timezone(timedelta(hours=offset or 0)))
    except ValueError:
        return None, ()
    return aware, () if offset is not None else (UNKNOWN_ZONE,)


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


def _offset(zones: list[str]) -> float | None:
    """Hours ahead of UTC, None if the zone is unknown."""
    for zone in reversed(zones):
        if offset := _OFFSET.fullmatch(zone):
            return float(offset[1] + "1") * (int(offset[2]) + int(offset[3] or 0) / 60)
    return next((float(_ZONES[zone]) for zone in zones if zone in _ZONES), None)
