"""Check a model's answer against the transcript. Items are refused one by one, with a reason that never
repeats the user's words; a bad item never discards the window."""

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import accumulate, islice
from typing import Any, TypeVar
from unicodedata import decimal

from dateutil.parser import isoparse
from dateutil.relativedelta import relativedelta
from django.utils.translation import gettext_noop as _
from pydantic import BaseModel, ValidationError

from memory.aaak import Tags
from memory.facts.statements import DEFAULT_MAX_CONFIDENCE, MAX_CONFIDENCE
from memory.facts.vocabulary import (
    PREDICATES,
    canonical_key,
    canonical_predicate,
    kind_of,
    predicate_of,
    slug,
)
from memory.mining import prompts
from memory.mining.reader import predicates as reader_predicates
from memory.mining.reader.speech import own_words
from memory.mining.transcripts import Turn
from memory.mining.types import (
    WING_KINDS,
    Authority,
    ExtractedEntity,
    ExtractedFact,
    ExtractedRelation,
    Extraction,
    Refusal,
    TurnPlacement,
    WingGuess,
)
from memory.mining.windows import without_memory
from memory.text.sentences import sentences

MAX_QUOTE_LENGTH = 2_000
MAX_CONTEXT_LENGTH = 400

_SAME_MARKS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "«": '"', "»": '"'})
_LETTER = re.compile(r"[^\W_]")
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_RUN = re.compile(r"\S+")
_WORD = re.compile(r"[^\W_]+")


def locate(quote: str, content: str) -> tuple[int, int] | None:
    """The half-open range of `quote` in `content`, or None. Whitespace may differ, and curly quotes match
    straight ones. A quote with fewer than three letters or two ideographs is never found."""
    wanted = quote.strip()
    is_long_enough = len(_LETTER.findall(wanted)) >= 3 or len(_IDEOGRAPH.findall(wanted)) >= 2
    if not is_long_enough or len(wanted) > MAX_QUOTE_LENGTH:
        return None
    start = content.find(wanted)
    if start >= 0:
        return start, start + len(wanted)
    return _locate_loosely(" ".join(wanted.translate(_SAME_MARKS).split()), content)


def _locate_loosely(wanted: str, content: str) -> tuple[int, int] | None:
    """The range of `wanted` (single spaces, straight quotes) in `content`, whatever its spacing. Takes
    linear time even if the quote nearly matches in many places."""
    words = [match.span() for match in _RUN.finditer(content)]
    plain = " ".join(content[start:end] for start, end in words).translate(_SAME_MARKS)
    found = plain.find(wanted)
    if found < 0:
        return None
    starts = list(accumulate((end - start + 1 for start, end in words), initial=0))

    def original(place: int) -> int:
        word = bisect_right(starts, place) - 1
        return words[word][0] + place - starts[word]

    return original(found), original(found + len(wanted) - 1) + 1


def sentence_around(span: tuple[int, int], content: str) -> tuple[int, int]:
    """The half-open range of the sentence or line of `content` around `span`, at most 400 characters
    beyond either side."""
    start, end = span
    offset = max(0, start - MAX_CONTEXT_LENGTH)
    ranges = sentences(content[offset : end + MAX_CONTEXT_LENGTH])
    first = offset + max(begin for begin, _ in ranges if offset + begin <= start)
    last = offset + min(stop for _, stop in ranges if offset + stop >= end)
    return start - len(content[first:start].lstrip()), end + len(content[end:last].rstrip())


def mentions(name: str, texts: Iterable[str]) -> bool:
    """Whether any of the casefolded `texts` contains `name`, whatever its case and spacing."""
    wanted = " ".join(name.casefold().split())
    return bool(wanted) and any(wanted in text for text in texts)


def shares_words(claim: str, quote: str) -> bool:
    """Whether a word (or for ideographs a character) of `claim` occurs in `quote`."""
    said = set(_comparable_words(quote))
    return any(unit in said for unit in _comparable_words(claim))


def _comparable_words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.casefold()):
        if _IDEOGRAPH.search(word):
            yield from word
        else:
            yield word


MAX_STATEMENT_LENGTH = 1_000
MIN_STATEMENT_LENGTH = 5
MAX_TAGS = 20
MAX_TAG_LENGTH = 80
YEARS = range(1900, 2201)

_ENTITY_TYPES = {
    "organization": "organisation",
    "company": "organisation",
    "location": "place",
    "city": "place",
    "country": "place",
    "pet": "animal",
    "product": "thing",
    "object": "thing",
    "concept": "topic",
}

_UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")
_PERIODS = {len("2024"): relativedelta(years=1), len("2024-05"): relativedelta(months=1)}


class ItemRefused(ValueError):
    """One item of an answer was refused; the message is a sentence for the owner."""


def refuse_unless(holds: bool, reason: str) -> None:
    """Raise `ItemRefused` with `reason` unless the condition holds."""
    if not holds:
        raise ItemRefused(reason)


def phrase(text: str, name: str, max_length: int) -> str:
    """`text` on one line; refused if empty, too long or unstorable."""
    what = {"what": name}
    unstorable = _("The %(what)s has characters that cannot be stored.") % what
    refuse_unless(not _UNSTORABLE.search(text), unstorable)
    clean = " ".join(text.split())
    refuse_unless(bool(clean), _("The %(what)s is empty.") % what)
    refuse_unless(len(clean) <= max_length, _("The %(what)s is too long.") % what)
    return clean


def phrases(values: Iterable[str]) -> tuple[str, ...]:
    """The usable ones of these short phrases, without duplicates."""
    clean = (" ".join(value.split()) for value in values)
    kept = [v for v in clean if v and len(v) <= MAX_TAG_LENGTH and not _UNSTORABLE.search(v)]
    return tuple(dict.fromkeys(kept))[:MAX_TAGS]


def sentence(text: str) -> str:
    """A statement of 5 to 1,000 characters."""
    clean = phrase(text, "statement", MAX_STATEMENT_LENGTH)
    refuse_unless(len(clean) >= MIN_STATEMENT_LENGTH, _("The statement is too short."))
    return clean


def fact_kind(name: str, predicate: str) -> str:
    """The fact kind of this name, which may come from an older vocabulary; for an unknown name the usual kind
    of the predicate, or the general one."""
    usual = reader_predicates.PREDICATES.get(predicate)
    return kind_of(slug(name)) or (usual.kind if usual else "other")


def entity_type(name: str) -> str:
    """The entity type of this name, which may be a common synonym."""
    wanted = slug(name)
    found = _ENTITY_TYPES.get(wanted, wanted)
    refuse_unless(found in prompts.ENTITY_TYPES, _("The type of the entity is unknown."))
    return found


def moment(text: str | None, said_at: datetime, *, through: bool = False) -> datetime | None:
    """An ISO 8601 date of any precision, in the time zone of `said_at`; None if unreadable. A month or
    year alone means its beginning, or with `through` its end."""
    wanted = "".join(str(decimal(each, each)) for each in (text or "").strip())  # digits of any script
    is_date = bool(_DATE.fullmatch(wanted))
    try:
        found = isoparse(wanted) if is_date else datetime.fromisoformat(wanted)
        found += _PERIODS.get(len(wanted), relativedelta()) if through and is_date else relativedelta()
    except (ValueError, OverflowError):
        return None
    aware = found if found.tzinfo else found.replace(tzinfo=said_at.tzinfo)
    return aware if aware.year in YEARS else None


MAX_FACTS_PER_TURN = 10
MAX_OBJECTS_TRIED = 20
OWNER = "user"
POINTER = "§"
NO_WING = WingGuess("topic", "")

Item = TypeVar("Item")
Answered = TypeVar("Answered", bound=BaseModel)


class ExtractionUnreadable(Exception):
    """The answer is not a JSON object of the expected shape; the message contains no user text."""


def validate(raw: str, turns: Mapping[str, Turn]) -> Extraction:
    """The valid items of the model's JSON answer `raw`, and why the others were refused. `turns` are the
    turns of the window under the local ids the model was given. The wing is NO_WING if the model named no
    usable one. Raises `ExtractionUnreadable` if there is no usable answer."""
    validator = _Validator(_parsed(raw), turns)
    found = Extraction(
        method="model",
        wing=validator.wing(),
        placements=validator.each("turns", validator.placement),
        facts=validator.each("facts", validator.fact),
        entities=validator.each("entities", validator.entity),
        relations=validator.each("relations", validator.relation),
    )
    return replace(found, refused=tuple(validator.refused))


def _parsed(raw: str) -> dict[str, Any]:
    """The first object with a list of turns or facts, whatever surrounds it."""
    text = _after_thoughts(raw)
    for start in islice((place for place, letter in enumerate(text) if letter == "{"), MAX_OBJECTS_TRIED):
        with suppress(ValueError, RecursionError):
            answer: dict[str, Any] = json.JSONDecoder().raw_decode(text, start)[0]
            if any(isinstance(answer.get(name), list) for name in ("turns", "facts")):
                return answer
    raise ExtractionUnreadable(_flaw_of(text))


def _flaw_of(text: str) -> str:
    try:
        answer = json.JSONDecoder().raw_decode(text[max(0, text.find("{")) :])[0]
    except json.JSONDecodeError as error:
        return f"it is not valid JSON ({error.msg} at line {error.lineno}, column {error.colno})"
    except (RecursionError, ValueError):
        return "it is not JSON of a sensible size"
    if not isinstance(answer, dict):
        return "it is not a JSON object"
    return "it has neither a list of turns nor a list of facts"


def _after_thoughts(raw: str) -> str:
    """An answer without thoughts and prose before its fence, which may hold a draft of it."""
    text = raw.strip()
    for mark in ("</think>", "```json"):
        _, found, after = text.partition(mark)
        if found and not text.startswith("{"):
            text = after.lstrip()
    return text


class _Validator:
    """One validation: what was said, accepted and refused so far."""

    def __init__(self, answer: dict[str, Any], turns: Mapping[str, Turn]) -> None:
        self._answer = answer
        self._turns = turns
        self._contents = {name: without_memory(turn.content) for name, turn in turns.items()}
        self._said = [" ".join(text.casefold().split()) for text in self._contents.values()]
        self._names: list[str] = []
        self._placed: set[str] = set()
        self._kept: Counter[str] = Counter()
        self.refused: list[Refusal] = []
        if set(answer) - set(prompts.Answer.model_fields):
            why = _("The answer has keys that were not asked for; they were ignored.")
            self.refused.append(Refusal("answer", why))

    def each(self, name: str, accept: Callable[[Any], Item]) -> tuple[Item, ...]:
        """The items under `name` that `accept` allows; the others become refusals."""
        items = self._answer.get(name, [])
        if not isinstance(items, list):
            self.refused.append(Refusal(name, _("It is not a list.")))
            return ()
        accepted: list[Item] = []
        for number, item in enumerate(items, 1):
            try:
                accepted.append(accept(item))
            except ItemRefused as refusal:
                self.refused.append(Refusal(f"{name} {number}", str(refusal)))
        return tuple(accepted)

    def wing(self) -> WingGuess:
        try:
            item = _validate_item(prompts.AnsweredWing, self._answer.get("wing"))
            refuse_unless(item.kind in WING_KINDS, _("The kind of the wing is unknown."))
            return WingGuess(item.kind, phrase(item.name, "name", 80))
        except ItemRefused as refusal:
            self.refused.append(Refusal("wing", str(refusal)))
            return NO_WING

    def placement(self, item: Any) -> TurnPlacement:
        found = _validate_item(prompts.AnsweredTurn, item)
        turn = self._turn(found.id)
        refuse_unless(found.id not in self._placed, _("The turn was already placed."))
        topic = phrase(found.topic, "topic", 80)
        self._placed.add(found.id)
        said = [" ".join(self._contents[found.id].casefold().split())]
        tags = {
            line: tuple(value for value in phrases(values) if mentions(value, said))
            for line, values in found.tags.model_dump().items()
        }
        return TurnPlacement(turn.message_id, topic, Tags(**tags))

    def fact(self, item: Any) -> ExtractedFact:
        found = _validate_item(prompts.AnsweredFact, item)
        turn = self._turn(found.turn)
        refuse_unless(self._kept[found.turn] < MAX_FACTS_PER_TURN, _("The turn already has ten facts."))
        fact = self._timeless_fact(found, turn)
        refuse_unless(bool(fact.key and fact.predicate), _("The key or predicate has no letters."))
        start, end = _validity(found, turn)
        self._kept[found.turn] += 1
        return replace(
            fact,
            valid_from=start,
            valid_to=end,
            event_time=moment(found.event_time, turn.said_at),
            persons=tuple(name for name in phrases(found.persons) if mentions(name, self._said)),
            location=found.location.strip() if mentions(found.location, self._said) else "",
        )

    def _timeless_fact(self, found: prompts.AnsweredFact, turn: Turn) -> ExtractedFact:
        """The fact with its quote and authority, without its time and place."""
        quote, span = self._quote(found.turn, found.quote)
        predicate = canonical_predicate(phrase(found.predicate, "predicate", 60))
        stated = found.source == "stated" and shares_words(f"{found.value} {found.object}", quote)
        authority = self._authority(found.turn, span)
        if authority != "user":  # the text around it may ask to be believed
            span = sentence_around(span, self._contents[found.turn])
            quote = turn.content[slice(*span)]
        return ExtractedFact(
            message_id=turn.message_id,
            kind=fact_kind(found.kind, predicate),
            key=canonical_key(phrase(found.key, "key", 80)),
            value=phrase(found.value, "value", 300),
            statement=sentence(found.statement),
            predicate=predicate,
            object=phrase(found.object, "object", 300),
            quote=quote,
            span=span,
            confidence=_capped(found.confidence, authority, stated),
            authority=authority,
            single_valued=not predicate.startswith(prompts.BESIDE)
            and (found.single_valued or predicate_of(predicate).single_valued),
            ended=found.ended,
        )

    def entity(self, item: Any) -> ExtractedEntity:
        found = _validate_item(prompts.AnsweredEntity, item)
        name = phrase(found.name, "name", 120)
        aliases = tuple(alias for alias in phrases(found.aliases) if mentions(alias, self._said))
        known = mentions(name, self._said) or bool(aliases)
        refuse_unless(known, _("The name does not occur in the chat."))
        self._names.append(name.casefold())
        return ExtractedEntity(name, entity_type(found.type), aliases)

    def relation(self, item: Any) -> ExtractedRelation:
        found = _validate_item(prompts.AnsweredRelation, item)
        turn = self._turn(found.turn)
        quote, span = self._quote(found.turn, found.quote)
        authority = self._authority(found.turn, span)
        confidence = _capped(found.confidence, authority, True)
        subject, other = self._relation_end(found.subject), self._relation_end(found.object)
        own = authority == "user" or OWNER not in (subject, other)
        refuse_unless(own, _("Only the user can state their own relations."))
        refuse_unless(subject != other, _("Both ends of the relation are the same."))
        relation = canonical_predicate(phrase(found.relation, "relation", 60))
        refuse_unless(bool(relation), _("The relation has no letters."))
        known = PREDICATES.get(relation)
        start, end = _validity(found, turn)
        return ExtractedRelation(
            message_id=turn.message_id,
            subject=subject,
            relation=relation,
            object=other,
            quote=quote,
            confidence=confidence,
            single_valued=known.single_valued if known else found.single_valued,
            valid_from=start,
            valid_to=end,
            ended=found.ended,
        )

    def _turn(self, name: str) -> Turn:
        turn = self._turns.get(name)
        if turn is None:
            raise ItemRefused(_("It names a turn that is not in the window."))
        return turn

    def _quote(self, name: str, quote: str) -> tuple[str, tuple[int, int]]:
        """The exact words that a quote matches, and their range; refused if they overlap a memory block, or
        if the assistant only cites a memory there."""
        turn, content = self._turns[name], self._contents[name]
        span = locate(quote, content)
        if span is None or turn.content[slice(*span)] != content[slice(*span)]:
            raise ItemRefused(_("The quote is not in the turn it names."))
        if turn.role == "assistant":
            line = content[: span[0]].rpartition("\n")[2] + content[span[0] :].partition("\n")[0]
            refuse_unless(POINTER not in line, _("The assistant only repeats a memory there."))
        return turn.content[slice(*span)], span

    def _authority(self, name: str, span: tuple[int, int]) -> Authority:
        role = self._turns[name].role
        if role == "user":
            own = own_words(self._contents[name])[slice(*span)]
            return "user" if own == self._contents[name][slice(*span)] else "external"
        return "tool" if role == "tool" else "assistant"

    def _relation_end(self, name: str) -> str:
        end = phrase(name, "end of the relation", 120)
        if end.casefold() in {OWNER, "the user", "i", "me"}:
            return OWNER
        known = mentions(end, self._said) or end.casefold() in self._names
        refuse_unless(known, _("It names something that does not occur in the chat."))
        return end


def _validate_item(model: type[Answered], item: Any) -> Answered:
    try:
        return model.model_validate(item, extra="ignore")
    except ValidationError:
        raise ItemRefused(_("A field is missing or of the wrong type.")) from None


def _validity(
    item: prompts.AnsweredFact | prompts.AnsweredRelation, turn: Turn
) -> tuple[datetime | None, datetime | None]:
    start, end = moment(item.valid_from, turn.said_at), moment(item.valid_to, turn.said_at)
    last = end if item.ended else moment(item.valid_to, turn.said_at, through=True)
    backwards = start and end and last and end < start >= last
    refuse_unless(not backwards, _("It would end before it begins."))
    return start, last


def _capped(confidence: float, authority: Authority, stated: bool) -> float:
    """The confidence, cut to what the source allows; refused unless it is between 0 and 1."""
    refuse_unless(0.0 <= confidence <= 1.0, _("The confidence is not between 0 and 1."))
    is_inferred = authority == "user" and not stated
    known = {} if is_inferred else MAX_CONFIDENCE
    return min(confidence, known.get(authority, DEFAULT_MAX_CONFIDENCE))
