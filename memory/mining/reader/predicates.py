"""What the reader can find: predicates with their kinds, keys and statements, from `predicates.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from memory.text.patterns import table_of


@dataclass(frozen=True, slots=True)
class Predicate:
    """How facts with this predicate are stored. `says` introduces the user's words in the statement, which
    otherwise uses a kinship word or the form in `memory.text.forms`. `label` is set for people and animals;
    `value` is the template that distinguishes facts under one key."""

    name: str
    kind: str
    key: str
    says: str = ""
    label: str = ""
    value: str = "{value}"


PREDICATES: Mapping[str, Predicate] = MappingProxyType(
    {name: Predicate(name, **row) for name, row in table_of(__file__).items()}
)
NAMES = tuple(PREDICATES)
KINDS = tuple(dict.fromkeys(predicate.kind for predicate in PREDICATES.values()))
PARTNERS = ("married_to", "engaged_to", "partner_of")
COMPANIONS = frozenset(("friend_of", *PARTNERS))
"""Relationships that one word may mean ("Freund")."""
