"""Filter: decide whether memory can help with a message at all."""

import re
from collections.abc import Iterable

from django.utils.translation import gettext_noop

from memory.aaak import find_pointers
from memory.recall.types import Decision
from memory.text.patterns import AFTER_WORD, UNSPACED, compile_pattern, compile_words, patterns, table_of
from memory.text.sanitizing import normalise, storable

_MAX_READ = 20_000
_MAX_SMALL_TALK_LENGTH = 80
_MAX_QUESTION_LENGTH = 160


_TABLE = table_of(__file__)
_FIRST_PERSON_WORDS = frozenset(_TABLE["first_person"].split())
_PATTERNS = patterns(_TABLE)

_PLEASE = rf"(?:(?:{_PATTERNS['please']})[\s,]*)*"
_WORK = rf"^{_PLEASE}(?:{_PATTERNS['work']})"
# The start of a request to work on a text that the message contains.
_WORK_ON_TEXT_WORDS = (
    rf"{_WORK}\s+(?:{_PATTERNS['given']}){AFTER_WORD}",
    rf"{_WORK}(?:\s+(?:{_PATTERNS['into']})\s+\w+)?\s*:",
    _PATTERNS["work_elsewhere"],
    rf"^{_PLEASE}(?:ترجم|لخص|صحح)\w*\s(?:هذا|هذه|التالي|ما يلي|النص)",
)
_PAYLOAD_MARKS = r"[:：]\s*\S|\n\s*\S|[\"“”«„「]"

_AMOUNT = r"[\d(.][\d\s.,+*/×÷^()=%-]*"

# Requests that need nothing but themselves.
_SELF_CONTAINED_WORDS = (
    rf"^{_PLEASE}(?:write|give|create|generate|make|build)\s+(?:me\s+)?(?:an?|some|the)?\s*"
    rf"(?:\w+\s+){{0,2}}?(?:{_PATTERNS['makes']}){AFTER_WORD}",
    r"^what(?:'s| is) (?:the |a )?(?:regex|regular expression) (?:for|to)" + AFTER_WORD,
    rf"^{_PLEASE}(?:convert|calculate|compute|what(?:'s| is)|how much is|was ist|wie viel ist|"
    rf"cuánto es|combien font|quanto fa|quanto é|сколько будет)\s+{_AMOUNT}"
    r"(?:(?:plus|minus|times|divided by|mal|por|fois|per|of)\s+[\d.,]+\s*)*"
    r"(?:[a-z°µ]{1,12}\s+(?:to|in|into)\s+[a-z°µ]{1,12})?\s*\?*$",
    rf"^{_AMOUNT}\s*\?*$",
)

_ASK = (
    rf"^{_PLEASE}(?:(?:tell|give|show) me[\s,]+)?(?:(?:what|who)(?:'s| is| are| was)|name)? ?"
    r"(?:the )?"
)

_SMALL_TALK = re.compile(rf"(?:(?:{_PATTERNS['small_talk']})(?=\s|$|[{UNSPACED}])\s*)+")
_MEMORY = compile_words(_PATTERNS["memory"], _PATTERNS["memory_unspaced"])
_PERSONAL_UNSPACED = compile_pattern(_PATTERNS["first_person_unspaced"], ignore_case=True)
_WORK_ON_TEXT = compile_pattern("|".join(_WORK_ON_TEXT_WORDS), ignore_case=True)
_SELF_CONTAINED = compile_pattern("|".join(_SELF_CONTAINED_WORDS), ignore_case=True)
_GENERAL_KNOWLEDGE = re.compile(
    f"{_ASK}(?:{_PATTERNS['general_knowledge']})|{_PATTERNS['general_questions']}", re.IGNORECASE
)
_PAYLOAD = compile_pattern(_PAYLOAD_MARKS)
_POINTING = re.compile(_PATTERNS["pointing"], re.IGNORECASE)
_PUNCTUATION = re.compile(r"[^\w\s'-]|_")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
# "Tell me" and "for us" name the recipient, not the subject; US is a country.
_NOT_PERSONAL = re.compile(
    r"\b(?i:tell|give|show|help|write|make|for|let) (?i:me|us)\b|\bUS\b|\b(?i:let's)\b"
)
_FENCE = compile_pattern(r"```.*?(?:```|\Z)", dot_all=True)


def should_search(message: str) -> Decision:
    """Whether to search memory for a message. When in doubt, yes: only small talk, work on a text in the
    message, and plain general knowledge are skipped."""
    text = normalise("NFKC", storable(message[:_MAX_READ]).text).replace("’", "'").strip()
    if not text:
        return Decision(False, gettext_noop("The message is empty."))
    if find_pointers(text):
        return Decision(True, gettext_noop("The message names a drawer."))
    if _is_small_talk(text):
        return Decision(False, gettext_noop("A greeting or thanks does not need memory."))
    return _decision_on_request(text)


def _decision_on_request(text: str) -> Decision:
    bare = _FENCE.sub("\n```", text)
    is_self_contained = _is_self_contained(bare)
    payload = _PAYLOAD.search(bare) if is_self_contained else None
    instruction = bare[: payload.start()] if payload else bare
    if _MEMORY.search(instruction) or _is_personal(instruction):
        return Decision(True, gettext_noop("The message refers to you or an earlier chat."))
    if is_self_contained:
        return Decision(False, gettext_noop("The message contains everything it asks about."))
    if _is_general_knowledge(bare):
        return Decision(False, gettext_noop("The message asks for general knowledge."))
    return Decision(True, gettext_noop("Your memory may contain something about this."))


def _is_small_talk(text: str) -> bool:
    phrase = " ".join(_PUNCTUATION.sub(" ", text.lower()).split())
    if not phrase:
        return "?" not in text
    return len(phrase) <= _MAX_SMALL_TALK_LENGTH and bool(_SMALL_TALK.fullmatch(phrase))


def _is_personal(text: str) -> bool:
    about = _NOT_PERSONAL.sub(" ", text)
    if _PERSONAL_UNSPACED.search(about):
        return True
    return any(word.lower() in _FIRST_PERSON_WORDS for word in _word_forms(about))


def _word_forms(text: str) -> Iterable[str]:
    for word in _WORD.findall(text):
        yield word
        # French j' and m' precede any word.
        yield word.partition("'")[0] + "'"


def _is_self_contained(text: str) -> bool:
    if _SELF_CONTAINED.search(text):
        return True
    return bool(_WORK_ON_TEXT.search(text) and _PAYLOAD.search(text))


def _is_general_knowledge(text: str) -> bool:
    if len(text) > _MAX_QUESTION_LENGTH or _POINTING.search(text):
        return False
    return bool(_GENERAL_KNOWLEDGE.search(text))
