"""Nothing the model says is believed before it was checked against what was said.

Items are refused one by one, with a reason that never repeats the user's words; one bad item
never costs the window.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from django.utils.translation import gettext_noop as _
from pydantic import BaseModel, ValidationError

from memory.aaak import Tags
from memory.mining import schema
from memory.mining.claims import (
    ItemRefused,
    entity_type,
    fact_kind,
    moment,
    phrase,
    phrases,
    quoted,
    refuse_unless,
    sentence,
    within_bounds,
)
from memory.mining.grounding import mentions, sentence_around, shares_words
from memory.mining.rules.masking import spoken
from memory.mining.rules.vocabulary import PREDICATES, canonical_key, canonical_predicate
from memory.mining.types import (
    WING_KINDS,
    Authority,
    ExtractedEntity,
    ExtractedFact,
    ExtractedRelation,
    Refusal,
    TurnPlacement,
    WingGuess,
)
from memory.mining.windows import without_memory
from memory.transcripts import Turn

FACTS_A_TURN = 10
STATED, INFERRED, FROM_TOOL = 0.90, 0.70, 0.95
OWNER = "user"
POINTER = "§"

Item = TypeVar("Item")
Answered = TypeVar("Answered", bound=BaseModel)


class ExtractionUnreadable(Exception):
    """The answer is no JSON object of the agreed shape; the message is free of the user's words."""


@dataclass(frozen=True, slots=True)
class Validated:
    """What is left of an answer. `wing` is None when the model named none that can be used."""

    wing: WingGuess | None
    placements: tuple[TurnPlacement, ...]
    facts: tuple[ExtractedFact, ...]
    entities: tuple[ExtractedEntity, ...]
    relations: tuple[ExtractedRelation, ...]
    refused: tuple[Refusal, ...]


def validate(raw: str, turns: Mapping[str, Turn]) -> Validated:
    """The acceptable items of the model's JSON answer `raw`, and why the others were refused.

    `turns` are the turns of the window under the local ids the model was given. Raises
    `ExtractionUnreadable` when there is no answer to look at.
    """
    answer = _parsed(raw)
    check = _Check(answer, turns)
    wing = check.wing()
    placements = check.each("turns", check.placement)
    facts = check.each("facts", check.fact)
    entities = check.each("entities", check.entity)
    relations = check.each("relations", check.relation)
    return Validated(
        wing, tuple(placements), tuple(facts), tuple(entities), tuple(relations), check.refusals()
    )


def _parsed(raw: str) -> dict[str, Any]:
    text = raw.strip()
    if text.startswith("```"):
        text = text.strip("`").removeprefix("json").strip()
    try:
        answer = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ExtractionUnreadable(f"it is not valid JSON ({error.msg} at {place})") from error
    except (RecursionError, ValueError) as error:
        raise ExtractionUnreadable("it is not JSON of a sensible size") from error
    if not isinstance(answer, dict):
        raise ExtractionUnreadable("it is not a JSON object")
    if not isinstance(answer.get("turns"), list) and not isinstance(answer.get("facts"), list):
        raise ExtractionUnreadable("it has neither a list of turns nor a list of facts")
    return answer


class _Check:
    """The state of one validation: what was said, what was already accepted, what was refused."""

    def __init__(self, answer: dict[str, Any], turns: Mapping[str, Turn]) -> None:
        self._answer = answer
        self._turns = turns
        self._contents = {name: without_memory(turn.content) for name, turn in turns.items()}
        self._said = [" ".join(text.casefold().split()) for text in self._contents.values()]
        self._names: list[str] = []
        self._placed: set[str] = set()
        self._kept: Counter[str] = Counter()
        self._refused: list[Refusal] = []
        if set(answer) - set(schema.Answer.model_fields):
            why = _("The answer has keys that were not asked for; they were ignored.")
            self._refused.append(Refusal("answer", why))

    def refusals(self) -> tuple[Refusal, ...]:
        return tuple(self._refused)

    def each(self, name: str, accept: Callable[[Any], Item]) -> list[Item]:
        """The items under `name` that `accept` lets through; the others become refusals."""
        items = self._answer.get(name, [])
        if not isinstance(items, list):
            self._refused.append(Refusal(name, _("It is not a list.")))
            return []
        accepted: list[Item] = []
        for number, item in enumerate(items, 1):
            try:
                accepted.append(accept(item))
            except ItemRefused as refusal:
                self._refused.append(Refusal(f"{name} {number}", str(refusal)))
        return accepted

    def wing(self) -> WingGuess | None:
        try:
            item = _shaped(schema.AnsweredWing, self._answer.get("wing"))
            refuse_unless(item.kind in WING_KINDS, _("The kind of the wing is unknown."))
            return WingGuess(item.kind, phrase(item.name, "name", 80))
        except ItemRefused as refusal:
            self._refused.append(Refusal("wing", str(refusal)))
            return None

    def placement(self, item: Any) -> TurnPlacement:
        found = _shaped(schema.AnsweredTurn, item)
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
        found = _shaped(schema.AnsweredFact, item)
        turn = self._turn(found.turn)
        refuse_unless(self._kept[found.turn] < FACTS_A_TURN, _("The turn already has ten facts."))
        fact = self._claim(found, turn)
        refuse_unless(bool(fact.key and fact.predicate), _("The key or predicate has no letters."))
        start, end = _window(found, turn)
        self._kept[found.turn] += 1
        return replace(
            fact,
            valid_from=start,
            valid_to=end,
            event_time=moment(found.event_time, turn.said_at),
            persons=tuple(name for name in phrases(found.persons) if mentions(name, self._said)),
            location=found.location.strip() if mentions(found.location, self._said) else "",
        )

    def _claim(self, found: schema.AnsweredFact, turn: Turn) -> ExtractedFact:
        """What is stated, in which words and by whom, without its time and place."""
        quote, span = self._quote(found.turn, found.quote)
        confidence = within_bounds(found.confidence)
        predicate = canonical_predicate(phrase(found.predicate, "predicate", 60))
        known = PREDICATES.get(predicate)
        stated = found.source == "stated" and shares_words(f"{found.value} {found.object}", quote)
        authority = self._authority(found.turn, span)
        if authority != "user":  # what stands around it may ask for it to be believed
            span = sentence_around(span, self._contents[found.turn])
            quote = turn.content[slice(*span)]
        return ExtractedFact(
            message_id=turn.message_id,
            kind=fact_kind(found.kind),
            key=canonical_key(phrase(found.key, "key", 80)),
            value=phrase(found.value, "value", 300),
            statement=sentence(found.statement),
            predicate=predicate,
            object=phrase(found.object, "object", 300),
            quote=quote,
            span=span,
            confidence=min(confidence, _cap(authority, stated)),
            authority=authority,
            single_valued=found.single_valued or bool(known and known.single_valued),
            ended=found.ended,
        )

    def entity(self, item: Any) -> ExtractedEntity:
        found = _shaped(schema.AnsweredEntity, item)
        name = phrase(found.name, "name", 120)
        aliases = tuple(alias for alias in phrases(found.aliases) if mentions(alias, self._said))
        known = mentions(name, self._said) or bool(aliases)
        refuse_unless(known, _("The name does not occur in the chat."))
        self._names.append(name.casefold())
        return ExtractedEntity(name, entity_type(found.type), aliases)

    def relation(self, item: Any) -> ExtractedRelation:
        found = _shaped(schema.AnsweredRelation, item)
        turn = self._turn(found.turn)
        quote, span = self._quote(found.turn, found.quote)
        authority = self._authority(found.turn, span)
        confidence = min(within_bounds(found.confidence), _cap(authority, True))
        subject, other = self._end(found.subject), self._end(found.object)
        own = authority == "user" or OWNER not in (subject, other)
        refuse_unless(own, _("Only the user says how they stand to others."))
        refuse_unless(subject != other, _("Both ends of the relation are the same."))
        relation = canonical_predicate(phrase(found.relation, "relation", 60))
        refuse_unless(bool(relation), _("The relation has no letters."))
        known = PREDICATES.get(relation)
        start, end = _window(found, turn)
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
        """The true words and their range, in a turn that does not merely cite a memory."""
        words, span = quoted(quote, self._contents[name], self._turns[name].content)
        if self._turns[name].role == "assistant":
            before, after = self._contents[name][: span[0]], self._contents[name][span[0] :]
            line = before.rpartition("\n")[2] + after.partition("\n")[0]
            refuse_unless(POINTER not in line, _("The assistant only repeats a memory there."))
        return words, span

    def _authority(self, name: str, span: tuple[int, int]) -> Authority:
        role = self._turns[name].role
        if role == "user":
            own_words = spoken(self._contents[name])[slice(*span)]
            return "user" if own_words == self._contents[name][slice(*span)] else "external"
        return "tool" if role == "tool" else "assistant"

    def _end(self, name: str) -> str:
        end = phrase(name, "end of the relation", 120)
        if end.casefold() in {OWNER, "the user", "i", "me"}:
            return OWNER
        known = mentions(end, self._said) or end.casefold() in self._names
        refuse_unless(known, _("It names something that does not occur in the chat."))
        return end


def _shaped(model: type[Answered], item: Any) -> Answered:
    try:
        return model.model_validate(item)
    except ValidationError as error:
        kinds = {detail["type"] for detail in error.errors(include_input=False, include_url=False)}
        if "extra_forbidden" in kinds:
            raise ItemRefused(_("It has keys that were not asked for.")) from None
        raise ItemRefused(_("A field is missing or of the wrong type.")) from None


def _window(
    item: schema.AnsweredFact | schema.AnsweredRelation, turn: Turn
) -> tuple[datetime | None, datetime | None]:
    start, end = moment(item.valid_from, turn.said_at), moment(item.valid_to, turn.said_at)
    last = end if item.ended else moment(item.valid_to, turn.said_at, through=True)
    backwards = start and end and last and end < start >= last
    refuse_unless(not backwards, _("It would end before it begins."))
    return start, last


def _cap(authority: Authority, stated: bool) -> float:
    if authority == "tool":
        return FROM_TOOL
    return STATED if authority == "user" and stated else INFERRED
