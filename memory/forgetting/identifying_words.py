"""The words that identify a text: those that occur in nothing else.

A word counts if it is long enough, occurs in no remaining drawer, and is not one that Palace itself writes
into rows (such as names of states and kinds). Runs of five words (shingles) count too, so that a text of
common words can be found as well.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from django.apps import apps

from memory.facts.vocabulary import PREDICATES
from memory.sql import fetch
from memory.text.patterns import UNSPACED
from memory.text.sanitizing import normalise
from memory.text.stop_words import COMMON_WORDS
from memory.text.tokenization import index_text

MIN_LENGTH = 4
MIN_NUMBER_LENGTH = 7
RUN = 5
MIN_RUN = 3
NGRAM = 3
BATCH = 5_000

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_UNKNOWN_WORDS = """
SELECT word FROM unnest(%s::text[], %s::text[]) AS given(word, prepared)
CROSS JOIN LATERAL tsvector_to_array(to_tsvector('english', prepared)) AS lexemes
WHERE cardinality(lexemes) > 0 AND NOT EXISTS (
  SELECT 1 FROM memory_lexeme known
  WHERE known.user_id = %s AND known.lexeme = ANY(lexemes) AND known.drawers > 0)
"""


@dataclass(frozen=True, slots=True)
class Words:
    """The words and runs of words that identify a forgotten text."""

    words: frozenset[str] = frozenset()
    runs: frozenset[tuple[str, ...]] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.words or self.runs)

    def are_in(self, text: str) -> bool:
        """Whether a text contains any of them."""
        sequence = sequence_of(text)
        if not self.words.isdisjoint(_identifying(sequence)):
            return True
        lengths = {len(run) for run in self.runs}
        return any(run in self.runs for size in lengths for run in _runs(sequence, size))


def distinctive(user_id: UUID, texts: Iterable[str]) -> Words:
    """The words of these texts that occur in no drawer of the word index.

    Hide the drawers of the texts first, so that the index does not count them.
    """
    candidates: set[str] = set()
    runs: set[tuple[str, ...]] = set()
    for text in texts:
        sequence = sequence_of(text)
        candidates |= _identifying(sequence)
        runs.update(_runs(sequence, _run_length(sequence)))
    return Words(frozenset(_unknown(user_id, candidates - _system_words())), frozenset(runs))


def runs_of(texts: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """The runs of words of these texts."""
    sequences = (sequence_of(text) for text in texts)
    return frozenset(run for each in sequences for run in _runs(each, _run_length(each)))


def sequence_of(text: str) -> list[str]:
    """The words of a text in order, normalised for comparison."""
    folded = normalise("NFKC", text).casefold()
    return [part for found in _WORD.findall(folded) for part in _parts(found)]


def _parts(word: str) -> Iterator[str]:
    """The word itself or, in a script without spaces, its trigrams."""
    if len(word) <= NGRAM or not _UNSPACED.search(word):
        yield word
        return
    for start in range(len(word) - NGRAM + 1):
        yield word[start : start + NGRAM]


def _identifying(sequence: Iterable[str]) -> set[str]:
    return {word for word in sequence if _is_identifying(word)}


def _is_identifying(word: str) -> bool:
    if word.isdigit():
        return len(word) >= MIN_NUMBER_LENGTH
    return len(word) >= MIN_LENGTH or (len(word) > 1 and bool(_UNSPACED.search(word)))


def _run_length(sequence: Sequence[str]) -> int:
    """The run length for a text: five words, or all words of a shorter text."""
    return max(MIN_RUN, min(RUN, len(sequence)))


def _runs(sequence: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    """All runs of this many words."""
    for start in range(len(sequence) - size + 1):
        yield tuple(sequence[start : start + size])


def _unknown(user_id: UUID, candidates: set[str]) -> Iterator[str]:
    ordered = sorted(candidates)
    for start in range(0, len(ordered), BATCH):
        some = ordered[start : start + BATCH]
        unknown = fetch(_UNKNOWN_WORDS, [some, [index_text(word) for word in some], user_id])
        yield from (word for (word,) in unknown)


@cache
def _system_words() -> frozenset[str]:
    """Words that Palace itself writes into rows: choices, column names, predicates and stop words."""
    fields = [field for model in apps.get_models() for field in model._meta.concrete_fields]
    choices = [str(value) for field in fields for value, _ in field.flatchoices]
    names = [field.name for field in fields]
    return frozenset(sequence_of(" ".join([*choices, *names, *PREDICATES, *COMMON_WORDS])))
