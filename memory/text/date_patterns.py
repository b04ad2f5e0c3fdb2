"""Patterns of dates and time spans in English, German, Spanish, French, Russian and Chinese.

The words are in `date_patterns.toml`; tables map a meaning to its words, and the first match wins. Named
groups of the patterns carry the parts to read. Callers bound the length of the text.
"""

import re
from collections.abc import Iterable
from types import SimpleNamespace

from memory.text.patterns import patterns, table_of

_TABLE = table_of(__file__)
MONTHS = dict(enumerate(_TABLE["months"], 1))
WEEKDAYS = dict(enumerate(_TABLE["weekdays"]))
SEVERAL_WEEKDAYS = dict(enumerate(_TABLE["several_weekdays"]))
SEASONS = dict(zip((3, 6, 9, 12), _TABLE["seasons"], strict=True))
"""By the first month."""
UNITS: dict[str, str] = _TABLE["units"]
NUMBERS = {float(number): words for number, words in _TABLE["numbers"].items()}
NAMED_DAYS = {int(days): words for days, words in _TABLE["named_days"].items()}
DAYS_AHEAD = {int(days): words for days, words in _TABLE["days_ahead"].items()}
WORDS = SimpleNamespace(**patterns(_TABLE["words"]))

# These are also names, verbs or abbreviations, so they only count with a year or after a preposition.
AMBIGUOUS_MONTH = re.compile(
    r"(?:jan|feb|mar|mars|apr|april|may|mai|mayo|ма[йяею]м?|june?|july?|juli|aug|august|sept?|oct|okt|"
    r"nov|dec|dez)\.?",
    re.IGNORECASE,
)

HOW_LONG = re.compile(
    r"\bhow (?:many|much|long)\b[^.?!\n]{0,40}?\bago\b|\bvor wie (?:vielen|langer)\b[^.?!\n]{0,20}|"
    r"\bhace cuánt[oa]s?\b(?: \w+)?|\bil y a combien\b(?: de \w+)?|"
    r"\bсколько\b[^.?!\n]{0,30}\bназад\b|"
    r"多少个?(?:天|周|星期|月|年)(?:之)?前",
    re.IGNORECASE,
)

_LETTER = "A-Za-z\u00c0-\u024f\u0400-\u04ff"


def _whole(*alternatives: str) -> re.Pattern[str]:
    """Any of the alternatives, not inside a longer alphabetic word; Chinese has no word boundaries."""
    return re.compile(f"(?<![{_LETTER}])(?:{'|'.join(alternatives)})(?![{_LETTER}])", re.IGNORECASE)


def _group(name: str, table: Iterable[str]) -> str:
    return f"(?P<{name}>{'|'.join(table)})"


_UNIT = _group("unit", UNITS.values())
_MONTH = _group("month", MONTHS.values())
_WEEKDAY = _group("weekday", WEEKDAYS.values())
_SEASON = _group("season", SEASONS.values())
_NUMBER = _group("n", (r"(?<!\d)\d{1,3}", *NUMBERS.values(), WORDS.vague_number)) + r"\s*"
_YEAR = r"(?P<y>(?:19|20)\d\d)(?!\d)"
_DAY = r"(?<![\d.:,/-])(?P<d>\d{1,2})"
_ORDINAL = r"(?:st|nd|rd|th|er|º|\.|-?(?:го|е))?"
_MONTH_NUMBER = r"(?<!\d)(?P<month>\d{1,2})"
_OF = r"(?:,|\s|of\s|de\s|des\s)*"
_YEARLY = "(?:年的?)?"
_ARTICLE = r"(?:(?:the|den|dem|el|le)\s)?"
_ON_WEEKDAY = rf"(?:{_WEEKDAY},?\s{_ARTICLE})?"
_ON_WEEKDAY_ZH = rf"(?:\s?[(（]?{_WEEKDAY})?"
# "3 to" in "3 to 10 August" and "28 December to" in "28 December to 3 January".
_RANGE = rf"(?:(?P<between>between|zwischen|entre|между)\s{_ARTICLE})?"
_FIRST = rf"(?<![\d.:,/-])(?P<first>\d{{1,2}}){_ORDINAL}"
_FIRST_MONTH = f"(?P<first_month>{'|'.join(MONTHS.values())})"
_FIRST_YEAR = rf"(?:{_OF}(?P<first_y>(?:19|20)\d\d))?"
_TO = (
    r"\s?(?(between)(?:and|und|y|et|и)|(?:[-–—]|to|until|till|through|bis(?: zum)?|al?|hasta(?: el)?|au"
    rf"|jusqu['’]au|по|до))\s?{_ARTICLE}(?:(?:{'|'.join(WEEKDAYS.values())})\s{_ARTICLE})?"
)
_NO_NAME = r"(?-i:(?!\s[A-Z]))"

YEAR_MONTH_DAY = _whole(
    rf"(?<!\d){_YEAR}(?:[-/.]|\s?年\s?)(?P<m>\d{{1,2}})(?:[-/.]|\s?月\s?)(?P<d>\d{{1,2}})(?!\d)[日号]?"
)
NUMERIC_DATE = _whole(
    r"(?<![\d.])(?P<a>\d{1,2})(?P<sep>[./-])(?P<b>\d{1,2})(?P=sep)(?P<y>(?:19|20)\d\d|\d\d)(?![\d.])"
)
DAYS_OF_MONTH = (
    _whole(
        rf"{_RANGE}{_FIRST}(?:\s?{_OF}{_FIRST_MONTH}{_FIRST_YEAR})?{_TO}"
        rf"(?P<d>\d{{1,2}}){_ORDINAL}\s?{_OF}{_MONTH}(?:{_OF}{_YEAR})?"
    ),
    _whole(
        rf"{_RANGE}{_FIRST_MONTH}\s(?:the\s)?{_FIRST}{_FIRST_YEAR}{_TO}"
        rf"(?:{_MONTH}\s(?:the\s)?)?(?P<d>\d{{1,2}}){_ORDINAL}(?![\d:%]|\s?[ap]\.?m)(?:{_OF}{_YEAR})?"
    ),
    _whole(
        rf"{_RANGE}{_FIRST}(?:(?P<first_month>\d{{1,2}})\.)?(?P<first_y>(?:19|20)\d\d)?{_TO}"
        rf"(?P<d>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?:{_YEAR})?(?!\d)"
    ),
    re.compile(
        r"(?:(?P<first_y>(?:19|20)\d\d)年)?(?<!\d)(?P<first_month>\d{1,2})月(?P<first>\d{1,2})[日号]?"
        rf"\s?[到至~～–—-]\s?(?:{_YEAR}年)?(?:(?P<month>\d{{1,2}})月)?(?P<d>\d{{1,2}})[日号]"
    ),
)
DAY_OF_MONTH = (
    _whole(rf"{_ON_WEEKDAY}{_DAY}{_ORDINAL}\s?{_OF}{_MONTH}(?:{_OF}{_YEAR})?"),
    _whole(rf"{_ON_WEEKDAY}{_MONTH}\s(?:the\s)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:%])(?:{_OF}{_YEAR})?"),
    _whole(rf"{_MONTH_NUMBER}月(?P<d>\d{{1,2}})[日号]{_ON_WEEKDAY_ZH}"),
    _whole(rf"{_ON_WEEKDAY}(?<![\d.])(?P<d>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?!\d)"),
)
DAY_OF_WEEK = (
    _whole(
        rf"{_WEEKDAY},?\s{_ARTICLE}(?P<d>\d{{1,2}})"
        r"(?:st|nd|rd|th|-?(?:го|е)|\.(?!\d)|(?=\s*(?:$|[,;!?)]|a las |à )))"
    ),
    re.compile(rf"(?<!\d)(?P<d>\d{{1,2}})[日号]\s?[(（]?{_WEEKDAY}"),
    re.compile(rf"{_WEEKDAY}(?P<d>\d{{1,2}})[日号]"),
)
"""A day of the month whose month only its weekday tells ("Saturday the 14th")."""
DAY_ALONE = (
    _whole(
        r"(?:on|by|until|till|before|after|since|from) the (?P<d>\d{1,2})(?:st|nd|rd|th)"
        r"(?=\s*(?:$|[^\w\s-])|\s(?:at|in|with|and|or|for|to|but|so|i|we|he|she|they|it|from|until)\b)"
    ),
    _whole(r"(?<!\bi )am (?P<d>\d{1,2})\.(?=\s*(?:$|[,;!?)])|\s(?-i:[a-zäöü]))"),
    _whole(r"(?:el día|el(?= \d+ a las \d)|le(?= \d+ à \d)) (?P<d>\d{1,2})"),
    _whole(r"(?<![\d.:,/-])(?P<d>\d{1,2})(?:-?го| числа)"),
    re.compile(r"(?<![\d月年第])(?P<d>\d{1,2})号(?![楼线店室房门])"),
)
"""A day of this or the next month ("on the 14th")."""
AGO = (
    _whole(rf"(?<!\d)(?<!\d\s)(?:{_NUMBER})?{_UNIT}(?P<half> and a half)?\s*(?:{WORDS.ago_after})"),
    _whole(rf"(?:{WORDS.ago_before})\s*{_NUMBER}{_UNIT}"),
)
NAMED_DAY = _whole(_group("day", NAMED_DAYS.values()))
NAMED_DAY_AHEAD = _whole(_group("day", DAYS_AHEAD.values()))
AHEAD = (
    _whole(rf"(?:{WORDS.ahead_before})\s*{_NUMBER}{_UNIT}"),
    _whole(rf"(?<!\d)(?<!\d\s){_NUMBER}{_UNIT}\s*(?:{WORDS.ahead_after})"),
)
NEXT = (
    _whole(rf"(?:{WORDS.next_words})\s*{_UNIT}"),
    _whole(rf"{_UNIT}\s(?:{WORDS.next_after})"),
)
COMING_WEEKDAY = (
    _whole(
        rf"(?:{WORDS.next_words}|{WORDS.this_words}|on|am|el|le|в|во)\s*{_WEEKDAY}"
        rf"(?:\s(?:{WORDS.next_after}))?"
    ),
    _whole(rf"{_WEEKDAY}(?:\s(?:{WORDS.next_after}))?(?!\s(?:{WORDS.habits}))"),
)
NEXT_WEEKDAY_ZH = re.compile(rf"下{_WEEKDAY}")
WITHIN = (
    _whole(rf"(?:{WORDS.within_words})\s*{_NUMBER}{_UNIT}"),
    _whole(rf"(?:{WORDS.within_one})\s*{_UNIT}"),
)
LAST_WEEKDAY = (
    _whole(rf"(?:{WORDS.last_words})\s*{_WEEKDAY}"),
    _whole(rf"{_WEEKDAY}\s(?:{WORDS.last_after})"),
)
SEASON = (
    _whole(rf"(?P<last>{WORDS.last_words})\s*{_YEARLY}{_SEASON}"),
    _whole(rf"{_SEASON}\s(?P<last>{WORDS.last_after})"),
    _whole(rf"{_SEASON}{_OF}{_YEAR}"),
    _whole(rf"{_YEAR}年的?{_SEASON}"),
    _whole(rf"(?:{WORDS.this_words}|{WORDS.in_season})\s*{_YEARLY}{_SEASON}{_NO_NAME}"),
    _whole(_group("season", (WORDS.in_season_endings,))),
)
LAST = (
    _whole(rf"(?:{WORDS.last_words})\s*{_UNIT}(?!\s(?:of|at)\b)"),
    _whole(rf"{_UNIT}\s(?:{WORDS.last_after})"),
)
THIS = _whole(rf"(?:{WORDS.this_words})\s*{_UNIT}")
MONTH_OF_YEAR = (
    _whole(rf"{_MONTH}{_OF}{_YEAR}"),
    _whole(rf"(?<!\d){_YEAR}(?:[-/]|\s?年\s?)(?P<month>\d{{1,2}})(?!\d)月?"),
    _whole(rf"{_MONTH_NUMBER}月(?!前)"),
)
WEEKDAY = _whole(rf"(?:(?:{WORDS.on_day})\s+|(?<![每下])(?=[周星礼])){_WEEKDAY}(?!\s(?:{WORDS.habits}))")
MONTH = _whole(rf"(?:(?P<lead>{WORDS.in_month})\s+)?{_MONTH}")
YEAR = _whole(rf"(?<![\d.,:$€£#/-]){_YEAR}年?(?![.,:/-]\d)(?!\s?(?:%|[a-z]+s\b|{WORDS.measures}))")

CLOCK = re.compile(
    r"(?<![\w:.])(?P<h>\d{1,2})(?:[:.](?P<m>\d\d))? ?(?P<half>[ap])\.?m\b"
    r"|(?<![\w:.])(?<!\bin )(?P<h24>[01]?\d|2[0-3])(?::|h|(?<=\d) Uhr ?|点)(?P<m24>[0-5]\d)?(?![\w:])"
    r"|(?P<noon>\bat noon\b)",
    re.IGNORECASE,
)

_PART = r"(?:[^,;.?!\n，。；？！]|(?<=\d)\.|(?<=\d),(?= (?:19|20)\d\d(?!\d)))"
_DATE = _PART + "{1,40}"
_SHORT = _PART + "{1,30}?"


def _from_word(text: str) -> re.Pattern[str]:
    return re.compile(f"(?<![{_LETTER}])(?:{text})", re.IGNORECASE)


BETWEEN = (
    _from_word(rf"between (?P<a>{_SHORT}) and (?P<b>{_DATE})"),
    _from_word(rf"from (?P<a>{_SHORT}) (?:until|till|to|through) (?P<b>{_DATE})"),
    _from_word(rf"zwischen (?P<a>{_SHORT}) und (?P<b>{_DATE})"),
    _from_word(rf"(?:von|vom) (?P<a>{_SHORT}) bis (?:zum |zur )?(?P<b>{_DATE})"),
    _from_word(rf"entre (?P<a>{_SHORT}) (?:y|et) (?P<b>{_DATE})"),
    _from_word(rf"(?:de|desde|del) (?P<a>{_SHORT}) (?:a|al|hasta) (?P<b>{_DATE})"),
    _from_word(rf"(?:de|du|depuis) (?P<a>{_SHORT}) (?:à|au|jusqu['’](?:à|au|en)) (?P<b>{_DATE})"),
    _from_word(rf"между (?P<a>{_SHORT}) и (?P<b>{_DATE})"),
    _from_word(rf"(?:с|со|от) (?P<a>{_SHORT}) (?:до|по) (?P<b>{_DATE})"),
    re.compile(rf"(?:从|自)(?P<a>[^，。；？！,?!\n]{{1,15}}?)(?:到|至)(?P<b>{_DATE})"),
)
OPEN = (
    ("since", _from_word(rf"(?:ever )?since (?P<a>{_DATE})")),
    ("since", _from_word(rf"seit (?P<a>{_DATE})")),
    ("since", _from_word(rf"(?:desde|depuis) (?P<a>{_DATE})")),
    ("since", _from_word(rf"(?:начиная )?(?:с|со) (?P<a>{_DATE})")),
    ("since", re.compile(r"(?:自|从|自从)(?P<a>[^，。；？！,?!\n]{1,15}?)(?:以来|起|开始|至今)")),
    ("until", _from_word(rf"(?:until|till|up to) (?P<a>{_DATE})")),
    ("until", _from_word(rf"bis (?:zum |zur )?(?P<a>{_DATE})")),
    ("until", _from_word(rf"(?:hasta|jusqu['’](?:à|au|en)) (?P<a>{_DATE})")),
    ("until", re.compile(r"(?:直到|截至)(?P<a>[^，。；？！,?!\n]{1,15})")),
    ("before", _from_word(rf"(?:before|prior to) (?P<a>{_DATE})")),
    ("before", _from_word(rf"(?:vor|antes del?|avant) (?P<a>{_DATE})")),
    ("before", _from_word(rf"(?:до|перед) (?P<a>{_DATE})")),
    (
        "before",
        re.compile(r"(?<!\d)(?P<a>(?:\d{2,4}年|\d{1,2}月(?:\d{1,2}[日号])?|春节|圣诞节?)+)(?:之前|以前|前)"),
    ),
    ("after", _from_word(rf"after (?P<a>{_DATE})")),
    ("after", _from_word(rf"(?:nach|después del?|tras|après|после) (?P<a>{_DATE})")),
    (
        "after",
        re.compile(r"(?<!\d)(?P<a>(?:\d{2,4}年|\d{1,2}月(?:\d{1,2}[日号])?|春节|圣诞节?)+)(?:之后|以后|后)"),
    ),
)
LENGTH = re.compile(
    r"(?:hours?|days?|weekends?|weeks?|months?|years?|stunden?|tage?n?|wochen?|monate?n?"
    r"|jahre?n?|horas?|días?|"
    r"semanas?|mes(?:es)?|años?|heures?|jours?|semaines?|mois|ans?|дня|дней|недел\w{1,2}|месяц\w{0,2}|"
    r"лет|года?)\s$",
    re.IGNORECASE,
)
"""The end of a length of time: "three days before 3 May" speaks of the 3rd, not of all before."""

_UNIT = f"(?P<unit>{'|'.join(UNITS.values())})"
BEFORE_LAST = (
    _from_word(rf"(?:the )?{_UNIT} before last(?![{_LETTER}])"),
    _from_word(rf"vor(?:letzte|vorige)[nsrm]? {_UNIT}(?![{_LETTER}])"),
    _from_word(rf"{_UNIT} antepasad[oa](?![{_LETTER}])"),
    _from_word(rf"avant-derni(?:er|ère) {_UNIT}(?![{_LETTER}])"),
    _from_word(rf"позапрошл\w{{2}} {_UNIT}(?![{_LETTER}])"),
    re.compile(rf"上上个?{_UNIT}(?![一二三四五六日天])"),
)
YEAR_BEFORE_LAST = re.compile("前年|(?<![а-я])позапрошлый год(?![а-я])")

_SEVERAL = f"(?P<weekday>{'|'.join(SEVERAL_WEEKDAYS.values())})"
_COUNT = rf"(?P<n>\d{{1,2}}|{'|'.join(NUMBERS.values())})"
WEEKDAYS_AGO = (
    _from_word(rf"{_COUNT} {_SEVERAL} (?:ago|назад)(?![{_LETTER}])"),
    _from_word(rf"(?:vor|hace|il y a) {_COUNT} {_SEVERAL}(?![{_LETTER}])"),
)
WEEKEND = re.compile("week|wochenend|fines|выходн", re.IGNORECASE)
"""Words of `SEVERAL_WEEKDAYS` that mean a weekend."""
