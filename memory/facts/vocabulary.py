"""The vocabulary of facts: canonical keys, predicates and kinds, and their synonyms, from `vocabulary.toml`.

A kind also has a memory type (semantic, episodic, procedural, reflective) and a name in two older
vocabularies that the API speaks: its *nature* (factual, preference, behavioral, episodic, procedural) and
its *section* of a profile (profile, preferences, technical, projects, other).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from memory.text.patterns import table_of

KEY_LENGTH = 60

_NOT_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate: whether a new object ends the old one, the entity type of its object, the key that its
    facts have, whatever key a model uses, and the predicate of what is over ("You used to work at Seat").

    The type is empty if the object is a phrase rather than a node of the graph.
    """

    single_valued: bool = False
    entity: str = ""
    key: str = ""
    former: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind's names in other vocabularies, and the usual importance of such a fact (0 to 1)."""

    memory_type: str
    nature: str
    section: str
    importance: float


def _by_synonym(names: Mapping[str, str]) -> dict[str, str]:
    return {synonym: name for name, synonyms in names.items() for synonym in synonyms.split()}


_TABLE = table_of(__file__)
PREDICATES = {name: Predicate(**row) for name, row in _TABLE["predicates"].items()}
FORMER = {name: each.former for name, each in PREDICATES.items() if each.former}
KINDS = {name: Kind(**row) for name, row in _TABLE["kinds"].items()}
CANONICAL_KEYS = tuple(_TABLE["keys"])
_KEY_SYNONYMS = _by_synonym(_TABLE["keys"])
_PREDICATE_SYNONYMS = _by_synonym(_TABLE["predicate_synonyms"])
_DEFAULT_KINDS: dict[str, str] = _TABLE["default_kinds"]
_KIND_SPELLINGS: dict[str, str] = _TABLE["kind_spellings"]


def slug(text: str) -> str:
    """`text` in lower case with underscores between words; letters of every script are kept."""
    return _NOT_WORD.sub("_", text.casefold()).strip("_")[:KEY_LENGTH].strip("_")


def canonical_key(key: str) -> str:
    """The key a fact is stored under; merges known synonyms and American spelling."""
    found = slug(key).replace("favorite", "favourite").replace("color", "colour")
    return _KEY_SYNONYMS.get(found, _KEY_SYNONYMS.get(slug(key), found))


def canonical_predicate(predicate: str) -> str:
    """The predicate or relation in snake_case; merges known synonyms."""
    found = slug(predicate)
    return _PREDICATE_SYNONYMS.get(found, found)


def predicate_of(name: str) -> Predicate:
    """What is known about a predicate, if anything."""
    return PREDICATES.get(name, Predicate())


def key_of(predicate: str, key: str) -> str:
    """The key of a fact: the predicate's own if it can have only one object, else `key`."""
    return predicate_of(predicate).key or key


def details_of(kind: str) -> Kind:
    """A kind's other names and importance; those of "other" for an unknown one."""
    return KINDS.get(kind, KINDS["other"])


def kind_of(name: str) -> str | None:
    """The kind with this name, in any vocabulary and spelling, or None.

    Names of kinds take precedence.
    """
    plain = _plain_kind(name)
    return plain if plain in KINDS else _DEFAULT_KINDS.get(plain)


def kinds_matching(name: str) -> tuple[str, ...]:
    """All kinds that this name may mean, in any vocabulary; empty for an unknown name.

    "preference" is the kind, "episodic" is experiences and events.
    """
    plain = _plain_kind(name)
    if plain in KINDS:
        return (plain,)
    return tuple(
        kind for kind, names in KINDS.items() if plain in (names.memory_type, names.nature, names.section)
    )


def _plain_kind(name: str) -> str:
    plain = " ".join(name.casefold().replace("_", " ").split())
    spelled = _KIND_SPELLINGS.get(plain, plain)
    return spelled.replace(" ", "_")
