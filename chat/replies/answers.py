"""Finds the sentence that answers a question best among recalled drawers, without a model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memory.mining.reader.sentences import sentences
from memory.recall.types import Hit
from memory.text.stop_words import COMMON_WORDS
from memory.text.tokenization import proper_names, query_words

MAX_TEXT_LENGTH = 8_000
MIN_STEM_LENGTH, MAX_ENDING_LENGTH = 3, 2
NEAR_WEIGHT, DETAIL_WEIGHT, QUESTION_WEIGHT, ASSISTANT_WEIGHT, RANK_WEIGHT = 0.25, 0.3, -0.6, -0.15, -0.08


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of the hit at this place of the ranking; `near` if the search matched this part of it."""

    text: str
    rank: int
    near: bool
    hit: Hit


def best_answer(question: str, hits: Sequence[Hit]) -> Hit | None:
    """The hit with the sentence that answers best, cut to that sentence; None without hits.

    It shares words with the question, tells something new such as a name or a number, stands where the search
    matched, and asks nothing itself.
    """
    asked = _content_words(question)
    best = max(_sentences(hits), key=lambda each: _score(each, question, asked), default=None)
    if best is None:
        return None
    return replace(best.hit, text=best.text, excerpt=best.hit.excerpt or best.text != best.hit.text.strip())


def _sentences(hits: Sequence[Hit]) -> Iterator[_Sentence]:
    for rank, hit in enumerate(hits):
        for start, end in sentences(hit.text[:MAX_TEXT_LENGTH]):
            text = hit.text[start:end].strip()
            near = start < hit.span[1] and hit.span[0] < end and hit.span[1] - hit.span[0] < len(hit.text)
            if text:
                yield _Sentence(text, rank, near, hit)


def _score(sentence: _Sentence, question: str, asked: Sequence[str]) -> float:
    said = _content_words(sentence.text)
    shared = sum(any(_same_stem(word, other) for other in said) for word in asked) / max(1, len(asked))
    parts = (
        shared,
        NEAR_WEIGHT * sentence.near,
        DETAIL_WEIGHT * _adds_detail(sentence.text, question),
        QUESTION_WEIGHT * sentence.text.endswith(("?", "？", "؟")),
        ASSISTANT_WEIGHT * (sentence.hit.role == "assistant"),
        RANK_WEIGHT * sentence.rank,
    )
    return sum(parts)


def _content_words(text: str) -> list[str]:
    return [word for word in query_words(text) if word not in COMMON_WORDS]


def _same_stem(one: str, other: str) -> bool:
    """Whether two words differ in their endings only."""
    stem = max(MIN_STEM_LENGTH, min(len(one), len(other)) - MAX_ENDING_LENGTH)
    return one == other or (len(min(one, other, key=len)) >= MIN_STEM_LENGTH and one[:stem] == other[:stem])


def _adds_detail(text: str, question: str) -> bool:
    """Whether a sentence has a name or a number that the question does not have."""
    names = {name for name in proper_names(text) if name not in question}
    return bool(names) or any(word.isdecimal() and word not in question for word in query_words(text))
