"""What stretches of time look like in a sentence, in the languages whose dates are read."""

import re
from typing import TypeVar

from memory.recall.date_words import NUMBERS, UNITS

_LETTER = "A-Za-z\u00c0-\u024f\u0400-\u04ff"
_PART = r"(?:[^,;.?!\n，。；？！]|(?<=\d)\.)"
_DATE = _PART + "{1,40}"
_SHORT = _PART + "{1,30}?"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(f"(?<![{_LETTER}])(?:{text})", re.IGNORECASE)


BETWEEN = (
    _pattern(rf"between (?P<a>{_SHORT}) and (?P<b>{_DATE})"),
    _pattern(rf"from (?P<a>{_SHORT}) (?:until|till|to|through) (?P<b>{_DATE})"),
    _pattern(rf"zwischen (?P<a>{_SHORT}) und (?P<b>{_DATE})"),
    _pattern(rf"(?:von|vom) (?P<a>{_SHORT}) bis (?:zum |zur )?(?P<b>{_DATE})"),
    _pattern(rf"entre (?P<a>{_SHORT}) (?:y|et) (?P<b>{_DATE})"),
    _pattern(rf"(?:de|desde|del) (?P<a>{_SHORT}) (?:a|al|hasta) (?P<b>{_DATE})"),
    _pattern(rf"(?:de|du|depuis) (?P<a>{_SHORT}) (?:à|au|jusqu['’](?:à|au|en)) (?P<b>{_DATE})"),
    _pattern(rf"между (?P<a>{_SHORT}) и (?P<b>{_DATE})"),
    _pattern(rf"(?:с|со|от) (?P<a>{_SHORT}) (?:до|по) (?P<b>{_DATE})"),
    re.compile(rf"(?:从|自)(?P<a>[^，。；？！,?!\n]{{1,15}}?)(?:到|至)(?P<b>{_DATE})"),
)
OPEN = (
    ("since", _pattern(rf"(?:ever )?since (?P<a>{_DATE})")),
    ("since", _pattern(rf"seit (?P<a>{_DATE})")),
    ("since", _pattern(rf"(?:desde|depuis) (?P<a>{_DATE})")),
    ("since", _pattern(rf"(?:начиная )?(?:с|со) (?P<a>{_DATE})")),
    ("since", re.compile(r"(?:自|从|自从)(?P<a>[^，。；？！,?!\n]{1,15}?)(?:以来|起|开始|至今)")),
    ("until", _pattern(rf"(?:until|till|up to) (?P<a>{_DATE})")),
    ("until", _pattern(rf"bis (?:zum |zur )?(?P<a>{_DATE})")),
    ("until", _pattern(rf"(?:hasta|jusqu['’](?:à|au|en)) (?P<a>{_DATE})")),
    ("until", re.compile(r"(?:直到|截至)(?P<a>[^，。；？！,?!\n]{1,15})")),
    ("before", _pattern(rf"(?:before|prior to) (?P<a>{_DATE})")),
    ("before", _pattern(rf"(?:vor|antes del?|avant) (?P<a>{_DATE})")),
    ("before", _pattern(rf"(?:до|перед) (?P<a>{_DATE})")),
    (
        "before",
        re.compile(
            r"(?<!\d)(?P<a>(?:\d{2,4}年|\d{1,2}月(?:\d{1,2}[日号])?|春节|圣诞节?)+)(?:之前|以前|前)"
        ),
    ),
    ("after", _pattern(rf"after (?P<a>{_DATE})")),
    ("after", _pattern(rf"(?:nach|después del?|tras|après|после) (?P<a>{_DATE})")),
    (
        "after",
        re.compile(
            r"(?<!\d)(?P<a>(?:\d{2,4}年|\d{1,2}月(?:\d{1,2}[日号])?|春节|圣诞节?)+)(?:之后|以后|后)"
        ),
    ),
)
LENGTH = re.compile(
    r"(?:hours?|days?|weekends?|weeks?|months?|years?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|horas?|días?|"
    r"semanas?|mes(?:es)?|años?|heures?|jours?|semaines?|mois|ans?|дня|дней|недел\w{1,2}|месяц\w{0,2}|"
    r"лет|года?)\s$",
    re.IGNORECASE,
)
"""The end of a length of time: "three days before 3 May" speaks of the 3rd, not of all before."""

_UNIT = f"(?P<unit>{'|'.join(UNITS)})"
BEFORE_LAST = (
    _pattern(rf"(?:the )?{_UNIT} before last(?![{_LETTER}])"),
    _pattern(rf"vor(?:letzte|vorige)[nsrm]? {_UNIT}(?![{_LETTER}])"),
    _pattern(rf"{_UNIT} antepasad[oa](?![{_LETTER}])"),
    _pattern(rf"avant-derni(?:er|ère) {_UNIT}(?![{_LETTER}])"),
    _pattern(rf"позапрошл\w{{2}} {_UNIT}(?![{_LETTER}])"),
    re.compile(rf"上上个?{_UNIT}(?![一二三四五六日天])"),
)
YEAR_BEFORE_LAST = re.compile("前年|(?<![а-я])позапрошлый год(?![а-я])")

SEVERAL_WEEKDAYS = {
    r"mondays?|montage?n?|lunes|lundis?|понедельник(?:а|ов)?": 0,
    r"tuesdays?|dienstage?n?|martes|mardis?|вторник(?:а|ов)?": 1,
    r"wednesdays?|mittwoche?n?|miércoles|mercredis?|сред(?:у|ы)?": 2,
    r"thursdays?|donnerstage?n?|jueves|jeudis?|четверг(?:а|ов)?": 3,
    r"fridays?|freitage?n?|viernes|vendredis?|пятниц(?:у|ы)?": 4,
    r"saturdays?|samstage?n?|sonnabende?n?|sábados?|samedis?|суббот(?:у|ы)?": 5,
    r"weekends?|wochenenden?|fines de semana|week-ends?|выходны[ех]": 5,
    r"sundays?|sonntage?n?|domingos?|dimanches?|воскресень[еяй]": 6,
}
_SEVERAL = f"(?P<weekday>{'|'.join(SEVERAL_WEEKDAYS)})"
_COUNT = rf"(?P<n>\d{{1,2}}|{'|'.join(NUMBERS)})"
WEEKDAYS_AGO = (
    _pattern(rf"{_COUNT} {_SEVERAL} (?:ago|назад)(?![{_LETTER}])"),
    _pattern(rf"(?:vor|hace|il y a) {_COUNT} {_SEVERAL}(?![{_LETTER}])"),
)

_T = TypeVar("_T")


def meaning(table: dict[str, _T], word: str) -> _T | None:
    """What a word means by a table of patterns; None when it is in none of them."""
    for pattern, value in table.items():
        if re.fullmatch(pattern, word, re.IGNORECASE):
            return value
    return None


def is_weekend(word: str) -> bool:
    """Whether a word of `SEVERAL_WEEKDAYS` means two days."""
    return bool(re.match("week|wochenend|fines|выходн", word, re.IGNORECASE))
