"""A crowd of facts for consolidation to merge, close and archive."""

from datetime import datetime, timedelta
from uuid import UUID

from memory.models import Fact, FactSource
from memory.organize.notes import Note, save_note
from tests.memory.consolidation.facts import fact

DRAWERS = 20
WAYS = ("Likes {thing}.", "likes the {thing}", "LIKES {thing}!")


def crowd(user_id: UUID, count: int, now: datetime) -> None:
    """Give a user `count` facts on 20 drawers. Of each ten, three say the same, two have not been
    confirmed for years, two are open values of one key, and three are new and different."""
    notes = (Note(f"Drawer number {number} of a long year.") for number in range(DRAWERS))
    drawers = [save_note(user_id, note, now - timedelta(days=1100)) for note in notes]
    facts = [_fact(user_id, number, now) for number in range(count)]
    Fact.objects.bulk_create(facts, batch_size=1000)
    FactSource.objects.bulk_create(
        FactSource(user_id=user_id, fact_id=fact.id, drawer_id=drawers[at].id, start=start, end=start + 5)
        for number, fact in enumerate(facts)
        for start, at in [divmod(number, DRAWERS)]
    )


def _fact(user_id: UUID, number: int, now: datetime) -> Fact:
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
