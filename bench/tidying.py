"""How long it takes to tidy up a memory of many facts."""

from datetime import datetime, timedelta
from hashlib import sha256
from time import perf_counter
from uuid import UUID

from accounts.tenancy import tenant
from memory.consolidation.application import apply, keep, undo
from memory.consolidation.planning import plan
from memory.models import Drawer, Fact, FactSource
from memory.notes import Note, save_note

DRAWERS = 20
WAYS = ("Likes {thing}.", "likes the {thing}", "LIKES {thing}!")


def tidying(user_id: UUID, facts: int, now: datetime) -> dict[str, float]:
    """Seconds of planning, writing the plan down, applying it and taking it back, and how many
    changes that were, for a person who has nothing yet."""
    with tenant(user_id):
        crowd(user_id, facts, now)
        started = perf_counter()
        made = plan(user_id, now)
        planned = perf_counter()
        run = keep(user_id, made)
        kept = perf_counter()
        apply(user_id, run.id, run.digest, now)
        applied = perf_counter()
        undo(user_id, run.id, now)
        undone = perf_counter()
    return {
        "facts": facts,
        "changes": len(made.changes),
        "plan_s": round(planned - started, 2),
        "keep_s": round(kept - planned, 2),
        "apply_s": round(applied - kept, 2),
        "undo_s": round(undone - applied, 2),
    }


def crowd(user_id: UUID, count: int, now: datetime) -> None:
    """Give a person `count` facts on 20 drawers: in each ten three say the same, two rest since
    years, two are values of one thing that are both open, and three are new and different."""
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
        fact = _said(
            user_id, f"Lives at {place}, {group} Road.", now - timedelta(days=90 - 10 * place)
        )
        fact.kind, fact.key, fact.single_valued = "identity", f"home:{group}", True
        return fact
    return _said(user_id, f"Likes {place} of {thing}.", now)


def _said(user_id: UUID, statement: str, at: datetime) -> Fact:
    words = statement.strip(" .!")
    return Fact(
        user_id=user_id,
        kind="preference",
        memory_type=Fact.Memory.SEMANTIC,
        key=f"likes:{words.casefold()}"[:120],
        value=words,
        statement=statement,
        predicate="likes",
        object=words,
        confidence=0.9,
        authority="user",
        valid_from=at,
        recorded_at=at,
        content_hash=sha256(statement.encode()).digest(),
        mined_by="rules",
    )


def _source(fact: Fact, drawer: Drawer, number: int) -> FactSource:
    start = number // DRAWERS
    return FactSource(
        user_id=fact.user_id, fact_id=fact.id, drawer_id=drawer.id, start=start, end=start + 5
    )
