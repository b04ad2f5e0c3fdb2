"""Words and patterns of dates and time spans in English, German, Spanish, French, Russian and Chinese.

Word tables map a regular expression to its meaning; the first match wins. Named groups of the patterns
carry the parts to read. Callers bound the length of the text.
"""

import re
from collections.abc import Iterable

MONTHS = {
    r"jan(?:uary|uar|vier|\.)?|enero|январ[ьяею]м?|январём|янв\.?": 1,
    r"feb(?:ruary|ruar|rero|\.)?|février|феврал[ьяеёю]м?": 2,
    r"mar(?:ch|zo|s|\.)?|märz|март(?:а|е|у|ом)?": 3,
    r"apr(?:il|\.)?|abril|avril|апрел[ьяеёю]м?": 4,
    r"may|mai|mayo|ма[йяею]м?": 5,
    r"june?|juni|junio|juin|июн[ьяеёю]м?": 6,
    r"july?|juli|julio|juillet|июл[ьяеёю]м?": 7,
    r"aug(?:ust|\.)?|agosto|août|август(?:а|е|у|ом)?": 8,
    r"sep(?:t|tember|tiembre|tembre|\.)?|сентябр[ьяеёю]м?": 9,
    r"o[ck]t(?:ober|ubre|obre|\.)?|октябр[ьяеёю]м?": 10,
    r"nov(?:ember|iembre|embre|\.)?|ноябр[ьяеёю]м?": 11,
    r"de[cz](?:ember|\.)?|diciembre|décembre|декабр[ьяеёю]м?": 12,
}
# These are also names, verbs or abbreviations, so they only count with a year or after a preposition.
AMBIGUOUS_MONTH = re.compile(
    r"(?:jan|feb|mar|mars|apr|april|may|mai|mayo|ма[йяею]м?|june?|july?|juli|aug|august|sept?|oct|okt|"
    r"nov|dec|dez)\.?",
    re.IGNORECASE,
)

WEEKDAYS = {
    r"monday|montag|lunes|lundi|понедельник|(?:周|星期|礼拜)一": 0,
    r"tuesday|dienstag|martes|mardi|вторник|(?:周|星期|礼拜)二": 1,
    r"wednesday|mittwoch|miércoles|mercredi|сред[уа]|(?:周|星期|礼拜)三": 2,
    r"thursday|donnerstag|jueves|jeudi|четверг|(?:周|星期|礼拜)四": 3,
    r"friday|freitag|viernes|vendredi|пятниц[уа]|(?:周|星期|礼拜)五": 4,
    r"saturday|samstag|sonnabend|sábado|samedi|суббот[уа]|(?:周|星期|礼拜)六": 5,
    r"sunday|sonntag|domingo|dimanche|воскресенье|(?:周|星期|礼拜)[日天]": 6,
}

# First month of the season; northern hemisphere.
SEASONS = {
    r"spring|frühling|frühjahr|primavera|printemps|весн(?:а|ой|у)|春天|春季": 3,
    r"summer|sommer|verano|été|лет(?:о|ом)|夏天|夏季": 6,
    r"autumn|fall|herbst|otoño|automne|осень(?:ю)?|秋天|秋季": 9,
    r"winter|invierno|hiver|зим(?:а|ой|у)|冬天|冬季": 12,
}

UNITS = {
    r"hours?|stunden?|horas?|heures?|часа?|часов|(?:个)?小时": "hour",
    r"days?|tage?n?|días?|jours?|день|дня|дней|天": "day",
    r"weekends?|wochenenden?|fin de semana|week-end|выходны[ех]|周末": "weekend",
    r"weeks?|wochen?|semanas?|semaines?|недел[ьюяие]|个?(?:星期|礼拜)|周": "week",
    r"fortnights?": "fortnight",
    r"months?|monate?n?|mes(?:es)?|mois|месяц(?:а|ев|е)?|个?月": "month",
    r"years?|jahre?n?|años?|an(?:s|née)?|années?|год(?:а|у)?|лет|年": "year",
    r"decades?|jahrzehnte?n?|décadas?|décennies?": "decade",
}

NUMBERS = {
    r"half an?|(?:ein(?:em)? )?halbe[ns]?|medio|полгода|半": 0.5,
    r"a|an|one|ein(?:e[mnr]?)?|una?|uno|une|один|одн[уа]|一": 1.0,
    r"(?:a )?couple(?: of)?|two|zwei|dos|deux|два|две|两|二": 2.0,
    r"three|drei|tres|trois|три|三": 3.0,
    r"four|vier|cuatro|quatre|четыре|四": 4.0,
    r"five|fünf|cinco|cinq|пять|五": 5.0,
    r"six|sechs|seis|шесть|六": 6.0,
    r"seven|sieben|siete|sept|семь|七": 7.0,
    r"eight|acht|ocho|huit|восемь|八": 8.0,
    r"nine|neun|nueve|neuf|девять|九": 9.0,
    r"ten|zehn|diez|dix|десять|十": 10.0,
    r"eleven|elf|once|onze|одиннадцать|十一": 11.0,
    r"twelve|zwölf|doce|douze|двенадцать|十二": 12.0,
}
VAGUE_NUMBER = (
    r"(?:a )?(?:few|several)|(?:some|many)|ein(?:ige|igen| paar)|(?:un(?:os|as)|algun[oa]s|varios)|"
    r"quelques|plusieurs|несколько|пару|几"
)

# Whole days before today.
NAMED_DAYS = {
    r"(?:the )?day before yesterday|vorgestern|anteayer|antier|avant-hier|позавчера|前天|一昨日": 2,
    r"yesterday|last night|gestern|ayer|anoche|hier|вчера|昨天|昨晚|昨日|어제": 1,
    r"today|heute|hoy|aujourd['’]hui|сегодня|今天|今日|오늘": 0,
}

# Whole days after today.
DAYS_AHEAD = {
    r"(?:the )?day after tomorrow|übermorgen|pasado mañana|après-demain|послезавтра|后天|明後日": 2,
    r"tomorrow|morgen|mañana|demain|завтра|明天|明晚|明日|내일": 1,
    r"today|tonight|heute|hoy|esta noche|aujourd['’]hui|ce soir|сегодня|今天|今晚|今日|오늘": 0,
}
NEXT_WORDS = (
    r"(?:the )?(?:next|coming|upcoming)|(?:nächste|kommende)[nsrm]?|(?:el |la )?próxim[oa]|"
    r"(?:на )?(?:следующ|будущ)(?:ей|ем|ий|ую|ее|ая|им)|下一?个?|明(?=年)"
)
NEXT_AFTER = r"que viene|prochaine?"
AHEAD_BEFORE = r"in|within|dentro de|en|dans|через"
AHEAD_AFTER = r"from now|later|(?:之|以)?后"

LAST_WORDS = (
    r"(?:the )?(?:last|previous|past|this past)|(?:letzte|vergangene|vorige)[nsrm]?|"
    r"прошл(?:ой|ом|ый|ую|ое|ая|ым|ые|ых)|上一?个?|去(?=年)"
)
LAST_AFTER = r"pasad[oa]|derni(?:er|ère)|passée?"
THIS_WORDS = (
    r"this|the current|earlier this|diese[nmrs]?|est[ea]|cett?e?|эт(?:ой|ом|от|у|о|им)|"
    r"[这本]个?|今(?=年)"
)
AGO_BEFORE = r"vor(?: etwa| ungefähr| circa)?|hace(?: unos| unas)?|il y a(?: environ)?"
AGO_AFTER = r"ago|back|назад|(?:之|以)?前"
WITHIN_WORDS = (
    r"(?:(?:in|over|during|within|for) )?(?:the )?(?:last|past|previous)|"
    r"in den (?:letzten|vergangenen)|(?:en )?(?:los|las) últim[oa]s|"
    r"(?:ces|(?:pendant |dans )?les) derni(?:ers|ères)|за последн(?:ие|ий|юю|ее)|"
    r"(?:过去|最近|近)的?"
)
WITHIN_ONE = "(?:in|over|during|within) the last|the past|en (?:el|la) últim[oa]|за последн(?:ий|юю)"
IN_SEASON = "in the|during the|im|en"
IN_SEASON_ENDINGS = ("летом", "зимой", "весной", "осенью")
HABITS = "mornings?|afternoons?|evenings?|nights?"
MEASURES = "km|kg|kcal|ml|usd|eur|个|元|米|步"
IN_MONTH = (
    r"in|during|since|from|until|by|of|back in|early(?: in)?|late(?: in)?|mid|last|this|im|seit|"
    r"en|desde|depuis|au mois de|в|с|во"
)
ON_DAY = r"on|last|this past|am|letzten|diesen|el|este|в|во|с|в прошл(?:ый|ую|ое)|прошл(?:ый|ую|ое)|这"

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


_UNIT = _group("unit", UNITS)
_MONTH = _group("month", MONTHS)
_WEEKDAY = _group("weekday", WEEKDAYS)
_SEASON = _group("season", SEASONS)
_NUMBER = _group("n", (r"(?<!\d)\d{1,3}", *NUMBERS, VAGUE_NUMBER)) + r"\s*"
_YEAR = r"(?P<y>(?:19|20)\d\d)(?!\d)"
_DAY = r"(?<![\d.:,/-])(?P<d>\d{1,2})"
_MONTH_NUMBER = r"(?<!\d)(?P<month>\d{1,2})"
_OF = r"(?:,|\s|of\s|de\s|des\s)*"
_YEARLY = "(?:年的?)?"
_NO_NAME = r"(?-i:(?!\s[A-Z]))"

YEAR_MONTH_DAY = _whole(
    rf"(?<!\d){_YEAR}(?:[-/.]|\s?年\s?)(?P<m>\d{{1,2}})(?:[-/.]|\s?月\s?)(?P<d>\d{{1,2}})(?!\d)[日号]?"
)
NUMERIC_DATE = _whole(
    r"(?<![\d.])(?P<a>\d{1,2})(?P<sep>[./-])(?P<b>\d{1,2})(?P=sep)(?P<y>(?:19|20)\d\d|\d\d)(?![\d.])"
)
DAY_OF_MONTH = (
    _whole(rf"{_DAY}(?:st|nd|rd|th|er|º|\.)?\s?{_OF}{_MONTH}(?:{_OF}{_YEAR})?"),
    _whole(rf"{_MONTH}\s(?:the\s)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:%])(?:{_OF}{_YEAR})?"),
    _whole(rf"{_MONTH_NUMBER}月(?P<d>\d{{1,2}})[日号]"),
    _whole(r"(?<![\d.])(?P<d>\d{1,2})\.(?P<month>\d{1,2})\.(?!\d)"),
)
AGO = (
    _whole(rf"(?<!\d)(?<!\d\s)(?:{_NUMBER})?{_UNIT}(?P<half> and a half)?\s*(?:{AGO_AFTER})"),
    _whole(rf"(?:{AGO_BEFORE})\s*{_NUMBER}{_UNIT}"),
)
NAMED_DAY = _whole(_group("day", NAMED_DAYS))
NAMED_DAY_AHEAD = _whole(_group("day", DAYS_AHEAD))
AHEAD = (
    _whole(rf"(?:{AHEAD_BEFORE})\s*{_NUMBER}{_UNIT}"),
    _whole(rf"(?<!\d)(?<!\d\s){_NUMBER}{_UNIT}\s*(?:{AHEAD_AFTER})"),
)
NEXT = (
    _whole(rf"(?:{NEXT_WORDS})\s*{_UNIT}"),
    _whole(rf"{_UNIT}\s(?:{NEXT_AFTER})"),
)
COMING_WEEKDAY = (
    _whole(rf"(?:{NEXT_WORDS}|{THIS_WORDS}|on|am|el|le|в|во)\s*{_WEEKDAY}(?:\s(?:{NEXT_AFTER}))?"),
    _whole(rf"{_WEEKDAY}(?:\s(?:{NEXT_AFTER}))?(?!\s(?:{HABITS}))"),
)
NEXT_WEEKDAY_ZH = re.compile(rf"下{_WEEKDAY}")
WITHIN = (
    _whole(rf"(?:{WITHIN_WORDS})\s*{_NUMBER}{_UNIT}"),
    _whole(rf"(?:{WITHIN_ONE})\s*{_UNIT}"),
)
LAST_WEEKDAY = (
    _whole(rf"(?:{LAST_WORDS})\s*{_WEEKDAY}"),
    _whole(rf"{_WEEKDAY}\s(?:{LAST_AFTER})"),
)
SEASON = (
    _whole(rf"(?P<last>{LAST_WORDS})\s*{_YEARLY}{_SEASON}"),
    _whole(rf"{_SEASON}\s(?P<last>{LAST_AFTER})"),
    _whole(rf"{_SEASON}{_OF}{_YEAR}"),
    _whole(rf"{_YEAR}年的?{_SEASON}"),
    _whole(rf"(?:{THIS_WORDS}|{IN_SEASON})\s*{_YEARLY}{_SEASON}{_NO_NAME}"),
    _whole(_group("season", IN_SEASON_ENDINGS)),
)
LAST = (
    _whole(rf"(?:{LAST_WORDS})\s*{_UNIT}(?!\s(?:of|at)\b)"),
    _whole(rf"{_UNIT}\s(?:{LAST_AFTER})"),
)
THIS = _whole(rf"(?:{THIS_WORDS})\s*{_UNIT}")
MONTH_OF_YEAR = (
    _whole(rf"{_MONTH}{_OF}{_YEAR}"),
    _whole(rf"(?<!\d){_YEAR}(?:[-/]|\s?年\s?)(?P<month>\d{{1,2}})(?!\d)月?"),
    _whole(rf"{_MONTH_NUMBER}月(?!前)"),
)
WEEKDAY = _whole(rf"(?:(?:{ON_DAY})\s+|(?<![每下])(?=[周星礼])){_WEEKDAY}(?!\s(?:{HABITS}))")
MONTH = _whole(rf"(?:(?P<lead>{IN_MONTH})\s+)?{_MONTH}")
YEAR = _whole(rf"(?<![\d.,:$€£#/-]){_YEAR}年?(?![.,:/-]\d)(?!\s?(?:%|[a-z]+s\b|{MEASURES}))")

CLOCK = re.compile(
    r"(?<![\w:.])(?P<h>\d{1,2})(?:[:.](?P<m>\d\d))? ?(?P<half>[ap])\.?m\b"
    r"|(?<![\w:.])(?P<h24>[01]?\d|2[0-3])(?::|h|(?<=\d) Uhr ?|点)(?P<m24>[0-5]\d)?(?![\w:])"
    r"|(?P<noon>\bat noon\b)",
    re.IGNORECASE,
)

_PART = r"(?:[^,;.?!\n，。；？！]|(?<=\d)\.)"
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

_UNIT = f"(?P<unit>{'|'.join(UNITS)})"
BEFORE_LAST = (
    _from_word(rf"(?:the )?{_UNIT} before last(?![{_LETTER}])"),
    _from_word(rf"vor(?:letzte|vorige)[nsrm]? {_UNIT}(?![{_LETTER}])"),
    _from_word(rf"{_UNIT} antepasad[oa](?![{_LETTER}])"),
    _from_word(rf"avant-derni(?:er|ère) {_UNIT}(?![{_LETTER}])"),
    _from_word(rf"позапрошл\w{{2}} {_UNIT}(?![{_LETTER}])"),
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
    _from_word(rf"{_COUNT} {_SEVERAL} (?:ago|назад)(?![{_LETTER}])"),
    _from_word(rf"(?:vor|hace|il y a) {_COUNT} {_SEVERAL}(?![{_LETTER}])"),
)
WEEKEND = re.compile("week|wochenend|fines|выходн", re.IGNORECASE)
"""Words of `SEVERAL_WEEKDAYS` that mean a weekend."""
