"""The second stage of recall: from what was written to what should be looked for."""

import re
from itertools import islice

from memory import lexical
from memory.common_words import COMMON_WORDS
from memory.recall import rewriting_words as words
from memory.recall.dates import read_span
from memory.recall.types import Query, RecallRequest

LONGEST_QUERY = 600
MOST_SENTENCES = 3
EARLIER_TURNS = 3
EARLIER_TERMS = 8

_BEGINNING, _END = 10_000, 20_000
_LONGEST_VAGUE = 60
_LONGEST_VAGUE_UNSPACED = 10
_LONGEST_DENSE_TERM = 40

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"[^\n.!?。！？؟]+(?:[.](?=\S)[^\n.!?。！？؟]*)*[.!?。！？؟]*[\"'”’)]*")
_MACHINE_LINE = re.compile("|".join(words.MACHINE_LINES), re.MULTILINE)
_QUESTION_LABEL = re.compile(words.QUESTION_LABEL, re.IGNORECASE)
_QUESTION = re.compile(f"[?？؟]|{words.QUESTION_ENDINGS}")
_ASKING = re.compile(words.ASKING, re.IGNORECASE)
_PERSONAL = re.compile(words.PERSONAL, re.IGNORECASE)
_ORDERING = re.compile(words.ORDERING, re.IGNORECASE)
_ABOUT_ASSISTANT = re.compile("|".join(words.ABOUT_ASSISTANT), re.IGNORECASE)
_FOLLOW_UP = re.compile(words.FOLLOW_UP, re.IGNORECASE)
_POINTING_BACK = re.compile(words.POINTING_BACK, re.IGNORECASE)
_POINTING_BACK_UNSPACED = re.compile(words.POINTING_BACK_UNSPACED)
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def rewrite(request: RecallRequest) -> Query:
    """What to look for: the question inside the message, with key terms of the earlier turns when
    it cannot stand alone. Never empty unless the message is."""
    focus = _focus(request.message)
    vague = _is_vague(focus)
    terms = _earlier_terms(request.history) if vague else ()
    text = " ".join((focus, *terms))
    return Query(
        text=text,
        words=lexical.query_words(text),
        phrases=lexical.quoted_phrases(focus),
        names=tuple(dict.fromkeys((*lexical.proper_names(focus), *_names(terms)))),
        span=read_span(focus, request.today),
        about_assistant=bool(_ABOUT_ASSISTANT.search(focus)),
        vague=vague,
    )


def _focus(message: str) -> str:
    """The message itself when it is short, else the sentences of it that ask."""
    text = message.strip()
    if len(text) <= LONGEST_QUERY:
        return text
    if len(text) > _BEGINNING + _END:
        text = f"{text[:_BEGINNING]}\n{text[-_END:]}"
    spoken = _MACHINE_LINE.sub("\n", _FENCE.sub("\n", text)).strip() or text
    labels = list(_QUESTION_LABEL.finditer(spoken))
    if labels and spoken[labels[-1].end() :].strip():
        spoken = spoken[labels[-1].end() :].strip()
    if len(spoken) <= LONGEST_QUERY:
        return spoken
    return _asking_sentences(spoken)


def _asking_sentences(text: str) -> str:
    found = (match[0].strip() for match in _SENTENCE.finditer(text))
    sentences = [sentence for sentence in found if _WORD.search(sentence)]
    weights = [_weight(sentence) for sentence in sentences]
    least = max(max(weights, default=0) - 1, 0)
    latest_best = sorted(range(len(sentences)), key=lambda i: (weights[i], i))[-MOST_SENTENCES:]
    kept = " ".join(sentences[i] for i in sorted(latest_best) if weights[i] >= least)
    return (kept or text)[-LONGEST_QUERY:].strip()


def _weight(sentence: str) -> int:
    """How much a sentence sounds like the question that a person has."""
    weight = 2 * bool(_QUESTION.search(sentence)) + bool(_ASKING.search(sentence))
    return weight + 2 * bool(_PERSONAL.search(sentence)) - 2 * bool(_ORDERING.search(sentence))


def _is_vague(text: str) -> bool:
    if not text or len(text) > _LONGEST_VAGUE or lexical.quoted_phrases(text):
        return False
    if _UNSPACED.search(text):
        return len(text) <= _LONGEST_VAGUE_UNSPACED and bool(_POINTING_BACK_UNSPACED.search(text))
    telling = _telling_words(text)
    if _FOLLOW_UP.match(text):
        return len(telling) <= 3
    if _POINTING_BACK.search(text):
        return len(telling) <= 1
    return not telling and len(_WORD.findall(text)) <= 4 and not _PERSONAL.search(text)


def _telling_words(text: str) -> list[str]:
    found = (word.replace("’", "'") for word in _WORD.findall(text))
    return [word for word in found if word.lower() not in COMMON_WORDS]


def _earlier_terms(history: tuple[str, ...]) -> tuple[str, ...]:
    """What the latest turns were about: names and quotations first, newest turn first."""
    recent = [_focus(turn) for turn in reversed(history[-EARLIER_TURNS:])]
    found = (term for turn in recent for term in _key_terms(turn))
    return tuple(islice(dict.fromkeys(found), EARLIER_TERMS))


def _key_terms(turn: str) -> tuple[str, ...]:
    named = (*lexical.quoted_phrases(turn), *lexical.proper_names(turn))
    if _UNSPACED.search(turn):
        return (*named, turn[:_LONGEST_DENSE_TERM])
    inside = {word for name in named for word in _WORD.findall(name)}
    longest_first = sorted(
        (word for word in _telling_words(turn) if word not in inside and len(word) > 2),
        key=len,
        reverse=True,
    )
    return (*named, *longest_first[:EARLIER_TERMS])


def _names(terms: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for term in terms for name in lexical.proper_names(term))
