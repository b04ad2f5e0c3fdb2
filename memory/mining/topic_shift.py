"""Detect where the subject of a chat changes: an exchange unlike everything before it.

The threshold belongs to the local embedding model and was measured on chats written for it
(docs/decisions); do not use it with other models.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from llm.types import EmbeddingModel, Vectors
from memory.mining.phrases import content_words
from memory.mining.transcripts import Turn
from memory.mining.windows import minable
from memory.text.secrets import blank_secrets

MIN_LIKENESS = 0.23
MIN_BEFORE = 2
MIN_WORDS = 2
MAX_EXCHANGES = 15
TURN_SHOWN = 800


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the user said and the replies, up to the sequence of its last turn. `may_begin` says that the
    user's words name something: "Thanks!" or "Why is that?" never begins a subject."""

    last_sequence: int
    text: str
    may_begin: bool


def exchanges(turns: Sequence[Turn]) -> tuple[Exchange, ...]:
    """The exchanges of these turns, at most 15, each from one user message to the next; the last one
    only if it was answered."""
    groups: list[list[Turn]] = []
    for turn in turns:
        if turn.role == "user":
            groups.append([])
        if groups:
            groups[-1].append(turn)
    if groups and not any(turn.role == "assistant" for turn in groups[-1]):
        groups.pop()
    return tuple(_exchange(group) for group in groups[:MAX_EXCHANGES])


def drifted_after(said: Sequence[Exchange], vectors: Vectors, model: EmbeddingModel) -> int | None:
    """The sequence of the last turn before the subject changes, or None. `vectors` are unit vectors of
    the exchanges in order. It needs two exchanges before the change and one after; of several changes
    the sharpest counts."""
    likeness = {
        at: model.calibrated(float(vectors[at] @ _mean(vectors[:at])))
        for at in range(MIN_BEFORE, len(said))
        if said[at].may_begin
    }
    at = min(likeness, key=lambda each: likeness[each], default=None)
    if at is None or likeness[at] >= MIN_LIKENESS:
        return None
    return said[at - 1].last_sequence


def _exchange(group: Sequence[Turn]) -> Exchange:
    kept = (turn for turn in map(minable, group) if turn is not None)
    words = [blank_secrets(turn.content)[:TURN_SHOWN] for turn in kept]
    named = set(content_words(words[0])) if words else set()
    return Exchange(group[-1].sequence, "\n".join(words), len(named) >= MIN_WORDS)


def _mean(vectors: Vectors) -> Vectors:
    mean: Vectors = vectors.mean(axis=0)
    return mean / np.float32(max(float(np.linalg.norm(mean)), 1e-9))
