"""Statements to file as facts, and comparisons between them."""

import re
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from memory.facts.vocabulary import details_of
from memory.models import Drawer, Fact

KEY_LIMIT = 120
STATEMENT_LIMIT = 1000
NAME_LIMIT = 200
MAX_CONFIDENCE = {"user": 0.90, "tool": 0.95}
"""How certain a statement can be, by its authority."""
DEFAULT_MAX_CONFIDENCE = 0.70
"""How certain a statement can be that anybody else makes, or that is inferred from what the user says."""
SUPERSEDED = Fact.Status.SUPERSEDED

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Statement:
    """A new fact, and the drawer and character span of its words. `ended` means that the fact ended at its
    `valid_from`."""

    fact: Fact
    drawer: Drawer
    span: tuple[int, int]
    ended: bool = False


def new_fact(drawer: Drawer, *, until: datetime | None = None, **fields: Any) -> Fact:
    """An unsaved fact from a drawer, with its texts cut to what is stored; `until` is when a past fact ended,
    and such a fact displaces nothing. It is superseded until it is settled, because the same one may already
    hold."""
    fact = Fact(user_id=drawer.user_id, source_kind=drawer.source_kind, status=SUPERSEDED, **fields)
    fact.content_hash = digest_of(fact.kind, fact.statement)
    fact.memory_type = details_of(fact.kind).memory_type
    fact.key, fact.predicate = fact.key[:KEY_LIMIT], fact.predicate[:KEY_LIMIT]
    fact.statement, fact.topic = fact.statement[:STATEMENT_LIMIT], fact.topic[:NAME_LIMIT]
    fact.ended_at = max(until, fact.valid_from) if until else None
    return fact


def digest_of(kind: str, statement: str) -> bytes:
    """The content hash of a fact of this kind and statement."""
    words = _SPACE.sub(" ", statement).strip(" .!").casefold()
    return sha256(f"{kind}\n{words}".encode()).digest()


def says_the_same(fact: Fact, other: Fact) -> bool:
    """Whether two facts say the same, in the same words or with the same value of the same key.

    The latter is common if a model and the built-in reader have read the same sentence.
    """
    if bytes(fact.content_hash) == bytes(other.content_hash):
        return True
    return (
        (fact.key, fact.predicate, fact.event_time) == (other.key, other.predicate, other.event_time)
    ) and plain(fact.value) == plain(other.value)


def plain(value: str) -> str:
    """A value in lower case, without extra spacing and final punctuation."""
    return _SPACE.sub(" ", value).strip(" .!").casefold()
