"""A crowd of facts for consolidation to merge, close and archive."""

from datetime import datetime, timedelta
from uuid import UUID

from memory.models import Drawer, Fact, FactSource
from memory.organize.notes import Note, save_note
from tests.memory.consolidation.facts import fact

DRAWERS = 20
WAYS = ("Likes {thing}.", "likes the {thing}", "LIKES {thing}!")


def crowd(user_id: UUID, count: int, now: datetime) -> None:
    """Give a user `count` facts on 20 drawers. Of each ten, three say the same, two have not been
    confirmed for years, two are open values of one key, and three are new and different."""
    long_ago = now - timedelta(days=1100)
    drawers = [
        save_note(user_id, Note(f"Drawer number {number} of a long year."), long_ago)
        for number in range(DRAWERS)
    ]
    facts = [_fact(user_id, number, now) for number in range(count)]
    Fact.objects.bulk_create(facts, batch_size=1000)
    links = (_source(fact, drawers[number % DRAWERS], number) for number, fact in enumerate(facts))
    FactSource.objects.bulk_create(links, batch_size=1000)


def _fact(user_id: UUID, number: int, now: datetime) -> Fact:
    group, place = divmod(number, 10)
    thing = f"sort {group} of tea"
    if place < 3:
        return _said(user_id, WAYS[place].format(thing=thing), now - timedelta(days=30 - place))
    if place < 5:
        return _said(user_id, f"Once liked {place} of {thing}.", now - timedelta(days=1000 + place))
    if place < 7:
        home = _said(user_id, f"Lives at {place}, {group} Road.", now - timedelta(days=90 - 10 * place))
        home.kind, home.key, home.single_valued = "identity", f"home:{group}", True
        return home
    return _said(user_id, f"Likes {place} of {thing}.", now)


def _said(user_id: UUID, statement: str, at: datetime) -> Fact:
    return fact(user_id, statement, predicate="likes", valid_from=at, recorded_at=at)


def _source(fact: Fact, drawer: Drawer, number: int) -> FactSource:
    start = number // DRAWERS
    return FactSource(user_id=fact.user_id, fact_id=fact.id, drawer_id=drawer.id, start=start, end=start + 5)
