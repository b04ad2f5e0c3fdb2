"""Statements to file as facts, and comparisons between them."""

import re
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from memory.models import Fact

KEY_LIMIT = 120
STATEMENT_LIMIT = 1000
NAME_LIMIT = 200

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact to file, with the drawer and character span of its words. `ended` means that the fact ended at
    `valid_from`; `until` is when a past fact ended, and such a fact displaces nothing."""

    kind: str
    key: str
    value: str
    statement: str
    predicate: str
    object: str
    confidence: float
    authority: str
    valid_from: datetime
    drawer_id: UUID
    span: tuple[int, int]
    single_valued: bool = False
    ended: bool = False
    until: datetime | None = None
    event_time: datetime | None = None
    persons: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    location: str = ""
    topic: str = ""
    importance: float = 0.5
    source_kind: str = ""
    mined_by: str = "reader"
    review_reason: str = ""


def content_hash(statement: Statement) -> bytes:
    """A digest of the statement that ignores case, spacing and final punctuation."""
    return digest_of(statement.kind, statement.statement)


def digest_of(kind: str, statement: str) -> bytes:
    """The content hash of a fact of this kind and statement."""
    words = _SPACE.sub(" ", statement).strip(" .!").casefold()
    return sha256(f"{kind}\n{words}".encode()).digest()


def says_the_same(fact: Fact, statement: Statement) -> bool:
    """Whether a fact says the same as a statement, in the same words or with the same value of the same key.

    The latter is common if a model and the built-in reader have read the same sentence.
    """
    if bytes(fact.content_hash) == content_hash(statement):
        return True
    return (
        fact.key == statement.key[:KEY_LIMIT]
        and fact.predicate == statement.predicate[:KEY_LIMIT]
        and fact.event_time == statement.event_time
        and plain(fact.value) == plain(statement.value)
    )


def plain(value: str) -> str:
    """A value in lower case, without extra spacing and final punctuation."""
    return _SPACE.sub(" ", value).strip(" .!").casefold()
