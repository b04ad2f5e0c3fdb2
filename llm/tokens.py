"""How many tokens a text takes, without asking a network or loading a vocabulary.

The estimate counts runs by script: a Latin word costs a token for each started 5 characters plus
its share of punctuation, which comes to about 4 characters a token in prose; an alphabet that
vocabularies know less well (Cyrillic, Arabic, Devanagari …) a token for each 2 characters;
ideographs, kana and Hangul 2 tokens for 3 characters; anything else (emoji, punctuation) one each.
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
_CHARACTERS_A_TOKEN = {"latin": 5.0, "digits": 3.0, "dense": 1.5, "letters": 2.0, "other": 1.0}
_LONGEST_WORD = 40


def estimate_tokens(text: str) -> int:
    """About how many tokens a chat model counts for the text; 0 for an empty one."""
    return sum(_piece_tokens(piece) for piece in _PIECES.finditer(text))


def truncate_tokens(text: str, limit: int) -> str:
    """The longest start of the text that is estimated at no more than `limit` tokens.

    It ends between words; a run too long to be a word, or without spaces by nature, is cut inside.
    """
    spent = 0
    for piece in _PIECES.finditer(text):
        cost = _piece_tokens(piece)
        if spent + cost > limit:
            return text[: piece.start() + _fitting(piece, limit - spent)].rstrip()
        spent += cost
    return text


def well_formed(text: str) -> str:
    """The text without lone surrogates, which no encoder or tokenizer accepts."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _piece_tokens(piece: re.Match[str]) -> int:
    kind = str(piece.lastgroup)
    if kind == "space":
        return 0
    if kind == "newline":
        return 1
    return math.ceil(len(piece.group()) / _CHARACTERS_A_TOKEN[kind])


def _fitting(piece: re.Match[str], left: int) -> int:
    kind = str(piece.lastgroup)
    is_word = kind != "dense" and len(piece.group()) <= _LONGEST_WORD
    return 0 if is_word else max(0, math.floor(left * _CHARACTERS_A_TOKEN.get(kind, 1.0)))
