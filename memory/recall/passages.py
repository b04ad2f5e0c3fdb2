"""Cut long hits to the sentences that matter to the question, with an ellipsis for what is left out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import tzinfo
from itertools import pairwise
from math import log

from llm.tokens import estimate_tokens, truncate_tokens
from memory.recall.block import tokens_of_hit, tokens_of_text
from memory.recall.reasons import lexemes, stem
from memory.recall.types import Hit
from memory.search.sentence_vectors import SENTENCE_END
from memory.text.stemming import FORMS
from memory.text.stop_words import COMMON_WORDS

OMITTED = "…"
NEAREST = 3.0
"""The score for being in the passage nearest in meaning; a word that every sentence has scores 0.7."""
NEIGHBOUR_SHARE = 0.7
"""The share of its score that a sentence lends to its neighbours, which help to understand it."""

MAX_SENTENCES = 200
"""How many sentences of a hit are tried, best first."""

Range = tuple[int, int]


def cut_to(hit: Hit, tokens: int, words: Iterable[str], zone: tzinfo) -> Hit:
    """The hit cut to the sentences that share most with the question's `words` or are nearest to it,
    verbatim and in order, so that it renders to at most `tokens`."""
    left = tokens - tokens_of_hit(replace(hit, text="x", excerpt=True), zone)
    sentences = list(_sentences(hit.text))
    scores = _scores(hit, sentences, _content_stems(words))
    kept: list[int] = []
    best_first = sorted(range(len(sentences)), key=lambda index: (-scores[index], index))
    for index in best_first[:MAX_SENTENCES]:
        cost = 1 + tokens_of_text(hit.text[slice(*sentences[index])])
        if cost <= left:
            kept.append(index)
            left -= cost
        elif not kept:
            start, end = sentences[index]
            return _excerpt(hit, [(start, start + len(_beginning(hit.text[start:end], left)))])
    return _excerpt(hit, [sentences[index] for index in sorted(kept)])


def _sentences(text: str) -> Iterator[Range]:
    ends = [0, *(match.end() for match in SENTENCE_END.finditer(text)), len(text)]
    return ((start, end) for start, end in pairwise(ends) if text[start:end].strip())


def _content_stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(form) for word in words if word not in COMMON_WORDS for form in word.split(FORMS))


def _scores(hit: Hit, sentences: Sequence[Range], stems: frozenset[str]) -> list[float]:
    """The score of each sentence: the rarity of the question's words in it, plus its nearness in meaning; or
    a share of the score of a neighbouring sentence if that is more."""
    found = [stems & lexemes(hit.text[start:end]) for start, end in sentences]
    frequency = Counter(word for words in found for word in words)
    rarity = {word: log(1 + len(sentences) / count) for word, count in frequency.items()}
    own = [
        sum(rarity[word] for word in words) + NEAREST * (start < hit.span[1] and hit.span[0] < end)
        for words, (start, end) in zip(found, sentences, strict=True)
    ]
    neighbours = zip([0.0, *own], [*own[1:], 0.0], strict=False)
    return [
        max(each, NEIGHBOUR_SHARE * max(adjacent)) for each, adjacent in zip(own, neighbours, strict=True)
    ]


def _beginning(text: str, tokens: int) -> str:
    """A beginning of a text that renders to at most `tokens`, even though escapes take more."""
    short = truncate_tokens(text, tokens)
    while short and tokens_of_text(short) > tokens:
        short = short[: len(short) * 3 // 4]
    return short


def _excerpt(hit: Hit, ranges: Iterable[Range]) -> Hit:
    """The hit with these ranges of its text; adjacent ones are joined."""
    text, last = "", 0
    for start, end in ranges:
        gap = f" {OMITTED} " if text and start > last else ""
        text = f"{text.rstrip() if gap else text}{gap}{hit.text[start:end]}"
        last = end
    text = text.strip()
    return replace(hit, text=text, excerpt=True, tokens=estimate_tokens(text), span=(0, 0))
