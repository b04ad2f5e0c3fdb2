"""Days as they are told in Chinese: "下个月18号", "六月十八號", "下周五"."""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

Yearless = Callable[[str | None, int, int], date]

_NUMBER = r"\d{1,2}|[一二三四五六七八九]?十[一二三四五六七八九]?|廿[一二三四五六七八九]?|[一二三四五六七八九]"
_DATE = re.compile(
    rf"(?:(?P<year>\d{{4}})年)?(?P<month>{_NUMBER})月(?P<day>{_NUMBER})[日号號]"
    r"|(?P<relative>大[后後]天|今天|明天|[后後]天|昨天|前天)"
    r"|(?P<which>下[个個]?|上[个個]?|[这這][个個]?)?(?:周|週|星期|[礼禮]拜)(?P<weekday>[一二三四五六日天])"
    rf"|(?P<ahead>[下这這本])[个個]?月(?P<nth>{_NUMBER})[日号號]"
)
_DAYS_FROM_NOW = {"今": 0, "明": 1, "后": 2, "後": 2, "大": 3, "昨": -1, "前": -2}
_DIGITS = {digit: number for number, digit in enumerate("一二三四五六七八九", 1)}
_WEEKDAYS = {"天": 6, **{day: number for number, day in enumerate("一二三四五六日")}}


def days(text: str, today: date, in_year: Yearless) -> Iterator[tuple[re.Match[str], date]]:
    """The dates in `text` with the day each means for somebody who says it `today`. `in_year`
    finds the year of a month and a day, told or not; what is no day is left out."""
    for match in _DATE.finditer(text):
        try:
            yield match, _day(match, today, in_year)
        except ValueError:
            continue


def _day(match: re.Match[str], today: date, in_year: Yearless) -> date:
    if match["relative"]:
        return today + timedelta(days=_DAYS_FROM_NOW[match["relative"][0]])
    if match["weekday"]:
        monday = today - timedelta(days=today.weekday())
        weeks = {"下": 1, "上": -1}.get((match["which"] or " ")[0], 0)
        return monday + timedelta(weeks=weeks, days=_WEEKDAYS[match["weekday"]])
    if match["nth"]:
        year, month = divmod(today.year * 12 + today.month - 1 + (match["ahead"] == "下"), 12)
        return date(year, month + 1, _number(match["nth"]))
    return in_year(match["year"], _number(match["month"]), _number(match["day"]))


def _number(written: str) -> int:
    """The number written in digits or as 十八, 二十, 廿三."""
    if written.isdigit():
        return int(written)
    tens, ten, ones = written.replace("廿", "二十").rpartition("十")
    return (10 * _DIGITS.get(tens, 1) if ten else 0) + _DIGITS.get(ones, 0)
