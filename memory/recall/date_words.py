"""The words for dates in the languages whose dates are read: what they look like, what they mean.

Each table maps a regular expression for one word or word family to its meaning; the first that
fits wins. English, German, Spanish, French, Russian and Chinese.
"""

import re

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
# These are also names, verbs or half words: alone they only count after a preposition.
DOUBTFUL_MONTH = re.compile(
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

LAST = (
    r"(?:the )?(?:last|previous|past|this past)|(?:letzte|vergangene|vorige)[nsrm]?|"
    r"прошл(?:ой|ом|ый|ую|ое|ая|ым|ые|ых)|上一?个?|去(?=年)"
)
LAST_AFTER = r"pasad[oa]|derni(?:er|ère)|passée?"
THIS = (
    r"this|the current|earlier this|diese[nmrs]?|est[ea]|cett?e?|эт(?:ой|ом|от|у|о|им)|"
    r"[这本]个?|今(?=年)"
)
AGO_BEFORE = r"vor(?: etwa| ungefähr| circa)?|hace(?: unos| unas)?|il y a(?: environ)?"
AGO_AFTER = r"ago|back|назад|(?:之|以)?前"
WITHIN = (
    r"(?:(?:in|over|during|within|for) )?(?:the )?(?:last|past|previous)|"
    r"in den (?:letzten|vergangenen)|(?:en )?(?:los|las) últim[oa]s|"
    r"(?:ces|(?:pendant |dans )?les) derni(?:ers|ères)|за последн(?:ие|ий|юю|ее)|"
    r"(?:过去|最近|近)的?"
)
WITHIN_ONE = (
    "(?:in|over|during|within) the last|the past|en (?:el|la) últim[oa]|за последн(?:ий|юю)"
)
IN_SEASON = "in the|during the|im|en"
IN_SEASON_ENDINGS = ("летом", "зимой", "весной", "осенью")
HABITS = "mornings?|afternoons?|evenings?|nights?"
MEASURES = "km|kg|kcal|ml|usd|eur|个|元|米|步"
IN_MONTH = (
    r"in|during|since|from|until|by|of|back in|early(?: in)?|late(?: in)?|mid|last|this|im|seit|"
    r"en|desde|depuis|au mois de|в|с|во"
)
ON_DAY = (
    r"on|last|this past|am|letzten|diesen|el|este|в|во|с|в прошл(?:ый|ую|ое)|прошл(?:ый|ую|ое)|这"
)

HOW_LONG = re.compile(
    r"\bhow (?:many|much|long)\b[^.?!\n]{0,40}?\bago\b|\bvor wie (?:vielen|langer)\b[^.?!\n]{0,20}|"
    r"\bhace cuánt[oa]s?\b(?: \w+)?|\bil y a combien\b(?: de \w+)?|"
    r"\bсколько\b[^.?!\n]{0,30}\bназад\b|"
    r"多少个?(?:天|周|星期|月|年)(?:之)?前",
    re.IGNORECASE,
)
