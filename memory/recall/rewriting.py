"""Rewrite: turn a message into a query."""

import re
from itertools import islice

from memory.recall.query_extraction import PERSONAL, focus
from memory.recall.types import Query, RecallRequest
from memory.text import tokenization
from memory.text.dates import read_time
from memory.text.patterns import AFTER_WORD, UNSPACED, compile_pattern, compile_words, patterns, table_of
from memory.text.secrets import blank_secrets
from memory.text.stemming import search_terms
from memory.text.stop_words import COMMON_WORDS

EARLIER_TURNS = 3
EARLIER_TERMS = 8

_MAX_VAGUE_LENGTH = 60
_MAX_VAGUE_UNSPACED_LENGTH = 10
_MAX_DENSE_TERM_LENGTH = 40

_PATTERNS = patterns(table_of(__file__))
_ABOUT_ASSISTANT = re.compile(_PATTERNS["about_assistant"], re.IGNORECASE)
_FOLLOW_UP = compile_pattern(rf"^\W*(?:{_PATTERNS['follow_up']}){AFTER_WORD}", ignore_case=True)
_SEVERAL = compile_words(_PATTERNS["several"], _PATTERNS["several_unspaced"])
_POINTING_BACK = compile_words(_PATTERNS["pointing_back"])
_POINTING_BACK_UNSPACED = compile_pattern(_PATTERNS["pointing_back_unspaced"])
_UNSPACED = re.compile(f"[{UNSPACED}]")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def rewrite(request: RecallRequest) -> Query:
    """The query for a message: its question, with key terms of earlier turns if it is too vague on its own.
    Empty only if the message is. Contains no secrets."""
    question = focus(blank_secrets(request.message))
    use_history = request.settings.use_history and _is_vague(question)
    terms = _earlier_terms(request.history) if use_history else ()
    text = " ".join((question, *terms))
    return Query(
        text=text,
        words=search_terms(text),
        span=read_time(question, request.today),
        about_assistant=bool(_ABOUT_ASSISTANT.search(question)),
        several=bool(_SEVERAL.search(question)),
        vague=bool(terms),
    )


def _is_vague(text: str) -> bool:
    if not text or len(text) > _MAX_VAGUE_LENGTH or tokenization.quoted_phrases(text):
        return False
    if _UNSPACED.search(text):
        return len(text) <= _MAX_VAGUE_UNSPACED_LENGTH and bool(_POINTING_BACK_UNSPACED.search(text))
    content = _content_words(text)
    if _FOLLOW_UP.search(text):
        return len(content) <= 3
    if _POINTING_BACK.search(text):
        return len(content) <= 1
    return not content and len(_WORD.findall(text)) <= 4 and not PERSONAL.search(text)


def _content_words(text: str) -> list[str]:
    found = (word.replace("’", "'") for word in _WORD.findall(text))
    return [word for word in found if word.lower() not in COMMON_WORDS]


def _earlier_terms(history: tuple[str, ...]) -> tuple[str, ...]:
    """Key terms of the latest turns, newest first: names and quotations, then long words."""
    recent = [focus(blank_secrets(turn)) for turn in reversed(history[-EARLIER_TURNS:])]
    found = (term for turn in recent for term in _key_terms(turn))
    return tuple(islice(dict.fromkeys(found), EARLIER_TERMS))


def _key_terms(turn: str) -> tuple[str, ...]:
    named = (*tokenization.quoted_phrases(turn), *tokenization.proper_names(turn))
    if _UNSPACED.search(turn):
        return (*named, turn[:_MAX_DENSE_TERM_LENGTH])
    inside = {word for name in named for word in _WORD.findall(name)}
    longest_first = sorted(
        (word for word in _content_words(turn) if word not in inside and len(word) > 2),
        key=len,
        reverse=True,
    )
    return (*named, *longest_first[:EARLIER_TERMS])
