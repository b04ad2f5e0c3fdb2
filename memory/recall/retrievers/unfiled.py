"""Retrieve messages that are not filed yet, usually only those of other chats.

Mining waits until a chat is idle. Until then, its newest messages are read from the chats and compared
in this process: by words, and by meaning if the embedding model is local.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import sqrt
from threading import Lock
from uuid import UUID

import numpy as np
from django.conf import settings
from django.utils.module_loading import import_string

from llm.gateway import Embedder
from llm.types import EmbeddingModel, Vectors
from memory.drawers import drawer_id_of
from memory.forgetting.tombstones import tombstoned
from memory.mining.pipeline import turn_digests
from memory.mining.transcripts import Transcript, Turn
from memory.mining.windows import minable
from memory.preferences import excluding
from memory.recall.retrievers.drawers import signals
from memory.recall.types import A_DAY, Finding, RecallRequest, SearchContext, Unfiled
from memory.recall.weights import SENTENCE
from memory.search.queries import terms_of
from memory.search.sentence_vectors import spoken_sentences
from memory.text.chunking import Chunk, chunks
from memory.text.matching import lexemes
from memory.text.secrets import blank_secrets

MAX_TEXTS, MAX_CHARACTERS = 24, 4_000
"""How much one recall embeds, in about a tenth of a second; the rest waits for the next recall."""
MAX_CHUNKS = 4
MAX_CACHED = 2_000
SINGLE_OCCURRENCE_RANK = 0.61
"""What `ts_rank` gives a word that occurs once."""
UnfiledMessages = Callable[[UUID, UUID | None, int], Sequence[Transcript]]
"""Returns a user's newest turns that are not mined, chat by chat, except those of the chat with this id."""


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """A chunk or a sentence of a message and its vector."""

    span: tuple[int, int]
    vector: Vectors
    is_sentence: bool


_cached_pieces: dict[tuple[str, UUID], tuple[_Piece, ...]] = {}
"""The vectors of recent messages by model and message, in this process; the oldest go first."""
_cache_lock = Lock()


def read(request: RecallRequest, limit: int) -> tuple[Unfiled, ...]:
    """The newest messages, at most `limit`, that may be recalled from unfiled chats; none for a filtered
    search, because their place is not known yet. One query if there is none."""
    if not request.within.is_everywhere:
        return ()
    newest: UnfiledMessages = import_string(settings.UNFILED_MESSAGES)
    known = {request.message, *request.history}
    return tuple(
        Unfiled(transcript.source_id, transcript.title, said)
        for transcript in newest(request.user_id, request.exclude_source_id, limit)
        for turn in transcript.turns
        if (said := minable(turn)) is not None
        and said.said_at < request.horizon
        and not (said.role == "user" and turn.content in known and _answers_nothing(request, turn.content))
    )


def _answers_nothing(request: RecallRequest, repeated: str) -> bool:
    """Whether a repeated message is no answer: a search for a statement may mean just that one, and a reply
    made of quotations may need an earlier one."""
    may_answer = request.explicit or (request.quoted and repeated != request.message)
    return not may_answer or repeated.rstrip().endswith(("?", "？", "؟"))


def embed(unfiled: Sequence[Unfiled], embedder: Embedder, now: datetime) -> None:
    """Compute and cache missing vectors of messages from the last day, newest first. Imported messages
    wait for mining. Raises ModelError."""
    model, remaining = embedder.model, MAX_CHARACTERS
    wanted: dict[UUID, tuple[tuple[Chunk, bool], ...]] = {}
    recent = [each for each in unfiled if now - each.turn.said_at < A_DAY]
    for each in sorted(recent, key=lambda each: each.turn.said_at, reverse=True):
        if (model.key, each.turn.message_id) not in _cached_pieces:
            found = tuple(_parts(model, each.turn))
            remaining -= sum(len(piece.text) for piece, _ in found)
            if wanted and (remaining < 0 or len(wanted) == MAX_TEXTS):
                break
            wanted[each.turn.message_id] = found
    texts = [piece.text for found in wanted.values() for piece, _ in found]
    vectors = iter(embedder.embed_documents(texts).vectors if texts else ())
    for message_id, found in wanted.items():
        pieces = tuple(_Piece((piece.start, piece.end), next(vectors), part) for piece, part in found)
        with _cache_lock:
            _cached_pieces[model.key, message_id] = pieces
            while len(_cached_pieces) > MAX_CACHED:
                del _cached_pieces[next(iter(_cached_pieces))]


def _parts(model: EmbeddingModel, turn: Turn) -> Iterator[tuple[Chunk, bool]]:
    """The chunks of a message and, as for drawers, the sentences of the user's own words."""
    text = blank_secrets(turn.content)
    for chunk in chunks(text, size=model.max_chars, limit=MAX_CHUNKS):
        yield chunk, False
    if model.sentences and turn.role == "user":
        for sentence in spoken_sentences(text):
            yield sentence, True


def search(context: SearchContext, _: int) -> Iterator[Finding]:
    """The messages that share words with the question or are similar in meaning, with the signals of
    drawers; none that a tombstone or the user excludes."""
    is_excluded = excluding(context.request.settings.never_remember)
    findings = [
        _finding(context, replace(each, title="") if is_excluded(each.title) else each, words)
        for each, words in _scored_by_words(context)
        if not is_excluded(each.turn.content)
    ]
    found = [finding for finding in findings if finding.signals]
    digests = {
        finding.drawer_id: turn_digests(finding.unfiled.source_id, finding.unfiled.turn)
        for finding in found
        if finding.unfiled is not None
    }
    excluded = (
        tombstoned(context.user_id, [one for each in digests.values() for one in each]) if digests else set()
    )
    yield from (finding for finding in found if excluded.isdisjoint(digests[finding.drawer_id]))


def _finding(context: SearchContext, each: Unfiled, by_words: dict[str, float]) -> Finding:
    drawer_id, meaning = drawer_id_of(each.turn.message_id), context.meaning
    pieces = _cached_pieces.get((meaning.model.key, each.turn.message_id)) if meaning is not None else None
    if meaning is None or not pieces:
        return Finding(drawer_id, by_words, unfiled=each)
    cosines = [
        float(piece.vector @ meaning.vector) * (SENTENCE if piece.is_sentence else 1.0) for piece in pieces
    ]
    best = int(np.argmax(cosines))
    found = {**by_words, **signals(meaning, cosines[best])}
    if pieces[best].is_sentence:
        found["sentence"] = 1.0
    return Finding(drawer_id, found, pieces[best].span, unfiled=each)


def _scored_by_words(context: SearchContext) -> list[tuple[Unfiled, dict[str, float]]]:
    """Each message with its signals by words, `words` and `coverage`, as the index scores drawers."""
    texts = [lexemes(each.turn.content) for each in context.unfiled]
    if not texts:
        return []
    terms = terms_of(context.user_id, context.query.words, texts)
    average_length = max(1.0, sum(map(len, texts)) / len(texts))
    found = []
    for each, text in zip(context.unfiled, texts, strict=True):
        coverage = sum(term.weight for term in terms if not text.isdisjoint(term.lexemes))
        score = SINGLE_OCCURRENCE_RANK * coverage / sqrt(0.25 + 0.75 * len(text) / average_length)
        found.append((each, {"words": score, "coverage": coverage} if coverage else {}))
    return found
