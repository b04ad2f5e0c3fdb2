"""What a question names: runs of words that may be names, people by kinship, keys of a profile."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memory.mining.rules.chinese.kin import KIN as CHINESE
from memory.mining.rules.english.kin import KIN as ENGLISH
from memory.mining.rules.french.kin import KIN as FRENCH
from memory.mining.rules.german.kin import KIN as GERMAN
from memory.mining.rules.russian.kin import KIN as RUSSIAN
from memory.mining.rules.spanish.kin import KIN as SPANISH
from memory.mining.rules.table import Kinship
from memory.mining.rules.vocabulary import canonical_key
from memory.recall.arms import mention_words as words

LONGEST_NAME = 3
LONGEST_UNSPACED = 6
MOST_GRAMS = 240

_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*[+#]*")
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_OWN = re.compile(words.OWN, re.IGNORECASE)
_ASKED = tuple((re.compile(text, re.IGNORECASE), keys) for text, keys in words.ASKED.items())
_UNSPACED_KIN = {word: kin for word, kin in CHINESE.items() if len(word) > 1}
_SPACED_KIN: Mapping[str, Kinship] = {**SPANISH, **FRENCH, **GERMAN, **RUSSIAN, **ENGLISH}


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a question names: `grams`, runs of its words that may be names; the owner's people and
    animals by their words of `kin`; and the `keys` of a profile that it asks for."""

    grams: tuple[str, ...]
    kin: tuple[Kinship, ...]
    keys: tuple[str, ...]


def mentions_in(text: str) -> Mentions:
    """What this question names, in the languages of the rules; names in any script."""
    spoken = [_POSSESSIVE.sub("", word) for word in _WORD.findall(text)]
    grams = (*_runs(spoken), *_pieces(text))
    kin = tuple({found.label: found for found in _kin(text)}.values())
    # "My sister's job" asks for nothing of the owner's own.
    keys = () if kin else tuple(dict.fromkeys(_keys(text)))
    return Mentions(tuple(dict.fromkeys(grams))[:MOST_GRAMS], kin, keys)


def family_of(kin: Kinship) -> str:
    """The key of the facts about such a person, without the name that may follow."""
    return kin.key.removesuffix("_{slug}")


def _runs(spoken: list[str]) -> Iterator[str]:
    """Runs of one to three words; a word alone has at least three letters."""
    for length in range(LONGEST_NAME, 0, -1):
        for start in range(len(spoken) - length + 1):
            run = " ".join(spoken[start : start + length])
            if len(run) > 2:
                yield run


def _pieces(text: str) -> Iterator[str]:
    for run in _UNSPACED.findall(text):
        for length in range(min(LONGEST_UNSPACED, len(run)), 1, -1):
            yield from (run[start : start + length] for start in range(len(run) - length + 1))


def _kin(text: str) -> Iterator[Kinship]:
    for own in _OWN.finditer(text):
        named = [_POSSESSIVE.sub("", word) for word in _WORD.findall(own["what"].casefold())]
        for gram in _runs(named):
            found = _SPACED_KIN.get(gram) or _SPACED_KIN.get(gram.removesuffix("s"))
            if found is not None:
                yield found
                break
    yield from (
        kin for word, kin in _UNSPACED_KIN.items() if f"我{word}" in text or f"我的{word}" in text
    )


def _keys(text: str) -> Iterator[str]:
    for own in _OWN.finditer(text):
        named = _WORD.findall(own["what"])
        for length in range(len(named), 0, -1):
            yield canonical_key(" ".join(named[:length]))
    for asked, keys in _ASKED:
        if asked.search(text):
            yield from keys
