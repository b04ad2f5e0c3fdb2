"""The first stage of recall: whether a message can be helped by memory at all."""

import re
import unicodedata
from collections.abc import Iterable

from django.utils.translation import gettext_noop

from memory.aaak import find_pointers
from memory.recall import filter_words as words
from memory.recall.types import Decision

_READ = 20_000
_LONGEST_SMALL_TALK = 80
_LONGEST_QUESTION = 160


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_UNSPACED = "\u3040-\u30ff\u3400-\u9fff"
_PHRASES = words.SMALL_TALK.strip().replace("\n", "|")
_SMALL_TALK = re.compile(rf"(?:(?:{_PHRASES})(?=\s|$|[{_UNSPACED}])\s*)+")
_MEMORY = _any((rf"\b(?:{'|'.join(words.MEMORY)})\b", *words.MEMORY_UNSPACED))
_PERSONAL_UNSPACED = _any(words.PERSONAL_UNSPACED)
_WORK_ON_TEXT = _any(words.WORK_ON_TEXT)
_SELF_CONTAINED = _any(words.SELF_CONTAINED)
_GENERAL_KNOWLEDGE = _any(words.GENERAL_KNOWLEDGE)
_PAYLOAD = re.compile(words.PAYLOAD)
_POINTING = re.compile(words.POINTING, re.IGNORECASE)
_SILENT = re.compile(r"[^\w\s'-]|_")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
# "Tell me" and "for us" say who is to be answered, not whom it is about. US is a country.
_NOT_PERSONAL = re.compile(
    r"\b(?i:tell|give|show|help|write|make|for|let) (?i:me|us)\b|\bUS\b|\b(?i:let's)\b"
)
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def should_search(message: str) -> Decision:
    """Whether memory may help with `message`. In doubt it may: only small talk, work on a text
    that is brought along, and plain general knowledge are passed over."""
    text = unicodedata.normalize("NFKC", message[:_READ]).replace("’", "'").strip()
    if not text:
        return Decision(False, gettext_noop("The message is empty."))
    if find_pointers(text):
        return Decision(True, gettext_noop("The message names a drawer."))
    if _is_small_talk(text):
        return Decision(False, gettext_noop("A greeting or thanks needs no memory."))
    return _decision_on_request(text)


def _decision_on_request(text: str) -> Decision:
    bare = _FENCE.sub("\n```", text)
    brings_all = _brings_all(bare)
    asked = _PAYLOAD.split(bare, maxsplit=1)[0] if brings_all else bare
    if _MEMORY.search(asked) or _is_personal(asked):
        return Decision(True, gettext_noop("The message speaks of the person or of earlier talks."))
    if brings_all:
        return Decision(False, gettext_noop("The message brings along all that it asks about."))
    if _is_general_knowledge(bare):
        return Decision(False, gettext_noop("The message asks for general knowledge."))
    return Decision(True, gettext_noop("Memory may hold something about this."))


def _is_small_talk(text: str) -> bool:
    spoken = " ".join(_SILENT.sub(" ", text.lower()).split())
    if not spoken:
        return "?" not in text
    return len(spoken) <= _LONGEST_SMALL_TALK and bool(_SMALL_TALK.fullmatch(spoken))


def _is_personal(text: str) -> bool:
    about = _NOT_PERSONAL.sub(" ", text)
    if _PERSONAL_UNSPACED.search(about):
        return True
    return any(word.lower() in words.PERSONAL for word in _parts(about))


def _parts(text: str) -> Iterable[str]:
    for word in _WORD.findall(text):
        yield word
        # The French j' and m' stand before any word.
        yield word.partition("'")[0] + "'"


def _brings_all(text: str) -> bool:
    if _SELF_CONTAINED.search(text):
        return True
    return bool(_WORK_ON_TEXT.search(text) and _PAYLOAD.search(text))


def _is_general_knowledge(text: str) -> bool:
    if len(text) > _LONGEST_QUESTION or _POINTING.search(text):
        return False
    return bool(_GENERAL_KNOWLEDGE.search(text))
