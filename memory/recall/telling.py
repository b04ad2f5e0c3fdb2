"""How much a short message tells by itself.

Among people who chat, the nearest texts to a question are often other short questions and cheers
about the same thing: "How was the wedding?", "Wow, that is great!". They are to the point and answer
nothing, so they stand back behind messages that tell something.
"""

import re

from memory.sentences import DENSE_LETTER

SHORT_TOKENS = 60
"""Longer messages always tell something and are not looked at."""
ENOUGH = 6
"""So many telling words are as good as any number."""
_IN_A_QUESTION = 12
_IN_A_CHEER = 10
_ENDS = r".!?…。！？؟\n"
_SENTENCE = re.compile(rf"[^{_ENDS}]+[.!?…。！？؟]*")
_WORD = re.compile(r"[^\W_]+")
_TELLS_AT_ONCE = re.compile(
    rf"[^{_ENDS}\w]*[^\W_]+(?:[^{_ENDS}\w]+[^\W_]+){{{ENOUGH - 1}}}[^{_ENDS}]*"
    rf"(?:[.…。\n]+(?![{_ENDS}])|\Z)"
)
"""A first sentence that is a statement of enough words."""
_ASKS = ("?", "？", "؟")
_CHEERS = ("!", "！")


def says_little(text: str) -> float:
    """From 0, for a message that tells something, to 1, for one that only asks or cheers.

    Of a question only what is said beyond twelve words tells, of a cheer only what is longer than
    ten. In scripts without spaces every character counts as a word.
    """
    spaced = text if text.isascii() else DENSE_LETTER.sub(" x ", text)
    if _TELLS_AT_ONCE.match(spaced):
        return 0.0
    telling = 0
    for match in _SENTENCE.finditer(spaced):
        telling += _telling(match[0].strip())
        if telling >= ENOUGH:
            return 0.0
    return 1.0 - telling / ENOUGH


def _telling(sentence: str) -> int:
    words = len(_WORD.findall(sentence))
    if sentence.endswith(_ASKS):
        return max(0, words - _IN_A_QUESTION)
    if sentence.endswith(_CHEERS) and words <= _IN_A_CHEER:
        return 0
    return words
