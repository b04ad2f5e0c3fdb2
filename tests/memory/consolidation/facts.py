"""Builds rows of facts directly, without filing them."""

from hashlib import sha256
from uuid import UUID

from memory.models import Drawer, Fact, FactSource
from tests.memory.palaces import MONDAY


def fact(user_id: UUID, statement: str, **given: object) -> Fact:
    """An unsaved fact: by default, a preference said on that Monday."""
    words = statement.strip(" .!")
    fields: dict[str, object] = {
        "kind": "preference",
        "memory_type": Fact.Memory.SEMANTIC,
        "key": f"likes:{words.casefold()}"[:120],
        "value": words,
        "statement": statement,
        "predicate": "noted",
        "object": words,
        "confidence": 0.9,
        "authority": "user",
        "valid_from": MONDAY,
        "recorded_at": MONDAY,
        "content_hash": sha256(statement.encode()).digest(),
        "mined_by": "reader",
    }
    return Fact(user_id=user_id, **(fields | given))


def add(drawer: Drawer, statement: str, **given: object) -> Fact:
    """Save a fact whose source is a drawer."""
    made = fact(drawer.user_id, statement, **given)
    made.save(force_insert=True)
    FactSource.objects.create(user_id=drawer.user_id, fact_id=made.id, drawer_id=drawer.id, start=0, end=4)
    return made
