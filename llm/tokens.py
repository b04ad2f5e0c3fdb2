"""Estimates how many tokens a text takes, without a network or a vocabulary.

Runs are counted by script: a Latin word takes a token for each started 5 characters, which with its share
of punctuation comes to about 4 characters per token in prose; Cyrillic, Arabic, Devanagari and other
alphabets take one for each 2 characters; ideographs, kana and Hangul 2 for 3 characters; anything else
(emoji, punctuation) one each.
"""

import math
import re

_PIECES = re.compile(
    r"(?P<latin>[A-Za-z\u00c0-\u024f]+)"
    r"|(?P<digits>[0-9]+)"
    r"|(?P<dense>[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+)"
    r"|(?P<letters>[^\W\d_]+)"
    r"|(?P<newline>\n+)"
    r"|(?P<space>\s+)"
    r"|(?P<other>[\s\S])"
)
# Each match is a token, in text of Latin letters only.
_LATIN_TOKENS = re.compile(r"[A-Za-z\u00c0-\u024f]{1,5}|[0-9]{1,3}|(?<!\s)\n+|[^A-Za-z\u00c0-\u024f0-9\s]")
_NOT_LATIN = re.compile(
    r"[^\W\d_A-Za-z\u00c0-\u024f]|[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
_CHARACTERS_PER_TOKEN = {"latin": 5.0, "digits": 3.0, "dense": 1.5, "letters": 2.0, "other": 1.0}
_MAX_WORD_LENGTH = 40


def estimate_tokens(text: str) -> int:
    """About how many tokens a chat model counts for the text."""
    if not text.isascii() and _NOT_LATIN.search(text):
        return sum(_piece_tokens(piece) for piece in _PIECES.finditer(text))
    return len(_LATIN_TOKENS.findall(text))


def truncate_tokens(text: str, limit: int) -> str:
    """The longest prefix of the text estimated at no more than `limit` tokens.

    It ends between words, unless a run is too long for a word or its script has no spaces.
    """
    spent = 0
    for piece in _PIECES.finditer(text):
        cost = _piece_tokens(piece)
        if spent + cost > limit:
            return text[: piece.start() + _prefix_length(piece, limit - spent)].rstrip()
        spent += cost
    return text


def well_formed(text: str) -> str:
    """The text with lone surrogates replaced, which no encoder or tokenizer accepts."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _piece_tokens(piece: re.Match[str]) -> int:
    kind = str(piece.lastgroup)
    if kind == "space":
        return 0
    if kind == "newline":
        return 1
    return math.ceil(len(piece.group()) / _CHARACTERS_PER_TOKEN[kind])


def _prefix_length(piece: re.Match[str], left: int) -> int:
    kind = str(piece.lastgroup)
    is_word = kind != "dense" and len(piece.group()) <= _MAX_WORD_LENGTH
    return 0 if is_word else max(0, math.floor(left * _CHARACTERS_PER_TOKEN.get(kind, 1.0)))
