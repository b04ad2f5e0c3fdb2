"""The second stage of recall: from what was written to what should be looked for."""

import re
from itertools import islice

from memory import lexical
from memory.common_words import COMMON_WORDS
from memory.recall import rewriting_words as words
from memory.recall.focusing import focus
from memory.recall.times import read_time
from memory.recall.types import Query, RecallRequest
from memory.word_forms import search_terms

EARLIER_TURNS = 3
EARLIER_TERMS = 8

_LONGEST_VAGUE = 60
_LONGEST_VAGUE_UNSPACED = 10
_LONGEST_DENSE_TERM = 40

_PERSONAL = re.compile(words.PERSONAL, re.IGNORECASE)
_ABOUT_ASSISTANT = re.compile("|".join(words.ABOUT_ASSISTANT), re.IGNORECASE)
_FOLLOW_UP = re.compile(words.FOLLOW_UP, re.IGNORECASE)
_POINTING_BACK = re.compile(words.POINTING_BACK, re.IGNORECASE)
_POINTING_BACK_UNSPACED = re.compile(words.POINTING_BACK_UNSPACED)
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def rewrite(request: RecallRequest) -> Query:
    """What to look for: the question inside the message, with key terms of the earlier turns when
    it cannot stand alone. Never empty unless the message is."""
    asked = focus(request.message)
    vague = _is_vague(asked)
    terms = _earlier_terms(request.history) if vague else ()
    text = " ".join((asked, *terms))
    return Query(
        text=text,
        words=search_terms(text),
        phrases=lexical.quoted_phrases(asked),
        names=tuple(dict.fromkeys((*lexical.proper_names(asked), *_names(terms)))),
        span=read_time(asked, request.today),
        about_assistant=bool(_ABOUT_ASSISTANT.search(asked)),
        vague=vague,
    )


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
    recent = [focus(turn) for turn in reversed(history[-EARLIER_TURNS:])]
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
