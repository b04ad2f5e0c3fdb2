"""What dates and spans look like in a sentence; named groups carry the parts to be read."""

import re
from collections.abc import Iterable

from memory.recall import date_words as words

_LETTER = "A-Za-z\u00c0-\u024f\u0400-\u04ff"


def _pattern(*alternatives: str) -> re.Pattern[str]:
    """Between letters of an alphabet a word must end; Chinese has no such borders."""
    return re.compile(f"(?<![{_LETTER}])(?:{'|'.join(alternatives)})(?![{_LETTER}])", re.IGNORECASE)


def _group(name: str, table: Iterable[str]) -> str:
    return f"(?P<{name}>{'|'.join(table)})"


_UNIT = _group("unit", words.UNITS)
_MONTH = _group("month", words.MONTHS)
_WEEKDAY = _group("weekday", words.WEEKDAYS)
_SEASON = _group("season", words.SEASONS)
_NUMBER = _group("n", (r"(?<!\d)\d{1,3}", *words.NUMBERS, words.VAGUE_NUMBER)) + r"\s*"
_YEAR = r"(?P<y>(?:19|20)\d\d)(?!\d)"
_DAY = r"(?<![\d.:,/-])(?P<d>\d{1,2})"
_MONTH_NUMBER = r"(?<!\d)(?P<month>\d{1,2})"
_OF = r"(?:,|\s|of\s|de\s|des\s)*"
_YEARLY = "(?:年的?)?"
_NO_NAME = r"(?-i:(?!\s[A-Z]))"

YEAR_MONTH_DAY = _pattern(
    rf"(?<!\d){_YEAR}(?:[-/.]|\s?年\s?)(?P<m>\d{{1,2}})(?:[-/.]|\s?月\s?)(?P<d>\d{{1,2}})(?!\d)[日号]?"
)
NUMERIC_DATE = _pattern(
    r"(?<![\d.])(?P<a>\d{1,2})(?P<sep>[./-])(?P<b>\d{1,2})(?P=sep)(?P<y>(?:19|20)\d\d|\d\d)(?![\d.])"
)
DAY_OF_MONTH = (
    _pattern(rf"{_DAY}(?:st|nd|rd|th|er|º|\.)?\s?{_OF}{_MONTH}(?:{_OF}{_YEAR})?"),
    _pattern(rf"{_MONTH}\s(?:the\s)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:%])(?:{_OF}{_YEAR})?"),
    _pattern(rf"{_MONTH_NUMBER}月(?P<d>\d{{1,2}})[日号]"),
    _pattern(r"(?<![\d.])(?P<d>\d{1,2})\.(?P<month>\d{1,2})\.(?!\d)"),
)
AGO = (
    _pattern(
        rf"(?<!\d)(?<!\d\s)(?:{_NUMBER})?{_UNIT}(?P<half> and a half)?\s*(?:{words.AGO_AFTER})"
    ),
    _pattern(rf"(?:{words.AGO_BEFORE})\s*{_NUMBER}{_UNIT}"),
)
NAMED_DAY = _pattern(_group("day", words.NAMED_DAYS))
WITHIN = (
    _pattern(rf"(?:{words.WITHIN})\s*{_NUMBER}{_UNIT}"),
    _pattern(rf"(?:{words.WITHIN_ONE})\s*{_UNIT}"),
)
LAST_WEEKDAY = (
    _pattern(rf"(?:{words.LAST})\s*{_WEEKDAY}"),
    _pattern(rf"{_WEEKDAY}\s(?:{words.LAST_AFTER})"),
)
SEASON = (
    _pattern(rf"(?P<last>{words.LAST})\s*{_YEARLY}{_SEASON}"),
    _pattern(rf"{_SEASON}\s(?P<last>{words.LAST_AFTER})"),
    _pattern(rf"{_SEASON}{_OF}{_YEAR}"),
    _pattern(rf"{_YEAR}年的?{_SEASON}"),
    _pattern(rf"(?:{words.THIS}|{words.IN_SEASON})\s*{_YEARLY}{_SEASON}{_NO_NAME}"),
    _pattern(_group("season", words.IN_SEASON_ENDINGS)),
)
LAST = (
    _pattern(rf"(?:{words.LAST})\s*{_UNIT}(?!\s(?:of|at)\b)"),
    _pattern(rf"{_UNIT}\s(?:{words.LAST_AFTER})"),
)
THIS = _pattern(rf"(?:{words.THIS})\s*{_UNIT}")
MONTH_OF_YEAR = (
    _pattern(rf"{_MONTH}{_OF}{_YEAR}"),
    _pattern(rf"(?<!\d){_YEAR}(?:[-/]|\s?年\s?)(?P<month>\d{{1,2}})(?!\d)月?"),
    _pattern(rf"{_MONTH_NUMBER}月(?!前)"),
)
WEEKDAY = _pattern(
    rf"(?:(?:{words.ON_DAY})\s+|(?<![每下])(?=[周星礼])){_WEEKDAY}(?!\s(?:{words.HABITS}))"
)
MONTH = _pattern(rf"(?:(?P<lead>{words.IN_MONTH})\s+)?{_MONTH}")
YEAR = _pattern(
    rf"(?<![\d.,:$€£#/-]){_YEAR}年?(?![.,:/-]\d)(?!\s?(?:%|[a-z]+s\b|{words.MEASURES}))"
)
