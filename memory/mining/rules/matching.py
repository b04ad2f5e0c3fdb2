"""From sentences in the first person to facts with their exact source words."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import chain

from memory.facts.vocabulary import PREDICATES, canonical_key, slug
from memory.mining.rules import periods
from memory.mining.rules.corrections import taken_back
from memory.mining.rules.dates import DateFound, dates, moment
from memory.mining.rules.masking import handed_over, spoken
from memory.mining.rules.periods import Period
from memory.mining.rules.plays import is_play
from memory.mining.rules.reading import Reading
from memory.mining.rules.sameness import DATED_KINDS, implied_among, same
from memory.mining.rules.sentences import Sentence, contexts, pairs, sentences
from memory.mining.rules.table import Language, ReadAs, Rule
from memory.mining.rules.values import brief, condition, objects, third_person
from memory.mining.transcripts import Turn
from memory.mining.types import ExtractedFact

ANALYSED = 20_000
FACTS_A_TURN = 10
PLAYED_CONFIDENCE = 0.45

_PAST = re.compile(
    r"\b(?:was|were|went|had|attended|took|did|came|ran|helped|spent|bought|met|celebrated|ago)\b"
    r"|(?<!ve )(?<!['\u2019]ve )\bgot\b(?! (?:moved|rescheduled|postponed|pushed|an? |my |tickets))",
    re.IGNORECASE,
)
# "In February I was still living in Rome" says nothing of when it was over.
_STILL = re.compile(r"\b(?:was|were) still\b", re.IGNORECASE)
_Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Found:
    """A fact and whether the words say that it is over: when, or how long it had lasted."""

    fact: ExtractedFact
    ended: bool
    ended_at: datetime | None = None
    lasted: Period | None = None


@dataclass(frozen=True, slots=True)
class _Taken:
    """Words of which a rule has made something, and whether they name somebody."""

    start: int
    end: int
    named: bool


@dataclass(frozen=True, slots=True)
class _Place:
    language: Language
    sentence: Sentence
    reading: Reading


@dataclass(frozen=True, slots=True)
class _Hit:
    rule: Rule
    language: Language
    sentence: Sentence
    reading: Reading
    match: re.Match[str]

    @property
    def begin(self) -> int:
        """Where the match begins in the reading, after words that only lead up to it."""
        lead = self.match.groupdict().get("lead")
        return self.match.start() + len(lead or "")

    @property
    def start(self) -> int:
        """Where the match begins in the sentence as it was said."""
        return self.reading.origins[self.begin]


def facts_of(turn: Turn, languages: Iterable[Language]) -> list[Found]:
    """What a user's turn says about the user, in the order it was said, at most ten facts.

    Only the first 20,000 characters are looked at. Facts of a turn that sets up a role play come
    with a confidence that sends them to review.
    """
    content = turn.content[:ANALYSED]
    words = spoken(content)
    played = is_play(words) or handed_over(content)
    kept: list[Found] = []
    for found in _found(words, turn, tuple(languages)):
        if len(kept) < FACTS_A_TURN and not _repeats(found, kept):
            kept.append(_doubted(found) if played else found)
    implied = implied_among([found.fact for found in kept])
    told = [found for at, found in enumerate(kept) if at not in implied or found.ended]
    return sorted(told, key=lambda found: found.fact.span)


def _found(words: str, turn: Turn, languages: tuple[Language, ...]) -> Iterator[Found]:
    for sentence in chain(sentences(words), pairs(words)):
        yield from _facts_in(sentence, turn, languages)
    for sentence in contexts(words):
        yield from _facts_in_context(sentence, turn, languages)


def _facts_in(sentence: Sentence, turn: Turn, languages: Iterable[Language]) -> Iterator[Found]:
    stated = sentence.text[: sentence.stated]
    for language in languages:
        if not language.cue.search(stated):
            continue
        taken: list[_Taken] = []
        for reading in language.clauses(stated):
            rules = _tried(language, reading, "sentence" if reading.whole else "clause")
            yield from _facts_by(rules, _Place(language, sentence, reading), turn, taken)


def _facts_in_context(sentence: Sentence, turn: Turn, languages: Iterable[Language]) -> Iterator[Found]:
    for language in languages:
        if language.in_context and language.in_context.search(sentence.text):
            reading = language.context(sentence.text)
            rules = _tried(language, reading, "context")
            yield from _facts_by(rules, _Place(language, sentence, reading), turn, [])


def _facts_by(rules: Iterable[Rule], place: _Place, turn: Turn, taken: list[_Taken]) -> Iterator[Found]:
    for rule in rules:
        for match in rule.pattern.found_in(place.reading):
            hit = _Hit(rule, place.language, place.sentence, place.reading, match)
            if not _vetoed(hit, turn.content):
                yield from _facts_from(hit, turn, taken)


def _tried(language: Language, reading: Reading, read_as: ReadAs) -> Iterator[Rule]:
    """The rules for what is read so whose hint it holds; a hint is looked for once."""
    told: dict[re.Pattern[str] | None, bool] = {None: True}
    for hint, rules in language.runs[read_as]:
        if hint not in told:
            told[hint] = bool(hint and hint.search(reading.text))
        if told[hint]:
            yield from rules


def _vetoed(hit: _Hit, said: str) -> bool:
    before = hit.reading.text[: hit.begin]
    at = hit.sentence.start + hit.start
    if taken_back(hit.reading.text, hit.begin, said, at) or _asked(hit, before):
        return True
    clause = re.split(r"[,，]|(?<=[.!?])\s", before)[-1]
    return bool(hit.language.veto.search(clause) or hit.language.imagined.search(before))


def _asked(hit: _Hit, before: str) -> bool:
    """Whether the words of a context belong to a question or an intention."""
    asking = hit.language.asking
    return hit.rule.pattern.scope == "context" and bool(asking and asking.search(before))


def _facts_from(hit: _Hit, turn: Turn, taken: list[_Taken]) -> Iterator[Found]:
    """The facts of one match, but for words of which another rule has made something: `taken` in
    the sentence, and from now on with these."""
    for text, where in _objects(hit):
        words = hit.reading.span(*where)
        if any(_clashes(words, hit.rule, other) for other in taken):
            continue
        end = condition(hit.sentence.text, words[1]) if hit.rule.shape == "limited" else words[1]
        verbatim = hit.rule.shape == "clause" or hit.language.verbatim or end > words[1]
        words = words[0], end
        if verbatim:
            text = hit.sentence.text[slice(*words)]
        fact = _fact(hit, turn, text, _trimmed(turn.content, _quoted(hit, where[1])))
        found = tuple(_dated(fact, hit.rule, hit, turn)) if fact else ()
        taken += [_Taken(*words, bool(fact.persons))] if fact and found else []
        yield from found


def _clashes(words: _Range, rule: Rule, taken: _Taken) -> bool:
    """Whether the words were read before; somebody's name may stand in what takes place as well."""
    if taken.named and rule.kind == "event":
        return False
    return words[0] < taken.end and taken.start < words[1]


def _objects(hit: _Hit) -> Iterator[tuple[str, _Range]]:
    """Each object of a match and where it is in the reading."""
    rule, begin = hit.rule, hit.match.start("o")
    for text, end in objects(hit.match["o"], rule.shape, hit.language, many=rule.many):
        if not rule.only or _known(text, rule.only):
            yield text, (begin + end - len(text), begin + end)


def _quoted(hit: _Hit, end: int) -> _Range:
    """The words of the match in the turn, up to the end of the object when that ends it."""
    match = hit.match
    last = end if match.end("o") == match.end() else match.end()
    start, stop = hit.reading.span(hit.begin, last)
    return hit.sentence.start + start, hit.sentence.start + stop


def _known(text: str, words: frozenset[str]) -> bool:
    return any(word in words for word in text.casefold().split())


def _trimmed(content: str, span: tuple[int, int]) -> tuple[int, int]:
    start, end = span
    while start < end and (content[start].isspace() or content[start] in ",.，。"):
        start += 1
    return start, end


def _fact(hit: _Hit, turn: Turn, text: str, span: tuple[int, int]) -> ExtractedFact | None:
    rule = hit.rule
    groups = hit.match.groupdict()
    word, whose = groups.get("r") or "", groups.get("d") or ""
    kin = hit.language.kin.get(word.casefold())
    if not rule.predicate and kin is None:
        return None
    predicate = kin.predicate if kin else rule.predicate.format(r=slug(word), d=slug(whose))
    named = {"object": third_person(text), "said": text, "slug": slug(text)}
    named |= {"r": word.casefold(), "d": whose.casefold()}
    named |= {"R": third_person(word), "D": third_person(whose), "brief": brief(word)}
    if kin:
        named |= {"label": kin.label}
    key = canonical_key((kin.key if kin else rule.key).format(**named))
    known = PREDICATES.get(predicate)
    return ExtractedFact(
        message_id=turn.message_id,
        kind=rule.kind,
        key=key,
        value=rule.value.format(**named),
        statement=rule.statement.format(**named),
        predicate=predicate,
        object=text,
        quote=turn.content[slice(*span)],
        span=span,
        confidence=rule.confidence,
        single_valued=known.single_valued if known else "{slug}" not in rule.key,
        persons=(text,) if known and known.entity == "person" else (),
        location=text if known and known.entity == "place" else "",
    )


def _dated(fact: ExtractedFact, rule: Rule, hit: _Hit, turn: Turn) -> Iterator[Found]:
    """The fact with the date its sentence gives; an event without any date is none."""
    sentence = hit.sentence.text
    past = rule.ended or rule.kind == "experience" or bool(_PAST.search(sentence))
    days = [d for d in dates(sentence, turn.said_at, past=past) if d.day]
    days = [d for d in days if d.end > hit.start] or days[-1:]
    if rule.kind not in DATED_KINDS and not rule.ended:
        start = periods.began if rule.begins else periods.since
        yield Found(replace(fact, valid_from=start(sentence, turn.said_at)), False)
        return
    if rule.kind in DATED_KINDS and days and not fact.single_valued:
        fact = _on_its_day(fact, days[0], sentence, turn)
    if rule.ended and _STILL.search(sentence, hit.start):
        return
    if rule.ended:
        over = periods.ended(days, turn.said_at)
        yield Found(fact, True, over, periods.lasted(sentence[hit.start :], turn.said_at))
    elif days or rule.kind == "experience":
        yield Found(fact, False)


def _on_its_day(fact: ExtractedFact, day: DateFound, sentence: str, turn: Turn) -> ExtractedFact:
    label = _label(day)
    return replace(
        fact,
        event_time=moment(day, sentence[day.start :], turn.said_at),
        statement=f"{fact.statement.removesuffix('.')} ({label}).",
        key=f"{fact.key}_{slug(label)}" if fact.kind == "event" else fact.key,
    )


def _label(found: DateFound) -> str:
    day: date = found.day or date.min
    return day.isoformat() if found.exact else f"about {day:%Y-%m}"


def _repeats(found: Found, kept: Iterable[Found]) -> bool:
    """Whether the same thing, or the same words under the same kind, were already understood. That
    one value is over does not repeat that another holds."""
    fact = found.fact
    return any(same(fact, other.fact) for other in kept if other.ended == found.ended)


def _doubted(found: Found) -> Found:
    confidence = min(found.fact.confidence, PLAYED_CONFIDENCE)
    return replace(found, fact=replace(found.fact, confidence=confidence))
