"""Facts from what users wrote: the entry point of the reader."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from llm.multilingual.tokens import Span
from memory.facts.vocabulary import PREDICATES as VOCABULARY
from memory.facts.vocabulary import canonical_key, slug
from memory.mining.reader import decoding, plain, speech
from memory.mining.reader.decoding import Finding
from memory.mining.reader.network import Beliefs
from memory.mining.reader.predicates import PREDICATES, Predicate
from memory.mining.reader.sentences import sentence_of, sentences
from memory.mining.transcripts import Turn
from memory.mining.types import ExtractedFact
from memory.text.dates import DateSpan, read_ahead, read_clock, read_time
from memory.text.forms import USER, sentence
from memory.text.kinship import KIN, Kinship
from memory.text.languages import language_of
from memory.text.owner_sentences import fits, noun_phrase
from memory.text.patterns import compile_pattern
from memory.text.stop_words import COMMON_WORDS

READ = 20_000
FACTS_A_TURN = 12
WORTH_ASKING = 0.5
"""Calibrated confidence from which the owner is asked about a fact."""
BELIEVED = 0.3
"""How likely the network must think it that a sentence tells a fact for its plain words to be certain."""
CERTAIN = 0.6
"""The same for plain words behind others in their sentence."""
SURE_OF_KIN = 0.85
"""Confidence from which a relationship is certain although no word of its sentence says which one it is."""
MAX_NAME_WORDS, MAX_AGE = 4, 120
SHORT = 160
MAX_QUOTE_LENGTH = 240
QUOTED_IN_STATEMENT = 160

NEVER = 1.01
"""Above every confidence."""

_SINCE = compile_pattern(r"(?:since|seit|desde|depuis|ab|с|со|自|从).*", ignore_case=True)
_CLAUSE_END = compile_pattern(r"[,;:，；：]\s*|\s[-–—]+\s|[()]")
_FAVOURITE = compile_pattern(r"fav(?:ou?rite|e)?s? ([\pL-]{3,20})", ignore_case=True)
_WORD = compile_pattern(r"[\pL-]+")
_ARTICLE = compile_pattern(r"(?:an?|the) ")
_DIGITS = compile_pattern(r"\d{1,3}")
_NO_LONGER = compile_pattern(
    r"no longer|n['’]t [^,;.!?]*any ?more|(?:not|never) [^,;.!?]*any ?more"
    r"|nicht mehr|keine?[nmrs]? [^,;.!?]*mehr|(?:^|[^\pL])ya no |больше не |уже не |不再|已经不|没再"
    r"|(?:^|[^\pL])n(?:e |['’])[^,;.!?]*[ ]plus(?:[^\pL]|$)",
    ignore_case=True,
)
_DIED = compile_pattern(
    r"(?:^|[^\pL])(?:died|passed away|gestorben|murió|est morte?|умер(?:ла)?)(?:[^\pL]|$)|去世|死了",
    ignore_case=True,
)
_REST_OF_NAME = compile_pattern(r"(?:['’]s)?(?: (?:(?:of|de|du|of the) )?\p{Lu}[\pL\d'’&-]+)*")
_MODEL = compile_pattern(r"(?: \p{Lu}*\d[\pL\d-]*)+")
_TRIP = compile_pattern(r" (?:trip|itinerary|vacation|holiday|tour)(?:[^\pL]|$)")
_COPULA = compile_pattern(r"^(?:is|am|are|['’]m) (?:an? |the )?", ignore_case=True)
_PREPOSITION = compile_pattern(r"^(?:(?:at|in|for|bei|en|à|chez|в|на) |在)", ignore_case=True)
# "My new phone is a Pixel 6": what a thing is called for tells facts apart, not what it is.
_CALLED = compile_pattern(
    r"(?:^|[^\pL])(?:the ([\pL-]+) (?:in|of|on) )?(?:my|our) (?:new |old |current )?([\pL-]+)"
    r" is (?:now )?(?:an? )?$|(?:swapped|replaced) the ([\pL-]+) (?:in|of|on) (?:my|our) ([\pL-]+)"
    r" (?:for|with|by) (?:an? )?$",
    ignore_case=True,
)
_PAST = compile_pattern(
    r"(?:^|[^\pL])(?:i|we) (?:was|were) (?:still |then )?(?:living|working|using|staying)(?:[^\pL]|$)",
    ignore_case=True,
)
_TO_COME = compile_pattern(
    r"(?:^|[^\pL])(?:(?:i|we)(?:['’]ll| will)? (?:start|begin)|(?:i['’]?| a)m (?:starting|moving|joining)"
    r"|we(?:['’]| a)re (?:starting|moving)|(?:fange|beginne|starte) ich|ich (?:fange|beginne|starte)"
    r"|empiezo|je commence|начинаю|начну)(?:[^\pL]|$)",
    ignore_case=True,
)
_LATE_IN_MONTH = compile_pattern(
    r"(?:end of|late|ende|fin de|finales de|fines de|конца|конце) \pL{3}|月[末底]", ignore_case=True
)
_AFTERTHOUGHT = compile_pattern(
    r"\s+(?:now|nowadays|again|too|as well|these days|at the moment"
    r"|jetzt|wieder|ahora|también|maintenant|aussi|теперь|сейчас)$",
    ignore_case=True,
)
_INTRODUCED = compile_pattern(
    r"(?:^|[^\pL])(?:i|i['’]?m|my|me|we|our|names?|called|call|here|this is|signed"
    r"|ich|mein\pL*|mich|name|heiße?n?|hier|yo|soy|me|mi|llam\pL*|aquí|je|j|moi|mon|m|suis|appell\pL*|ici"
    r"|я|меня|мне|мо[йяё]|зовут|имя|это)(?:[^\pL]|$)|我|叫|名|这里是|這裡是",
    ignore_case=True,
)
_LIMITED = compile_pattern(
    r"budget|spend|afford|max|up to|at most|more than|limit|allowance|ausgeben|höchstens|presupuesto|gastar"
    r"|máxim|como mucho|dépenser|au plus|бюджет|тратить|не (?:больше|более)|максимум|预算|最多|不超过|以内",
    ignore_case=True,
)
_JOINTS = {"works_as": (" ",), "born_on": (" ", ". ")}
_HELD = {"worked_at": "works_at", "lived_in": "lives_in"}
_HAVING = ("owns", "uses", "has")
_NAMES = ("named", "nickname", "surname")
_PLACED = ("place", "organisation")
_DATED = ("event", "experience")
_AFTER_VALUE = 40


class Mind(Protocol):
    """What reads texts: the network of the reader, or a scripted one in tests."""

    calibration: NDArray[np.float64]

    def read(self, texts: Sequence[str]) -> list[list[Beliefs]]:
        """Beliefs about each text."""
        ...


@dataclass(frozen=True, slots=True)
class _Said:
    """A value in its turn: the sentence around it and the words to quote."""

    turn: Turn
    finding: Finding
    sentence: Span
    quote: Span

    @property
    def value(self) -> str:
        return self.turn.content[slice(*self.finding.place)]

    @property
    def words(self) -> str:
        return self.turn.content[slice(*self.sentence)]

    @property
    def is_over(self) -> bool:
        """Whether what is said no longer holds: the network thinks so, or the words around it say so."""
        start, end = _quote_within(self.turn.content, self.quote, self.finding.place)
        words = self.turn.content[start:end]
        is_dead = self.finding.predicate == "has_pet" and bool(_DIED.search(words))
        return self.finding.is_over or is_dead or bool(_NO_LONGER.search(words) or _PAST.search(words))


def read(turns: Sequence[Turn], mind: Mind) -> list[ExtractedFact]:
    """The facts that the users' turns tell about them, each with its exact source words, in order.

    Only the first 20,000 characters of a turn are looked at. A fact that is not certain enough, or that
    stands in
    a message which sets up a play, is `unsure`: it waits for its owner.
    """
    said = [turn for turn in turns if turn.role == "user"]
    beliefs = mind.read([turn.content[:READ] for turn in said])
    return [
        fact
        for turn, found in zip(said, beliefs, strict=True)
        for fact in _facts_of(turn, found, mind.calibration)
    ]


def _facts_of(turn: Turn, beliefs: Sequence[Beliefs], weights: NDArray[np.float64]) -> list[ExtractedFact]:
    content = turn.content[:READ]
    ranges, foreign = sentences(content), speech.foreign(content)
    played, pasted = speech.is_play(content), speech.doubtful(content)
    kept: dict[tuple[str, str], ExtractedFact] = {}
    for finding, confidence in _certain(content, beliefs, weights):
        if confidence < WORTH_ASKING or speech.is_inside(finding.place, foreign):
            continue
        said = _said(turn, finding, ranges)
        if not _clean(said, PREDICATES[finding.predicate]) or _is_doubtful_request(finding, confidence):
            continue
        for fact in _told(said, round(confidence, 3)):
            unsure = played or confidence < _sure(said) or speech.is_inside(finding.place, pasted)
            named = fact.predicate, slug(fact.object)
            if named not in kept or kept[named].confidence < confidence:
                kept[named] = replace(fact, unsure=unsure)
    unnamed = [fact for fact in kept.values() if not _is_named(fact, kept.values())]
    return sorted(unnamed, key=lambda fact: fact.span)[:FACTS_A_TURN]


def _is_doubtful_request(finding: Finding, confidence: float) -> bool:
    """Whether it is unsure that the user asked to remember this; `keyless.py` recognises plain requests."""
    predicate = PREDICATES[finding.predicate]
    return predicate.name == "asked_to_remember" and confidence < predicate.sure


def _sure(said: _Said) -> float:
    """The confidence from which a fact is certain. A relationship that no kinship word names needs more;
    names and relationships wait for review where nobody speaks of themselves, and sums of money where
    nothing says that they are a limit."""
    predicate = PREDICATES[said.finding.predicate]
    is_kin = bool(predicate.label)
    is_name = is_kin or predicate.name in _NAMES
    if is_name and len(said.value.split()) > MAX_NAME_WORDS:
        return NEVER
    if is_kin and _kin(said, predicate.name):
        return predicate.sure
    if is_name and not _INTRODUCED.search(said.words):
        return NEVER
    if predicate.name == "has_budget" and not _LIMITED.search(said.words):
        return NEVER
    return SURE_OF_KIN if is_kin else predicate.sure


def _certain(
    content: str, beliefs: Sequence[Beliefs], weights: NDArray[np.float64]
) -> Iterator[tuple[Finding, float]]:
    """Findings with their confidence. Plain statements go before what the network sees in the same words,
    but in a long message they wait where it thinks that their sentence tells nothing of the user."""
    plainly, found = list(plain.statements(content)), _joined(content, decoding.findings(content, beliefs))
    for finding in found:
        if not any(_overlap(finding.place, one.place) for one in plainly):
            yield finding, decoding.confidence(finding, weights)
    for one in plainly:
        over = any(finding.is_over and _overlap(finding.place, one.place) for finding in found)
        likely = decoding.any_fact(beliefs, one.place)
        believed = likely >= CERTAIN if one.is_later else len(content) < SHORT or likely >= BELIEVED
        yield Finding(one.place, one.predicate, over, ()), plain.CONFIDENCE if believed else WORTH_ASKING


def _joined(content: str, findings: Iterable[Finding]) -> list[Finding]:
    """The findings, neighbouring words of one job ("senior", "physiotherapist") or date made one."""
    joined: list[Finding] = []
    for finding in findings:
        last = joined[-1] if joined else None
        if last and finding.predicate == last.predicate and _adjoin(content, last, finding):
            surer = max(last, finding, key=lambda one: one.features[0])
            joined[-1] = replace(surer, place=(last.place[0], finding.place[1]))
        else:
            joined.append(finding)
    return joined


def _adjoin(content: str, one: Finding, other: Finding) -> bool:
    return content[one.place[1] : other.place[0]] in _JOINTS.get(one.predicate, ())


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _is_named(fact: ExtractedFact, others: Iterable[ExtractedFact]) -> bool:
    """Whether a fact mentions a relative whom another fact of the same words names ("my daughter Wren")."""
    return fact.predicate == "has_family" and any(
        other.persons and other.span == fact.span and fact.object.casefold() in other.statement.casefold()
        for other in others
    )


def _said(turn: Turn, finding: Finding, ranges: Sequence[Span]) -> _Said:
    sentence = sentence_of(finding.place[0], ranges)
    return _Said(turn, finding, sentence, _quote(turn.content, sentence, finding.place))


def _quote(content: str, sentence: Span, place: Span) -> Span:
    """The sentence, or the clauses around the value where it is long, without surrounding spaces."""
    start, end = sentence[0], max(sentence[1], place[1])
    if end - start > MAX_QUOTE_LENGTH:
        start, end = _quote_within(content, (start, end), place)
        start, end = max(start, place[0] - MAX_QUOTE_LENGTH // 2), min(end, place[1] + MAX_QUOTE_LENGTH // 2)
    while start < end and content[start].isspace():
        start += 1
    while end > max(start, place[1]) and (content[end - 1].isspace() or content[end - 1] in ".!。！…"):
        end -= 1
    return start, end


def _told(said: _Said, confidence: float) -> Iterator[ExtractedFact]:
    """The fact as it is stored; a home or job of the past also ends the present one."""
    predicate = PREDICATES[said.finding.predicate]
    fact = _dated(_fact(said, predicate, confidence), said)
    yield fact
    if predicate.name in _HELD:
        held = _fact(said, PREDICATES[_HELD[predicate.name]], confidence)
        yield replace(held, ended=True, valid_from=None, valid_to=_end(said))


def _fact(said: _Said, predicate: Predicate, confidence: float) -> ExtractedFact:
    value, known = _clean(said, predicate), VOCABULARY.get(predicate.name)
    key, statement = _stated(said, predicate, value)
    entity = known.entity if known else ""
    return ExtractedFact(
        message_id=said.turn.message_id,
        kind=predicate.kind,
        key=key,
        value=predicate.value.replace("{value}", value),
        statement=statement,
        predicate=predicate.name,
        object=value,
        quote=said.turn.content[slice(*said.quote)],
        span=said.quote,
        confidence=confidence,
        ended=said.is_over,
        single_valued=known.single_valued if known else slug(value) not in key,
        persons=(value,) if entity == "person" else (),
        location=value if entity == "place" else "",
    )


def _clean(said: _Said, predicate: Predicate) -> str:
    value = _AFTERTHOUGHT.sub("", " ".join(_whole_name(said, predicate).split()))
    if predicate.name == "aged" and (digits := _DIGITS.search(value)):
        return digits[0] if int(digits[0]) <= MAX_AGE else ""
    if predicate.label or predicate.name in _NAMES:
        value = _name(value)
    value, known = _COPULA.sub("", value), VOCABULARY.get(predicate.name)
    if known and known.entity in _PLACED:
        value = _PREPOSITION.sub("", value)
        return _TRIP.sub("", value).removeprefix("the ") if _is_trip(said) else value
    if not predicate.says:
        value = _without_last_particles(value)
    return value.removesuffix("'s").removesuffix("’s").removeprefix("在")


def _without_last_particles(value: str) -> str:
    """The value without small words at its end ("birthday party for"); empty if it holds nothing else."""
    words = value.split()
    while words and words[-1].islower() and words[-1] in COMMON_WORDS:
        words.pop()
    return " ".join(words)


def _whole_name(said: _Said, predicate: Predicate) -> str:
    """The value, and the rest of the name of a place, an organisation or a model ("Pixel 8") that it stops
    in."""
    known = VOCABULARY.get(predicate.name)
    is_placed = known is not None and known.entity in _PLACED
    last = said.value.split()[-1:]
    if not (is_placed or predicate.name in _HAVING) or not last or not last[0][0].isupper():
        return said.value
    pattern = _REST_OF_NAME if is_placed else _MODEL
    rest = pattern.match(said.turn.content[said.finding.place[1] : said.sentence[1]])
    return said.value + rest[0] if rest else said.value


def _name(value: str) -> str:
    """The words of a name up to its last capital, where there is one."""
    words = value.split()
    last = max((at for at, word in enumerate(words) if word[:1].isupper()), default=len(words) - 1)
    return " ".join(words[: last + 1])


def _stated(said: _Said, predicate: Predicate, value: str) -> tuple[str, str]:
    """The key and the statement of a fact."""
    kin = _kin(said, predicate.name) if predicate.label else None
    key, statement = kin.key if kin else predicate.key, ""
    if predicate.name == "favourite" and (thing := _FAVOURITE.search(said.words)):
        key, statement = f"favourite_{slug(thing[1])}", f"The user's favourite {thing[1].lower()} is {value}."
    elif predicate.name in _HAVING and (called := _called(said)):
        key, statement = slug(called), f"The user's {called} is {value}."
    elif kin:
        statement = f"{value} is the user's {kin.label}."
    elif predicate.says:
        statement = predicate.says.replace("{quote}", said.turn.content[slice(*_shorter(said))])
    else:
        statement = _in_form(said, predicate, value)
    return canonical_key(key.replace("{slug}", slug(value))), statement


def _called(said: _Said) -> str:
    """What the user calls a thing they name by its make: "phone", "e-bike battery"; empty if they do not."""
    copula = _COPULA.match(said.value)
    start = said.finding.place[0] + (copula.end() if copula else 0)
    match = _CALLED.search(said.turn.content[said.sentence[0] : start])
    if match is None:
        return ""
    part, whole = (match[1] or match[3], match[2] or match[4])
    return f"{whole} {part}".lower() if part else whole.lower()


def _in_form(said: _Said, predicate: Predicate, value: str) -> str:
    """The statement of a predicate, the value with its article; in English, the user's own words where the
    value does not go into it ("works as teach"), told apart by the value."""
    if language_of(said.words) not in ("en", ""):
        return sentence(predicate.name, value, USER)
    if not fits(predicate.name, value, said.words):
        return f"The user said about “{value}”: “{said.turn.content[slice(*_shorter(said))]}”"
    phrase = value if _is_trip(said) else noun_phrase(predicate.name, value, said.words)
    return sentence(predicate.name, phrase if _ARTICLE.match(phrase) else value, USER)


def _is_trip(said: _Said) -> bool:
    """Whether the value is the name of a place in front of "trip", whose article it then shares."""
    behind = said.turn.content[said.finding.place[1] : said.sentence[1]]
    return bool(_TRIP.search(said.value) or _TRIP.match(behind))


def _shorter(said: _Said) -> Span:
    """The words of the quote that go into a statement."""
    start, end = said.quote
    if end - start <= QUOTED_IN_STATEMENT:
        return said.quote
    return _quote_within(said.turn.content, said.quote, said.finding.place)


def _quote_within(content: str, quote: Span, place: Span) -> Span:
    borders = [quote[0] + match.end() for match in _CLAUSE_END.finditer(content[slice(*quote)])]
    start = max([quote[0], *(border for border in borders if border <= place[0])])
    end = min([quote[1], *(border for border in borders if border >= place[1])])
    return start, max(end, place[1])


def _kin(said: _Said, predicate: str) -> Kinship | None:
    """The word for a relative or pet in the sentence that fits the predicate and stands nearest to the
    name."""
    place = said.finding.place[0] - said.sentence[0]
    found = [
        (abs(at - place), kin) for at, kin in _kin_words(said.words.casefold()) if kin.predicate == predicate
    ]
    return min(found, key=lambda one: one[0])[1] if found else None


def _kin_words(words: str) -> Iterator[tuple[int, Kinship]]:
    for match in _WORD.finditer(words):
        for table in KIN.values():
            if match[0] in table:
                yield match.start(), table[match[0]]
    for word, kin in KIN["zh"].items():
        if word in words:
            yield words.index(word), kin


def _dated(fact: ExtractedFact, said: _Said) -> ExtractedFact:
    if fact.ended:
        return replace(fact, valid_to=_end(said))
    if fact.kind in _DATED:
        return _on_its_day(fact, said)
    span = read_ahead(said.words, said.turn.said_at.date()) if _TO_COME.search(said.words) else _past(said)
    return replace(fact, valid_from=_midnight(span, said)) if span and _is_start(span, said) else fact


def _on_its_day(fact: ExtractedFact, said: _Said) -> ExtractedFact:
    """An event or experience with its date, and a stay or job that lasted with both its ends."""
    span = _when(said, fact.kind)
    if span is None:
        return fact
    if fact.predicate in _HELD and (span.end - span.start).days > 366:
        start, end = (
            datetime.combine(day, time(), said.turn.said_at.tzinfo) for day in (span.start, span.end)
        )
        return replace(fact, valid_from=start, valid_to=min(end, said.turn.said_at))
    exact = (span.end - span.start).days == 1
    label = span.start.isoformat() if exact else f"about {span.start:%Y-%m}"
    clock = read_clock(said.words) if exact else None
    return replace(
        fact,
        statement=f"{fact.statement.removesuffix('.')} ({label}).",
        key=f"{fact.key}_{slug(label)}" if fact.kind == "event" else fact.key,
        event_time=datetime.combine(span.start, clock or time(), said.turn.said_at.tzinfo),
    )


def _when(said: _Said, kind: str) -> DateSpan | None:
    """The date in the sentence: of those read as past and as still to come, the one with more words; between
    equals, events are to come."""
    past, ahead = _past(said), read_ahead(said.words, said.turn.said_at.date())
    if past and ahead:
        longer = len(past.words) - len(ahead.words)
        return past if longer > 0 or (longer == 0 and kind != "event") else ahead
    return past or ahead


def _past(said: _Said) -> DateSpan | None:
    """The date in the clause of the value, or else in its sentence."""
    clause = said.turn.content[slice(*_quote_within(said.turn.content, said.quote, said.finding.place))]
    today = said.turn.said_at.date()
    return read_time(clause, today) or read_time(said.words, today)


def _is_start(span: DateSpan, said: _Said) -> bool:
    """Whether a date says since when something holds: after "since", or right behind the value."""
    if _SINCE.fullmatch(span.words):
        return True
    at = said.words.find(span.words)
    behind = at - (said.finding.place[1] - said.sentence[0])
    return 0 <= behind <= _AFTER_VALUE and (
        span.start < said.turn.said_at.date() or bool(_TO_COME.search(said.words))
    )


def _end(said: _Said) -> datetime | None:
    """When something was over, if the sentence says so."""
    span = _past(said)
    if span is None:
        return None
    return min(datetime.combine(span.end, time(), said.turn.said_at.tzinfo), said.turn.said_at)


def _midnight(span: DateSpan, said: _Said) -> datetime:
    """When a date begins; of "the end of March" its last ten days."""
    before = said.words[: said.words.find(span.words)] + span.words
    is_late = span.start.day == 1 and bool(_LATE_IN_MONTH.search(before))
    day = span.start.replace(day=21) if is_late else span.start
    return datetime.combine(day, time(), said.turn.said_at.tzinfo)
