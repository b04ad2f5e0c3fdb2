"""Builds rows of facts directly, without filing them."""

from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from memory.models import Drawer, Fact, FactSource
from memory.organize.notes import Note, save_note
from tests.memory.palaces import MONDAY

DRAWERS = 20
WAYS = ("Likes {thing}.", "likes the {thing}", "LIKES {thing}!")


def fact(user_id: UUID | None, statement: str, **given: object) -> Fact:
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


def crowd(user_id: UUID, count: int, now: datetime) -> None:
    """Give a user `count` facts on 20 drawers. Of each ten, three say the same, two have not been
    confirmed for years, two are open values of one key, and three are new and different."""
    notes = (Note(f"Drawer number {number} of a long year.") for number in range(DRAWERS))
    drawers = [save_note(user_id, note, now - timedelta(days=1100)) for note in notes]
    facts = [_of_crowd(user_id, number, now) for number in range(count)]
    Fact.objects.bulk_create(facts, batch_size=1000)
    FactSource.objects.bulk_create(
        FactSource(user_id=user_id, fact_id=fact.id, drawer_id=drawers[at].id, start=start, end=start + 5)
        for number, fact in enumerate(facts)
        for start, at in [divmod(number, DRAWERS)]
    )


def _of_crowd(user_id: UUID, number: int, now: datetime) -> Fact:
    group, place = divmod(number, 10)
    thing, given = f"sort {group} of tea", {}
    if place < 3:
        statement, days = WAYS[place].format(thing=thing), 30 - place
    elif place < 5:
        statement, days = f"Once liked {place} of {thing}.", 1000 + place
    elif place < 7:
        statement, days = f"Lives at {place}, {group} Road.", 90 - 10 * place
        given = {"kind": "identity", "key": f"home:{group}", "single_valued": True}
    else:
        statement, days = f"Likes {place} of {thing}.", 0
    at = now - timedelta(days=days)
    return fact(user_id, statement, predicate="likes", valid_from=at, recorded_at=at, **given)
