"""Extract facts from one window: with the model if there is one, else with the built-in reader."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from django.utils.translation import gettext_noop as _

from llm.errors import ModelError, ModelReplyInvalid
from llm.gateway import ChatRequest, Completer
from llm.types import ChatMessage, Completion, Usage
from memory.facts.vocabulary import slug
from memory.mining import keyless
from memory.mining.prompts import SCHEMA_NAME, SYSTEM, answer_schema, local_ids, repair_prompt, user_prompt
from memory.mining.reader.facts import Tagger
from memory.mining.screening import drop_items_with_secrets, without_secrets
from memory.mining.transcripts import Transcript
from memory.mining.types import (
    ExtractedFact,
    ExtractedRelation,
    Extraction,
    FallbackReason,
    Refusal,
    TurnPlacement,
    WingGuess,
)
from memory.mining.validation import ExtractionUnreadable, Validated, validate
from memory.mining.windows import minable
from memory.mining.wings import known_wing

# Predicates that end another of the same object: its predicate, key and statement. Likes and dislikes
# often share a key, so the end of one gets its own.
_REPLACED = {
    "married_to": ("engaged_to", "fiance", "{object} is the user's fiancé."),
    "likes": ("dislikes", "dislikes_{slug}", "The user dislikes {object}."),
    "dislikes": ("likes", "likes_{slug}", "The user likes {object}."),
}


def with_consequences(extraction: Extraction) -> Extraction:
    """The extraction with past facts marked as such, and with the end of each fact and relation that one of
    its items replaces."""
    facts = tuple(_mark_past(fact) for fact in extraction.facts)
    ended_facts = tuple(_ended_fact(fact) for fact in extraction.facts if _replaces(fact.predicate, fact))
    ended_relations = tuple(
        _ended_relation(edge) for edge in extraction.relations if _replaces(edge.relation, edge)
    )
    return replace(
        extraction,
        facts=facts + ended_facts,
        relations=extraction.relations + ended_relations,
    )


def _mark_past(fact: ExtractedFact) -> ExtractedFact:
    """The fact, with its dates in the statement if its end is known, so that it does not count as current.
    If only the end is known, the fact is marked as ended."""
    if fact.ended or fact.valid_to is None:
        return fact
    if fact.valid_from is None:
        return replace(fact, ended=True)
    last = fact.valid_to - timedelta(microseconds=1)
    lasted = f"from {fact.valid_from:%Y-%m-%d} to {max(last, fact.valid_from):%Y-%m-%d}"
    return replace(
        fact,
        statement=f"{fact.statement.rstrip('.')} ({lasted}).",
        single_valued=False,
        event_time=fact.event_time or fact.valid_from,
    )


def _replaces(predicate: str, item: ExtractedFact | ExtractedRelation) -> bool:
    return predicate in _REPLACED and not item.ended and item.valid_to is None


def _ended_fact(fact: ExtractedFact) -> ExtractedFact:
    predicate, key, statement = _REPLACED[fact.predicate]
    return replace(
        fact,
        key=key.format(slug=slug(fact.object)),
        value=fact.object,
        predicate=predicate,
        statement=statement.format(object=fact.object),
        ended=True,
        valid_to=fact.valid_from,
    )


def _ended_relation(edge: ExtractedRelation) -> ExtractedRelation:
    relation, *_ = _REPLACED[edge.relation]
    return replace(edge, relation=relation, ended=True, valid_from=None, valid_to=edge.valid_from)


TOKENS_PER_TURN = 500
MIN_TOKENS, MAX_TOKENS = 1_000, 6_000
TEMPERATURE = 0.1
MAX_ANSWER_LENGTH = 24_000
NO_MODEL = _("No model is set up for mining.")


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was extracted, and the usage of every model call. If the reader was used instead of a model,
    `notes` say why in sentences and `fallback_reason` as a keyword."""

    extraction: Extraction
    usage: tuple[Usage, ...] = ()
    notes: tuple[str, ...] = ()
    fallback_reason: FallbackReason = ""


@dataclass(frozen=True, slots=True)
class _Client:
    chat: Completer
    model: str


@dataclass(frozen=True, slots=True)
class _ModelResult:
    """A model's extraction of a window; `validated` is None if it never became readable."""

    validated: Validated | None
    usage: tuple[Usage, ...]
    note: str = ""
    fallback_reason: FallbackReason = "unreadable"


def extract(
    transcript: Transcript,
    *,
    chat: Completer | None,
    tagger: Tagger | None,
    model: str = "",
    known_wings: Sequence[WingGuess] = (),
) -> Extracted:
    """Extract one window with at most two model calls.

    Falls back to `tagger`, the built-in reader, without a gateway, after a permanent refusal, or if the
    answer is still unreadable after one repair. Raises a transient `ModelError` of the first call for the
    job to retry; after a paid call, raises nothing. Secrets are masked before the window is read, so no
    fact is extracted from them.
    """
    blanked, secrets = without_secrets(transcript)
    client = None if chat is None else _Client(chat, model)
    found = _extract(blanked, client, tagger, known_wings)
    return replace(found, extraction=drop_items_with_secrets(found.extraction, secrets))


def _extract(
    transcript: Transcript, client: _Client | None, tagger: Tagger | None, known_wings: Sequence[WingGuess]
) -> Extracted:
    if not any(map(minable, transcript.turns)):
        return Extracted(_extract_without_model(transcript, None, known_wings), fallback_reason="nothing")
    if client is None:
        return Extracted(
            _extract_without_model(transcript, tagger, known_wings),
            notes=(NO_MODEL,),
            fallback_reason="no_endpoint",
        )
    reading = _extract_with_model(transcript, client, known_wings)
    if reading.validated is None:
        without = _extract_without_model(transcript, tagger, known_wings)
        return Extracted(without, reading.usage, (reading.note,), reading.fallback_reason)
    answer = reading.validated
    if transcript.project.strip():  # the user chose where this belongs by naming a project
        answer, known_wings = replace(answer, wing=None), ()
    merged = _merge(answer, _extract_without_model(transcript, None, known_wings), known_wings)
    return Extracted(with_consequences(merged), reading.usage)


def _extract_without_model(
    transcript: Transcript, tagger: Tagger | None, known_wings: Sequence[WingGuess]
) -> Extraction:
    return with_consequences(keyless.extract(transcript, tagger, known_wings))


def _extract_with_model(
    transcript: Transcript, client: _Client, known_wings: Sequence[WingGuess]
) -> _ModelResult:
    turns = local_ids(transcript.turns)
    question = (
        ChatMessage("system", SYSTEM),
        ChatMessage("user", user_prompt(transcript, (wing.name for wing in known_wings))),
    )
    try:
        first = _ask(question, client, len(turns))
    except ModelReplyInvalid:
        return _ModelResult(None, (), _("The model's reply could not be read."))
    except ModelError as error:
        if not error.permanent:
            raise
        return _ModelResult(None, (), _("The model declined to read this window."), "declined")
    try:
        return _ModelResult(validate(first.text, turns), (first.usage,))
    except ExtractionUnreadable as unreadable:
        messages = _repair(question, first, unreadable)
    try:
        second = _ask(messages, client, len(turns))
        return _ModelResult(validate(second.text, turns), (first.usage, second.usage))
    except ExtractionUnreadable:
        note = _("The model's answer could not be read, even after one repair.")
        return _ModelResult(None, (first.usage, second.usage), note)
    except ModelError:
        note = _("The model's answer could not be read, and it could not be asked to repair it.")
        return _ModelResult(None, (first.usage,), note)


def _ask(messages: tuple[ChatMessage, ...], client: _Client, turns: int) -> Completion:
    max_tokens = min(max(TOKENS_PER_TURN * turns, MIN_TOKENS), MAX_TOKENS)
    request = ChatRequest(
        messages=messages,
        model=client.model,
        max_tokens=max_tokens,
        temperature=TEMPERATURE,
    )
    return client.chat.complete_json(request, answer_schema(turns), SCHEMA_NAME)


def _repair(
    question: tuple[ChatMessage, ...], answer: Completion, error: ExtractionUnreadable
) -> tuple[ChatMessage, ...]:
    """Send only the instructions and the broken answer, which contains everything to repair."""
    return (
        question[0],
        ChatMessage("assistant", answer.text[:MAX_ANSWER_LENGTH]),
        ChatMessage("user", repair_prompt(str(error))),
    )


def _merge(answer: Validated, by_reader: Extraction, known_wings: Sequence[WingGuess]) -> Extraction:
    """The model's items; the reader only places turns and chooses a wing that the model left out."""
    placed = {placement.message_id: placement for placement in answer.placements}
    wing = answer.wing or by_reader.wing
    return Extraction(
        method="model",
        wing=known_wing(wing.name, known_wings) or wing,
        placements=tuple(placed.get(each.message_id, each) for each in by_reader.placements),
        facts=answer.facts,
        entities=answer.entities,
        relations=answer.relations,
        refused=answer.refused + _unplaced_turns(placed, by_reader),
    )


def _unplaced_turns(placed: Mapping[UUID, TurnPlacement], by_reader: Extraction) -> tuple[Refusal, ...]:
    missing = len(by_reader.placements) - len(placed)
    if not missing:
        return ()
    why = _("%(count)s turns were not placed by the model; Palace placed them without it.")
    return (Refusal("turns", why % {"count": missing}),)
