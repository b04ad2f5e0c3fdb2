"""Tag a drawer with the people, places, events, things and times that its turn mentions."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from memory.aaak import Tags
from memory.mining.phrases import STOPWORDS
from memory.text.date_patterns import CLOCK
from memory.text.dates import read_clock, read_time, read_upcoming
from memory.text.patterns import table_of, word_lists
from memory.text.sanitizing import lower
from memory.text.sentences import sentences

MAX_INPUT_LENGTH = 20_000
MAX_VALUES = 8
MAX_VALUE_LENGTH = 60
MAX_DATED_LENGTH, MAX_SENTENCE_LENGTH = 4_000, 400

_WORDS = word_lists(table_of(__file__))
# Abbreviations of states are also words ("in", "me", "or").
_PLACES = frozenset(name for name in _WORDS["cities"] | _WORDS["regions"] if len(name) > 2)
_CAPITALISED = re.compile(
    r"(?<!\w)(?:[a-z](?=[A-Z]))?[A-ZÀ-ÖØ-ÞА-ЯЁ][\w'\u2019-]*"
    r"(?:[ \u00a0](?:(?:de|del|la|van|von|der|of|the|al|bin|du|da|di)[ \u00a0](?=[A-ZÀ-ÖØ-ÞА-ЯЁ]))?"
    r"(?!I\b)[A-ZÀ-ÖØ-ÞА-ЯЁ\d][\w'\u2019-]*){0,4}"
)
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n\"“(>*•|/\-–—]|\d[.)])[\s*_\"“(#>-]*$")
_HONORIFICS = frozenset(("dr", "mr", "mrs", "ms", "prof"))
_HONORIFIC = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Prof)\.?\s$")
_PREVIOUS_WORD = re.compile(r"([\w'\u2019]+)\.?[\s\"“(]*$")
_NEXT_WORD = re.compile(r"\s*(['\u2019]s\b|\w+)")
_EVENTS = sorted((word.replace("_", " ") for word in _WORDS["events"] - _WORDS["ambiguous_events"]), key=len)
_EVENT = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, reversed(_EVENTS)))})(?![\w-])(?! appointment)")
_BEFORE_EVENT = re.compile(r"(?:([^\W\d_]+['\u2019]s)\s+)?(?:([\w-]+)\s+)?$")
_TITLE = re.compile(r"\"([^\"\n]{3,50})\"|“([^”\n]{3,50})”|«([^»\n]{3,50})»|《([^》\n]{1,40})》")
_MODEL = re.compile(r"(?<![\w.-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z][\w-]{1,20}(?![\w.-])")
_PERSON_ZH = re.compile(
    r"(?:我叫|名叫|叫做?|我是|同事|朋友|先生|女士|老师)([\u4e00-\u9fff]{2,3})(?=[\s，。！？、,]|$)"
)
_PLACE_ZH = re.compile(
    r"(?<=[在到去住自往])([\u4e00-\u9fff]{2,8}?(?:市|省|县|区|镇|村|州|国|岛|山|湖|路|街|大学|机场|公园|酒店|医院))"
    r"|(北京|上海|广州|深圳|杭州|南京|成都|重庆|武汉|西安|天津|苏州|香港|台北|东京|首尔|新加坡|伦敦|巴黎|纽约)"
)
_EVENT_ZH = re.compile(
    r"[^\W\da-zA-Z我你他她的了在是去要帮有和与划]{0,4}(?:会议|婚礼|生日|考试|面试|航班|演唱会|聚会|比赛|旅行|培训|讲座|体检|论坛|展览|典礼)"
)


def tags_of(content: str, said_at: datetime, people: Iterable[str] = ()) -> Tags:
    """The tags of one turn, at most eight per line; `people` are names known from its facts. Reads the
    first 20,000 characters."""
    text = content[:MAX_INPUT_LENGTH]
    names = list(people)
    places: list[str] = []
    titles = [next(filter(None, title.groups())).rstrip(".,!?") for title in _TITLE.finditer(text)]
    items = list(titles)
    for phrase, kind in _named_phrases(text):
        if kind != "item" or not any(phrase in title for title in titles):
            {"person": names, "place": places, "item": items}[kind].append(phrase)
    if not text.isascii():
        names += [match[1] for match in _PERSON_ZH.finditer(text)]
        places += [match[1] or match[2] for match in _PLACE_ZH.finditer(text)]
    items += [match[0] for match in _MODEL.finditer(text)]
    return Tags(
        people=_tag_values(names),
        places=_tag_values(places),
        events=_tag_values(_events(text)),
        items=_tag_values(item for item in items if item not in names),
        times=_tag_values(_times(text, said_at)),
    )


def _named_phrases(text: str) -> Iterator[tuple[str, str]]:
    """Capitalised phrases and their likely kind."""
    for match in _CAPITALISED.finditer(text):
        start, phrase = match.start(), match[0].rstrip("'\u2019-")
        before = max(0, start - 12)
        titled = _HONORIFIC.search(text, before, start)
        starts_sentence = not titled and bool(_SENTENCE_START.search(text, before, start))
        words = phrase.split()
        while words and not _begins_place(words) and _is_ordinary(words[0], starts_sentence):
            words, starts_sentence = words[1:], False
        if words:
            kept = " ".join(words)
            kind = _kind(kept, text, match.start() + match[0].index(words[0]), match.end())
            if kind and not (starts_sentence and kind == "item" and not _is_spelled_like_name(kept)):
                yield kept.removesuffix("'s").removesuffix("\u2019s"), kind


def _begins_place(words: list[str]) -> bool:
    return len(words) > 1 and "_".join(words[:2]).casefold() in _PLACES


def _is_ordinary(word: str, starts_sentence: bool) -> bool:
    plain = word.casefold().removesuffix("'s").removesuffix("\u2019s")
    if (
        plain in _HONORIFICS
        or plain in STOPWORDS
        or plain.partition("'")[0] in STOPWORDS
        or plain in _WORDS["months_and_days"]
    ):
        return True
    known = plain in _WORDS["first_names"] or plain in _PLACES or plain in _WORDS["technology"]
    return (
        starts_sentence and not known and not _is_spelled_like_name(word) and len(word) > 1
    ) or plain.isdigit()


def _is_spelled_like_name(word: str) -> bool:
    """Whether a word is spelled as only names are, with another capital or a digit inside."""
    return any(char.isupper() or char.isdigit() for char in word[1:])


def _kind(phrase: str, text: str, start: int, end: int) -> str:
    words = phrase.casefold().removesuffix("'s").removesuffix("\u2019s").split()
    joined = "_".join(words)
    if joined in _PLACES or (words[-1] in _PLACES and words[0] not in _WORDS["first_names"]):
        return "place"
    if words[0] in _WORDS["first_names"]:
        return "person"
    if words[0] in _WORDS["nationalities"] or phrase.casefold() == "i":
        return ""
    if words[0] in _WORDS["technology"] or any(char.isdigit() for char in phrase):
        return "item"
    return _kind_by_neighbours(phrase, text, start, end)


def _kind_by_neighbours(phrase: str, text: str, start: int, end: int) -> str:
    before = _PREVIOUS_WORD.search(text, max(0, start - 24), start)
    word = before[1].casefold() if before else ""
    if phrase.isupper():
        return "item"
    if word in _WORDS["before_places"]:
        return "place"
    after = _NEXT_WORD.match(text, end)
    if word in _WORDS["before_persons"] or (after and after[1].casefold() in _WORDS["after_persons"]):
        return "person"
    return "item" if word not in _WORDS["particles"] else ""


def _events(text: str) -> Iterator[str]:
    for match in _EVENT.finditer(lower(text)):
        begin = match.start()
        before = _BEFORE_EVENT.search(text, max(0, begin - 40), begin)
        whose, word = before.groups() if before else (None, None)
        if word and (word.casefold() not in STOPWORDS or word.endswith(("'s", "\u2019s"))):
            begin = before.start(2) if before else begin
        if whose and whose[0].isupper():
            begin = before.start(1) if before else begin
        yield text[begin : match.end()]
    if not text.isascii():
        yield from (match[0] for match in _EVENT_ZH.finditer(text))


def _times(text: str, said_at: datetime) -> Iterator[str]:
    """The date and the times of day in each sentence, as written."""
    for start, end in sentences(text[:MAX_DATED_LENGTH]):
        sentence = text[start : min(end, start + MAX_SENTENCE_LENGTH)]
        spans = filter(None, (read(sentence, said_at.date()) for read in (read_time, read_upcoming)))
        if longest := max((span.words for span in spans), key=len, default=""):
            yield longest
        yield from (match[0].strip() for match in CLOCK.finditer(sentence) if read_clock(match[0]))


def _tag_values(values: Iterable[str]) -> tuple[str, ...]:
    """Each value once, whatever its case, in order."""
    found: dict[str, str] = {}
    for value in values:
        clean = " ".join(value.split())
        if clean and len(clean) <= MAX_VALUE_LENGTH:
            found.setdefault(clean.casefold(), clean)
    return tuple(found.values())[:MAX_VALUES]
