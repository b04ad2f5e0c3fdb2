"""Correct the day of an event that the next sentence or message revises ("no, the 14th")."""

from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from memory.facts.vocabulary import slug
from memory.mining.reader.speech import own_words
from memory.mining.transcripts import Turn
from memory.mining.types import ExtractedFact
from memory.text.date_patterns import COMING_WEEKDAY, DAY_ALONE
from memory.text.dates import DateSpan, read_upcoming
from memory.text.patterns import compile_pattern, patterns, table_of
from memory.text.sentences import sentences

MAX_INPUT_LENGTH, MAX_SENTENCES = 20_000, 100
_PATTERNS = patterns(table_of(__file__))
_GAP = r"[\s,，.。!！:：–—-]*"
_CORRECTING = compile_pattern(rf"{_GAP}(?:{_PATTERNS['correcting']})(?:[^\pL]|$)", ignore_case=True)
_BEFORE_DAY = compile_pattern(
    rf"(?:{_GAP}(?:{_PATTERNS['no']}|{_PATTERNS['correcting']}))"
    rf"(?:{_GAP}(?:{_PATTERNS['correcting']}|{_PATTERNS['filler']}))*{_GAP}",
    ignore_case=True,
)
_AFTER_DAY = compile_pattern(rf"{_GAP}(?:{_PATTERNS['after']})?[\s.!。！)]*", ignore_case=True)
_DENIED = compile_pattern(_PATTERNS["denied"], ignore_case=True)
_DAY = compile_pattern(_PATTERNS["day"], ignore_case=True)


def corrected(turns: Sequence[Turn], found: Iterable[Sequence[ExtractedFact]]) -> list[ExtractedFact]:
    """The facts found in each turn, with the events whose day a later sentence of the turn or the next turn
    corrects on that day. Only the first 100 sentences of the user's own words count. If a correction tells
    the event again, the earlier one waits for review."""
    earlier: list[ExtractedFact] = []
    previous: list[ExtractedFact] = []
    for turn, facts in zip(turns, found, strict=True):
        current = list(facts)
        content = own_words(turn.content[:MAX_INPUT_LENGTH])
        for sentence in sentences(content)[:MAX_SENTENCES]:
            before = [fact for fact in current if fact.span[1] <= sentence[0]]
            own = [fact for fact in current if sentence[0] <= fact.span[0] < sentence[1]]
            known = before if any(map(_is_on_a_day, before)) else previous
            changed = _changes(turn, content[slice(*sentence)], known, own)
            previous = [changed.get(fact.key, fact) for fact in previous]
            current = [changed.get(fact.key, fact) if fact in before else fact for fact in current]
        earlier, previous = earlier + previous, current
    return earlier + previous


def _changes(
    turn: Turn, words: str, known: Sequence[ExtractedFact], own: Sequence[ExtractedFact]
) -> dict[str, ExtractedFact]:
    """The events to change because of a sentence, by their keys; none if it is not clear which it means."""
    events = [fact for fact in known if _is_on_a_day(fact)]
    new_days = _new_days(turn, words, events)
    told = {slug(fact.object) for fact in own if fact.event_time}
    if told and (new_days or _CORRECTING.match(words)):
        again = [fact for fact in events if slug(fact.object) in told]
        return {fact.key: replace(fact, unsure=True) for fact in again}
    if len(new_days) != 1:
        return {}
    return {fact.key: _on(fact, new_days[_day_of(fact)]) for fact in events if _day_of(fact) in new_days}


def _new_days(turn: Turn, words: str, events: Sequence[ExtractedFact]) -> dict[date, date]:
    """The days that a sentence may correct, with the new ones."""
    today, days = turn.said_at.date(), {_day_of(fact) for fact in events}
    is_clear = len(days) == 1 and not any(_has_another_day(fact, today) for fact in events)
    is_likely = is_clear and (events[0].message_id == turn.message_id or _CORRECTING.match(words))
    new_days = {}
    for old in days:
        new = _denying(words, old, today)
        if new is None and is_likely:
            new = _instead(words, old, today)
        if new and new != old:
            new_days[old] = new
    return new_days


def _day_of(fact: ExtractedFact) -> date:
    return fact.event_time.date() if fact.event_time else date.min


def _label(day: date) -> str:
    return f"({day.isoformat()})"


def _is_on_a_day(fact: ExtractedFact) -> bool:
    return fact.kind == "event" and _label(_day_of(fact)) in fact.statement


def _on(fact: ExtractedFact, day: date) -> ExtractedFact:
    """The event on another day."""
    old = _day_of(fact)
    return replace(
        fact,
        statement=fact.statement.replace(_label(old), _label(day)),
        key=fact.key.removesuffix(slug(old.isoformat())) + slug(day.isoformat()),
        event_time=datetime.combine(day, fact.event_time.timetz()) if fact.event_time else None,
    )


def _has_another_day(fact: ExtractedFact, today: date) -> bool:
    """Whether the words of an event name another day besides its own."""
    span = read_upcoming(fact.quote, today)
    rest = fact.quote.replace(span.words, "", 1) if span else fact.quote
    return _day_in(rest, today, today) is not None


def _denying(words: str, old: date, today: date) -> date | None:
    """The day in a sentence that says that an event is not on the day `old`."""
    denied = _DENIED.search(words)
    day = _day_in(denied["day"] or denied["day_zh"] or "", old, today) if denied else None
    if not denied or not day or day[0] != old:
        return None
    found = _day_in(f"{words[: denied.start()]}, {words[denied.end() :]}", old, today)
    return found[0] if found else None


def _instead(words: str, old: date, today: date) -> date | None:
    """The day in a sentence that says little else but that it is a correction ("sorry, I meant Friday")."""
    found = _day_in(words, old, today)
    if found is None:
        return None
    start = words.find(found[1])
    is_bare = _BEFORE_DAY.fullmatch(words[:start]) and _AFTER_DAY.fullmatch(words[start + len(found[1]) :])
    return found[0] if is_bare else None


def _day_in(text: str, old: date, today: date) -> tuple[date, str] | None:
    """The day in a text about an event of the day `old`, and its words. A day without a month is in the same
    one, and a weekday in the same week."""
    span = read_upcoming(text, today)
    alone = {match[0].strip() for each in DAY_ALONE for match in each.finditer(text)}
    if span and (span.end - span.start).days == 1 and span.words not in alone:
        return _near(span, old), span.words
    number = _DAY.search(text)
    if number is None:
        return None
    day = int(number["ordinal"] or number["number"] or number["day_zh"])
    if not 0 < day <= monthrange(old.year, old.month)[1]:
        return None
    return old.replace(day=day), number[0].strip(" .,!?，。")


def _near(span: DateSpan, old: date) -> date:
    if not any(each.fullmatch(span.words) for each in COMING_WEEKDAY):
        return span.start
    return old + timedelta(days=(span.start.weekday() - old.weekday() + 3) % 7 - 3)
