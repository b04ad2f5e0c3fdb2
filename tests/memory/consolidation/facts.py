"""Palaces full of facts, made quickly: as many as a test asks for, always the same."""

from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from memory.models import Drawer, Fact, FactSource
from tests.memory.palaces import MONDAY, Spot, file

WAYS = ("Likes {thing}.", "likes the {thing}", "LIKES {thing}!")


def fact(user_id: UUID, statement: str, **given: object) -> Fact:
    """One fact, not saved: a preference said on a Monday unless it is said otherwise."""
    words = statement.strip(" .!")
    fields: dict[str, object] = {
        "kind": "preference",
        "memory_type": Fact.Memory.SEMANTIC,
        "key": f"likes:{words.casefold()}"[:120],
        "value": words,
        "statement": statement,
        "predicate": "likes",
        "object": words,
        "confidence": 0.9,
        "authority": "user",
        "valid_from": MONDAY,
        "recorded_at": MONDAY,
        "content_hash": sha256(statement.encode()).digest(),
        "mined_by": "rules",
    }
    return Fact(user_id=user_id, **(fields | given))


def add(drawer: Drawer, statement: str, **given: object) -> Fact:
    """One fact that rests on a whole drawer."""
    made = fact(drawer.user_id, statement, **given)
    made.save(force_insert=True)
    FactSource.objects.create(
        user_id=drawer.user_id, fact_id=made.id, drawer_id=drawer.id, start=0, end=4
    )
    return made


def crowd(user_id: UUID, count: int, now: datetime) -> None:
    """`count` facts on 20 drawers: in each ten three say the same, two rest since years, two are
    values of one thing that are both open, and three are new and different."""
    drawers = file(user_id, [f"Drawer number {n} of a long year." for n in range(20)], Spot())
    facts = [_one(user_id, number, now) for number in range(count)]
    Fact.objects.bulk_create(facts, batch_size=1000)
    FactSource.objects.bulk_create(
        (
            FactSource(
                user_id=user_id,
                fact_id=made.id,
                drawer_id=drawers[number % 20].id,
                start=number // 20,
                end=number // 20 + 5,
            )
            for number, made in enumerate(facts)
        ),
        batch_size=1000,
    )


def _one(user_id: UUID, number: int, now: datetime) -> Fact:
    group, place = divmod(number, 10)
    thing = f"sort {group} of tea"
    if place < 3:
        at = now - timedelta(days=30 - place)
        return fact(user_id, WAYS[place].format(thing=thing), valid_from=at, recorded_at=at)
    if place < 5:
        at = now - timedelta(days=1000 + place)
        return fact(user_id, f"Once liked {place} of {thing}.", valid_from=at, recorded_at=at)
    if place < 7:
        at = now - timedelta(days=90 - 10 * place)
        given = {"key": f"home:{group}", "single_valued": True, "kind": "identity"}
        return fact(
            user_id, f"Lives at {place}, {group} Road.", valid_from=at, recorded_at=at, **given
        )
    return fact(user_id, f"Likes {place} of {thing}.", valid_from=now, recorded_at=now)
