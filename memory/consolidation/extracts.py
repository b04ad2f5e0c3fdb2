"""Chooses the sentences of a conversation that stand for the others, without any model."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from memory.common_words import COMMON_WORDS
from memory.lexical import query_words

SENTENCES = 3
LONGEST_SENTENCE = 220
SHORTEST_WORDS = 3
SENTENCES_READ = 400
WORDS_READ = 60

_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
_CODE = re.compile(r"```.*?```", re.DOTALL)


def extract(texts: Sequence[str]) -> str:
    """Up to three sentences of these texts, word for word and in their order: those whose words
    the others share. Empty when no sentence says anything."""
    sentences = list(dict.fromkeys(_sentences(texts)))[:SENTENCES_READ]
    words = {sentence: _words(sentence) for sentence in sentences}
    spread = Counter(word for each in words.values() for word in each)
    ranked = sorted(
        (sentence for sentence in sentences if len(words[sentence]) >= SHORTEST_WORDS),
        key=lambda sentence: (-_weight(words[sentence], spread), sentences.index(sentence)),
    )
    chosen = _different(ranked, words)
    return " ".join(sentence for sentence in sentences if sentence in chosen)


def _sentences(texts: Sequence[str]) -> Iterable[str]:
    for text in texts:
        for piece in _END.split(_CODE.sub(" ", text)):
            sentence = " ".join(piece.split())
            if 0 < len(sentence) <= LONGEST_SENTENCE and not sentence.endswith(("?", "？", "؟")):
                yield sentence


def _words(sentence: str) -> frozenset[str]:
    words = query_words(sentence, WORDS_READ)
    return frozenset(word for word in words if word not in COMMON_WORDS)


def _weight(words: frozenset[str], spread: Counter[str]) -> float:
    """How much of what is said elsewhere a sentence shares, for its length."""
    return sum(spread[word] for word in words) / (len(words) + 4)


def _different(ranked: Iterable[str], words: dict[str, frozenset[str]]) -> set[str]:
    """The best sentences of which none repeats most of another."""
    chosen: list[str] = []
    for sentence in ranked:
        if len(chosen) == SENTENCES:
            break
        mine = words[sentence]
        if all(len(mine & words[other]) * 2 <= len(mine) for other in chosen):
            chosen.append(sentence)
    return set(chosen)
