"""Finds the sentences that answer a question best among recalled drawers, without a model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from memory.mining.reader.sentences import sentences
from memory.recall.types import Hit
from memory.text.patterns import compile_pattern
from memory.text.stop_words import COMMON_WORDS
from memory.text.tokenization import proper_names, query_words

MAX_TEXT_LENGTH = 8_000
MIN_STEM_LENGTH, MAX_ENDING_LENGTH = 3, 2
MAX_PARTS = 4
NEAR_WEIGHT, DETAIL_WEIGHT, QUESTION_WEIGHT, ASSISTANT_WEIGHT, RANK_WEIGHT = 0.25, 0.3, -0.6, -0.15, -0.08

# Where the next question begins: after a question mark, or with a question word after "and".
_NEXT_QUESTION = compile_pattern(
    r"[?？؟]\s*(\S)"
    r"|\sand (?:(?:in|on|at|for|with) )?(what|when|where|who|whom|whose|which|why|how) "
    r"|\sund (?:(?:in|für|mit) )?(was|wann|wo|wer|wen|wem|wie|welche[rsmn]?|warum) "
    r"|\s[ye] (?:(?:de|en|con|por) )?(qué|cuándo|cuál|cuáles|dónde|quién|cómo) "
    r"|\set (?:(?:de|en|pour|avec) )?(que|qui|quand|où|comment|quels?|quelles?|pourquoi) "
    r"|\s[иа] (?:(?:в|на|с) )?(что|когда|где|кто|кого|как|какой|какая|какое|какие|почему|сколько) "
    r"|[,，、和]\s*(什么|哪|谁|怎么|多少|我)",
    ignore_case=True,
)


@dataclass(frozen=True, slots=True, eq=False)
class _Sentence:
    """A sentence of the hit at this place of the ranking; `near` if the search matched this part of it."""

    text: str
    words: Sequence[str]
    rank: int
    near: bool
    hit: Hit


def best_answers(question: str, hits: Sequence[Hit]) -> list[Hit]:
    """For each part of the question, the hit with the sentence that answers it best, cut to that sentence.

    Such a sentence shares words with the question, says something new such as a name or a number, stands
    where the search matched, and asks nothing itself. A part that shares no words with any gets no answer,
    unless none does. Empty without hits.
    """
    found = list(_sentences(hits))
    if not found:
        return []
    parts = [_content_words(part) for part in _parts(question)]
    best = [(max(found, key=lambda each: _score(each, question, asked)), asked) for asked in parts]
    related = [sentence for sentence, asked in best if _shared(sentence, asked)]
    return [
        replace(each.hit, text=each.text, excerpt=each.hit.excerpt or each.text != each.hit.text.strip())
        for each in dict.fromkeys(related or [best[0][0]])
    ]


def _parts(question: str) -> list[str]:
    """The questions in a question; one in doubt."""
    starts = [found.start(found.lastindex or 0) for found in _NEXT_QUESTION.finditer(question)]
    edges = [0, *starts[: MAX_PARTS - 1], len(question)]
    return [question[start:end] for start, end in pairwise(edges)]


def _sentences(hits: Sequence[Hit]) -> Iterator[_Sentence]:
    for rank, hit in enumerate(hits):
        for start, end in sentences(hit.text[:MAX_TEXT_LENGTH]):
            text = hit.text[start:end].strip()
            near = start < hit.span[1] and hit.span[0] < end and hit.span[1] - hit.span[0] < len(hit.text)
            if text:
                yield _Sentence(text, _content_words(text), rank, near, hit)


def _score(sentence: _Sentence, question: str, asked: Sequence[str]) -> float:
    parts = (
        _shared(sentence, asked),
        NEAR_WEIGHT * sentence.near,
        DETAIL_WEIGHT * _adds_detail(sentence.text, question),
        QUESTION_WEIGHT * sentence.text.endswith(("?", "？", "؟")),
        ASSISTANT_WEIGHT * (sentence.hit.role == "assistant"),
        RANK_WEIGHT * sentence.rank,
    )
    return sum(parts)


def _shared(sentence: _Sentence, asked: Sequence[str]) -> float:
    """The share of these words that the sentence has."""
    return sum(any(_same_stem(word, other) for other in sentence.words) for word in asked) / max(
        1, len(asked)
    )


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
