"""What the reader can find: predicates with their kinds, keys and statements, from `predicates.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Predicate:
    """How facts of a predicate are stored. `says` is the statement around the user's own words; without it,
    the statement names the relation by a word of kinship or is that of `memory.text.forms`. `label` marks
    people and animals; `value` is the template of the value that facts of one key are told apart by. Below a
    confidence of `sure` a fact waits for its owner."""

    name: str
    kind: str
    key: str
    says: str = ""
    label: str = ""
    value: str = "{value}"
    sure: float = 0.75


def _read() -> Mapping[str, Predicate]:
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return MappingProxyType({name: Predicate(name, **row) for name, row in rows.items()})


PREDICATES = _read()
NAMES = tuple(PREDICATES)
KINDS = tuple(dict.fromkeys(predicate.kind for predicate in PREDICATES.values()))
