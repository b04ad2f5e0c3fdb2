"""Extract facts from one window: with the model if there is one, else with the built-in reader."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from math import ceil

from django.utils.translation import gettext_noop as _

from llm.errors import ModelError, ModelReplyInvalid
from llm.gateway import ChatRequest, Completer
from llm.tokens import estimate_tokens
from llm.types import ChatMessage
from memory.facts.vocabulary import slug
from memory.mining import keyless
from memory.mining.prompts import (
    MAX_TURN_LENGTH,
    SCHEMA_NAME,
    SYSTEM,
    answer_schema,
    local_ids,
    repair_prompt,
    user_prompt,
)
from memory.mining.reader.facts import Tagger
from memory.mining.screening import drop_items_with_secrets, without_secrets
from memory.mining.transcripts import Transcript
from memory.mining.types import (
    ExtractedFact,
    ExtractedRelation,
    Extraction,
    FallbackReason,
    Refusal,
    WingGuess,
)
from memory.mining.validation import NO_WING, ExtractionUnreadable, validate
from memory.mining.windows import SIZE, minable
from memory.mining.wings import SubjectOf, general, known_wing
from memory.usage.metering import has_writer, price_of

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
        replace(
            edge, relation=_REPLACED[edge.relation][0], ended=True, valid_from=None, valid_to=edge.valid_from
        )
        for edge in extraction.relations
        if _replaces(edge.relation, edge)
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


TOKENS_PER_TURN = 500
MIN_TOKENS, MAX_TOKENS = 1_000, 6_000
CHARACTERS_PER_TOKEN, ANSWER_TOKENS_PER_TURN = 4, 150
"""For estimates of a price."""
TEMPERATURE = 0.1
MAX_ANSWER_LENGTH = 24_000
NO_MODEL = _("No model is set up for mining.")


@dataclass(frozen=True, slots=True)
class ReadingCost:
    """About how many tokens a model reads and writes to extract from chats, and the price in US dollars, None
    if it is unknown."""

    model: str
    tokens: int
    usd: Decimal | None


def reading_cost(model: str, turns: int, characters: int) -> ReadingCost | None:
    """What it would cost to extract from that many turns with a model; None if there is no model or it is
    free."""
    prompts = ceil(turns / SIZE) * estimate_tokens(SYSTEM)
    shown = min(characters, turns * MAX_TURN_LENGTH)
    read, written = prompts + shown // CHARACTERS_PER_TOKEN, turns * ANSWER_TOKENS_PER_TURN
    usd = price_of(model, read, written)
    if not (has_writer() and turns) or usd == 0:
        return None
    return ReadingCost(model, read + written, usd and max(usd, Decimal("0.01")))


class _NoAnswer(Exception):
    """The model gave no usable answer: the reason as a keyword and in a sentence."""

    def __init__(self, reason: FallbackReason, note: str) -> None:
        super().__init__(note)
        self.reason: FallbackReason = reason


def extract(
    transcript: Transcript,
    *,
    chat: Completer | None,
    tagger: Tagger | None,
    model: str = "",
    known_wings: Sequence[WingGuess] = (),
    subject_of: SubjectOf = general,
) -> Extraction:
    """Extract one window with at most two model calls. `subject_of` is only asked where no model and no
    project say what the wing is.

    Falls back to `tagger`, the built-in reader, without a gateway, after a permanent refusal, or if the
    answer is still unreadable after one repair. Raises a transient `ModelError` of the first call for the
    job to retry; after a paid call, raises nothing. Secrets are masked before the window is read, so no
    fact is extracted from them.
    """
    blanked, secrets = without_secrets(transcript)

    def without_model(reason: FallbackReason, tagger: Tagger | None, *notes: str) -> Extraction:
        found = keyless.extract(blanked, tagger, known_wings, subject_of)
        return replace(found, notes=notes, fallback_reason=reason)

    if not any(map(minable, blanked.turns)):
        found = without_model("nothing", None)
    elif chat is None:
        found = without_model("no_endpoint", tagger, NO_MODEL)
    else:
        try:
            answer = _answer(blanked, chat, model, known_wings)
            found = _with_placements(answer, blanked, known_wings, subject_of)
        except _NoAnswer as why:
            found = without_model(why.reason, tagger, str(why))
    return drop_items_with_secrets(with_consequences(found), secrets)


def _answer(
    transcript: Transcript, chat: Completer, model: str, known_wings: Sequence[WingGuess]
) -> Extraction:
    """What the model extracts, asked again once if its answer is unreadable. Raises _NoAnswer, and a
    transient ModelError of the first call."""
    turns = local_ids(transcript.turns)
    max_tokens = min(max(TOKENS_PER_TURN * len(turns), MIN_TOKENS), MAX_TOKENS)

    def ask(*messages: ChatMessage) -> str:
        request = ChatRequest(messages, model, max_tokens, TEMPERATURE)
        return chat.complete_json(request, answer_schema(len(turns)), SCHEMA_NAME).text

    system = ChatMessage("system", SYSTEM)
    try:
        first = ask(system, ChatMessage("user", user_prompt(transcript, (wing.name for wing in known_wings))))
    except ModelReplyInvalid as error:
        raise _NoAnswer("unreadable", _("The model's reply could not be read.")) from error
    except ModelError as error:
        if not error.permanent:
            raise
        raise _NoAnswer("declined", str(error)) from error
    try:
        return validate(first, turns)
    except ExtractionUnreadable as error:
        # The instructions and the broken answer contain everything to repair.
        broken, request = first[:MAX_ANSWER_LENGTH], repair_prompt(str(error))
    try:
        return validate(ask(system, ChatMessage("assistant", broken), ChatMessage("user", request)), turns)
    except ExtractionUnreadable as error:
        note = _("The model's answer could not be read, even after one repair.")
        raise _NoAnswer("unreadable", note) from error
    except ModelError as error:
        note = _("The model's answer could not be read, and it could not be asked to repair it.")
        raise _NoAnswer("unreadable", note) from error


def _with_placements(
    answer: Extraction, transcript: Transcript, known_wings: Sequence[WingGuess], subject_of: SubjectOf
) -> Extraction:
    """The model's items; turns and the wing that it left out are placed without it. A project that the user
    chose is the wing."""
    wing = answer.wing
    if transcript.project.strip():
        wing, known_wings = NO_WING, ()
    without = keyless.extract(transcript, None, known_wings, general if wing.name else subject_of)
    wing = wing if wing.name else without.wing
    placed = {placement.message_id: placement for placement in answer.placements}
    missing = len(without.placements) - len(placed)
    why = _("%(count)s turns were not placed by the model; Palace placed them without it.")
    return replace(
        answer,
        wing=known_wing(wing.name, known_wings) or wing,
        placements=tuple(placed.get(each.message_id, each) for each in without.placements),
        refused=answer.refused + ((Refusal("turns", why % {"count": missing}),) if missing else ()),
    )
