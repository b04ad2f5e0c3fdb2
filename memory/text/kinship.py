"""Words for family, friends, colleagues and pets, by language; the table is `kinship.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from types import MappingProxyType

from memory.text.patterns import compile_pattern, table_of

_WORD = compile_pattern(r"[\pL-]+")
_CONSONANT_Y = compile_pattern(r"[^aeiou]y$")
LANGUAGES = ("en", "de", "es", "fr", "ru", "zh")


@dataclass(frozen=True, slots=True)
class Kinship:
    """What a kinship word means: the predicate of the relation, an English label, and the key of the fact.

    The key ends in `_{slug}` if a person can have several such relations. The word may mean several people.
    """

    predicate: str
    label: str
    key: str
    is_plural: bool = False

    @property
    def family(self) -> str:
        """The key without the placeholder for a name."""
        return self.key.removesuffix("_{slug}")


Kin = Mapping[str, Kinship]


def _read() -> Mapping[str, Kin]:
    words: dict[str, dict[str, Kinship]] = {language: {} for language in LANGUAGES}
    for row in table_of(__file__)["kin"]:
        key = row.get("key") or row["label"].replace(" ", "_") + "_{slug}"
        kin = Kinship(row["predicate"], row["label"], key)
        for language, several in product(LANGUAGES, ("", "_many")):
            listed = row[language + several].split(", ") if language + several in row else ()
            words[language].update(dict.fromkeys(listed, replace(kin, is_plural=bool(several))))
    plurals = {_plural(word): replace(kin, is_plural=True) for word, kin in words["en"].items()}
    words["en"] = plurals | words["en"]
    return {language: MappingProxyType(table) for language, table in words.items()}


def _plural(word: str) -> str:
    """The regular plural of an English word."""
    return f"{word[:-1]}ies" if _CONSONANT_Y.search(word) else f"{word}s"


KIN = _read()
"""The kinship meant by each lower-case word, by language code; by regular plurals too in English."""


def names_relation(text: str, predicate: str) -> bool:
    """Whether a text has a word for relatives or others of this predicate, in any language."""
    text = text.casefold()
    words = {form for word in _WORD.findall(text) for form in (word, word.removesuffix("s"))}
    return any(
        kin.predicate == predicate
        and (word in words or ((language == "zh" or " " in word or "-" in word) and word in text))
        for language, table in KIN.items()
        for word, kin in table.items()
    )
