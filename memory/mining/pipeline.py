"""Mine one window: read, extract, embed, file. Model calls happen before the transaction."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from uuid import UUID

import structlog
from django.utils.translation import gettext_noop

from llm.errors import ModelError, NoEndpoint
from llm.gateway import Completer
from llm.types import EmbeddingModel
from llm.weights import WeightsUnusable
from memory.drawers import NO_TAGS, drawer_id_of, new_drawer
from memory.facts.similarity import embed_statements
from memory.forgetting.tombstones import digests_of, tombstoned
from memory.mining.extraction import extract
from memory.mining.fact_filing import statements_of
from memory.mining.filing import EmbeddingSpaceChanged, ForgottenSince, MinedSpan, file_window
from memory.mining.reader.facts import Tagger
from memory.mining.reader.network import network
from memory.mining.transcripts import Transcript, Turn
from memory.mining.types import Extraction, TurnPlacement, WingGuess
from memory.mining.windows import readable
from memory.mining.wings import OTHER, SubjectOf, general, nearest_subject
from memory.models import Drawer, MemoryPreferences, Room, Usage, Wing
from memory.preferences import excluding
from memory.search.active_embedding import ModelSpace, active_space_of, first_available, model_spaces
from memory.search.embedding import (
    MAX_CHARACTERS_AT_ONCE,
    DrawerText,
    drawer_texts,
    embed_drawers,
    embeddable_at_once,
)
from memory.search.embedding_prefetch import EmbeddingPrefetch
from memory.text.digests import text_digest
from memory.usage.budgets import BudgetSpent
from memory.usage.metering import (
    embedder_for,
    endpoint_read_once,
    extraction_model,
    models_home,
    prefetch_embeddings,
    writer_for,
)
from memory.usage.records import Purpose

KNOWN_WINGS = 60
DEFAULT_TOPIC = "Tools"
MODEL_UNAVAILABLE = gettext_noop(
    "The model was unavailable after several attempts, so the built-in reader read this instead."
)
NO_BUDGET = gettext_noop("This month’s budget is spent, so the built-in reader read this instead.")

NOT_EMBEDDED = gettext_noop("Search by meaning is not ready for these yet.")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WindowJob:
    """A window to mine, with its owner's settings.

    On the last attempt, a failing model is replaced by the reader. `id` is the mining job that is charged
    for model calls, and `ahead` holds vectors computed in advance."""

    transcript: Transcript
    preferences: MemoryPreferences
    is_last_attempt: bool = False
    id: UUID | None = None
    ahead: EmbeddingPrefetch | None = None


def mine_window(job: WindowJob, now: datetime) -> None:
    """Mine the turns of a transcript and file them.

    If turns are forgotten in the meantime, extract the rest again. Raises ModelError if the model is
    unavailable and the window should be retried.
    """
    with endpoint_read_once():
        while True:
            try:
                return _mine_once(job, now)
            except ForgottenSince:
                log.info("messages were forgotten during extraction; extracting the rest again")


def _mine_once(job: WindowJob, now: datetime) -> None:
    transcript = job.transcript
    if excluding(job.preferences.never_remember)(transcript.title):  # titles may quote a message
        transcript = replace(transcript, title="")
    kept, tombstones = _minable_part(job)
    extraction = _extract(kept, job, now)
    placements = {place.message_id: place for place in extraction.placements}
    span = MinedSpan(
        transcript=transcript,
        first_sequence=transcript.turns[0].sequence,
        last_sequence=transcript.turns[-1].sequence,
        extraction=extraction,
        drafts=tuple(drafts_of(kept, placements)),
        topics=tuple(_topics(kept, placements)),
        tombstoned=tombstones,
        review_threshold=job.preferences.review_threshold,
    )
    try:
        file_window(_with_vectors(span, job, now), now)
    except EmbeddingSpaceChanged:
        file_window(_with_vectors(span, job, now), now)


def extract_with_model(job: WindowJob, chat: Completer) -> tuple[Transcript, Extraction]:
    """The turns of a window that may still be read, and what the model extracts from them, without filing
    it. Raises ModelError if the model is unavailable."""
    kept, _ = _minable_part(job)
    return kept, _extract_with(kept, job, chat, general)


def prefetch_window(transcript: Transcript, preferences: MemoryPreferences, ahead: EmbeddingPrefetch) -> None:
    """Start embedding a window that will be mined after the current one."""
    is_excluded = excluding(preferences.never_remember)
    turns = (kept for turn in transcript.turns if (kept := readable(turn)) is not None)
    texts_of_turns = (DrawerText(turn.message_id, verbatim(turn), turn.role) for turn in turns)
    words = embeddable_at_once(each for each in texts_of_turns if not is_excluded(each.text))
    active = active_space_of(transcript.user_id)

    def texts(model: EmbeddingModel) -> Sequence[str]:
        asked = active.space is None or active.is_of(model)
        return drawer_texts(model, words) if asked else ()

    prefetch_embeddings(preferences.embedding_model, texts, ahead)


def verbatim(turn: Turn) -> str:
    """The text of a turn's drawer: its words and, for a tool call, its name and arguments."""
    if not turn.tool_arguments:
        return turn.content
    call = f"{turn.tool_name} {turn.tool_arguments}".strip()
    if not turn.content.strip():
        return call
    return f"{turn.content}\n{call}"


def _minable_part(job: WindowJob) -> tuple[Transcript, int]:
    """The transcript with only the turns that may be mined or used as context, and how many were left out
    because of a tombstone or the user's exclusions."""
    transcript, is_excluded = job.transcript, excluding(job.preferences.never_remember)
    kept, excluded = _minable_turns(transcript, transcript.turns, is_excluded)
    earlier, _ = _minable_turns(transcript, transcript.earlier, is_excluded)
    return replace(transcript, turns=tuple(kept), earlier=tuple(earlier)), excluded


def _minable_turns(
    transcript: Transcript, given: Sequence[Turn], is_excluded: Callable[[str], bool]
) -> tuple[list[Turn], int]:
    readable_turns = [kept for turn in given if (kept := readable(turn)) is not None]
    turns = [turn for turn in readable_turns if not is_excluded(verbatim(turn))]
    digests = {turn.message_id: turn_digests(transcript.source_id, turn) for turn in turns}
    every = [digest for several in digests.values() for digest in several]
    tombstones = tombstoned(transcript.user_id, every)
    kept_turns = [turn for turn in turns if not tombstones.intersection(digests[turn.message_id])]
    return kept_turns, len(readable_turns) - len(kept_turns)


def turn_digests(source_id: UUID, turn: Turn) -> tuple[bytes, bytes, bytes]:
    """The digests by which tombstones recognise a turn of this chat."""
    said = digests_of(verbatim(turn), turn.said_at, turn.message_id)
    return (*said, text_digest(str(source_id)))


def _extract(transcript: Transcript, job: WindowJob, now: datetime) -> Extraction:
    subject_of = partial(_subject_of, job, now)
    try:
        return _extract_with(transcript, job, _reader(job, now), subject_of)
    except BudgetSpent:
        by_reader = _extract_with(transcript, job, None, subject_of)
        return replace(by_reader, notes=(NO_BUDGET,), fallback_reason="budget")
    except ModelError:
        if not job.is_last_attempt:
            raise
    by_reader = _extract_with(transcript, job, None, subject_of)
    return replace(by_reader, notes=(MODEL_UNAVAILABLE,), fallback_reason="unavailable")


def _subject_of(job: WindowJob, now: datetime, title: str, said: str) -> str:
    """The subject of a chat that has no room yet, by the chosen embedding model; "General" without one."""
    of = job.transcript
    if Room.objects.filter(user_id=of.user_id, source_kind=of.source_kind, source_id=of.source_id).exists():
        return OTHER
    purpose = Purpose(of.user_id, Usage.Source.EMBED, now, job.id)
    try:
        return nearest_subject(embedder_for(job.preferences.embedding_model, purpose), title, said)
    except ModelError as error:
        log.warning("chat filed without a subject", error=type(error).__name__)
        return OTHER


def _extract_with(
    transcript: Transcript, job: WindowJob, chat: Completer | None, subject_of: SubjectOf
) -> Extraction:
    tagger, missing = _tagger()
    wings = Wing.objects.filter(user_id=transcript.user_id).order_by("ordinal")
    known_wings = wings.values_list("kind", "name")[:KNOWN_WINGS]
    found = extract(
        transcript,
        chat=chat,
        tagger=tagger,
        model=extraction_model(job.preferences.extraction_model),
        known_wings=tuple(WingGuess(*each) for each in known_wings),
        subject_of=subject_of,
    )
    return replace(found, notes=(*found.notes, missing)) if missing and found.fallback_reason else found


def _tagger() -> tuple[Tagger | None, str]:
    """The built-in reader, or why it is missing."""
    try:
        return network(models_home()), ""
    except WeightsUnusable as missing:
        return None, str(missing)


def _reader(job: WindowJob, now: datetime) -> Completer | None:
    purpose = Purpose(job.transcript.user_id, Usage.Source.EXTRACT, now, job.id)
    try:
        return writer_for(purpose, extraction_model(job.preferences.extraction_model))
    except NoEndpoint:
        return None


def drafts_of(transcript: Transcript, placements: Mapping[UUID, TurnPlacement]) -> Iterator[Drawer]:
    """An unsaved drawer for each turn, with the tags of its placement."""
    for turn in transcript.turns:
        place = placements.get(turn.message_id)
        yield new_drawer(
            transcript.user_id,
            verbatim(turn),
            tags=place.tags if place else NO_TAGS,
            id=drawer_id_of(turn.message_id),
            role=turn.role,
            said_at=turn.said_at,
            source_kind=transcript.source_kind,
            source_id=transcript.source_id,
            source_message_id=turn.message_id,
            source_sequence=turn.sequence,
        )


def _topics(transcript: Transcript, placements: Mapping[UUID, TurnPlacement]) -> Iterator[str]:
    default = next((place.topic for place in placements.values()), DEFAULT_TOPIC)
    for turn in transcript.turns:
        place = placements.get(turn.message_id)
        yield place.topic if place else default


def _with_vectors(span: MinedSpan, job: WindowJob, now: datetime) -> MinedSpan:
    """The span with vectors of its facts and, up to a limit, of its drawers.

    Filing never waits for vectors: a backfill adds missing ones later, and `unembedded` says so."""
    texts = embeddable_at_once(
        DrawerText(each.id, each.content, each.role)
        for each in span.drafts
        if len(each.content) <= MAX_CHARACTERS_AT_ONCE
    )
    purpose = Purpose(job.transcript.user_id, Usage.Source.EMBED, now, job.id)
    statements = statements_of(span.extraction)

    def embedded(model_space: ModelSpace) -> MinedSpan:
        return replace(
            span,
            space=model_space.space,
            answers=model_space.answers,
            embedded=embed_drawers(model_space.embedder, texts),
            fact_vectors=embed_statements(
                model_space.embedder, statements, job.preferences.duplicate_similarity
            ),
            unembedded=NOT_EMBEDDED if len(texts) < len(span.drafts) else "",
        )

    try:
        spaces = model_spaces(job.preferences.embedding_model, purpose, job.ahead)
        return first_available(spaces, embedded)
    except ModelError as error:
        log.warning("drawers filed without vectors", error=type(error).__name__)
        return replace(span, unembedded=NOT_EMBEDDED)
