"""Palaces of any size whose lists are full: as many wings, rooms, drawers and relations as a page
shows, so that two of them differ only in how much there is beside."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from uuid import UUID

from accounts.models import User
from accounts.tenancy import tenant
from bench.loading import Loader, Shape
from memory.graph.resolution import entity_for
from memory.models import OWNER, Drawer, Entity, Relation, RelationSource
from memory.own_index import index_is_due, settle_index

FULL = ((500, Shape(10, 50)), (450, Shape(10, 1)), (50, Shape(50, 1)))
LEAST = sum(drawers for drawers, _shape in FULL)
REST = Shape(52, 50)
DRAWERS_A_RELATION = 2
HUB_EVERY = 3
BATCH = 2_000


def furnished(loader: Loader, drawers: int, now: datetime) -> User:
    """A person with so many drawers, a thousand at least, and half as many relations; half of
    those are of the person, and every third is of one same friend. What comes after the first
    thousand lies 52 a room, so that 100,000 drawers lie in 2,000 rooms."""
    user = User.objects.create_user(f"owner-of-{drawers}@bench.invalid", agreed_at=now)
    for some, shape in FULL:
        loader.load(user.id, some, shape)
    if drawers > LEAST:
        loader.load(user.id, drawers - LEAST, REST)
    with tenant(user.id):
        _relate(user.id, drawers // DRAWERS_A_RELATION, now)
        if index_is_due(user.id):
            settle_index(user.id)
    return user


def _relate(user_id: UUID, count: int, now: datetime) -> None:
    person = entity_for(user_id, OWNER, OWNER)
    hub = entity_for(user_id, "Ana", "person")
    others = [
        Entity(user_id=user_id, name=f"Person {number}", type="person")
        for number in range(count // 2)
    ]
    Entity.objects.bulk_create(others, batch_size=BATCH)
    drawers = list(
        Drawer.objects.filter(user_id=user_id).order_by("id").values_list("id", flat=True)[:count]
    )
    made = list(_relations(person, [hub, *others], drawers, now))
    Relation.objects.bulk_create(made, batch_size=BATCH)
    RelationSource.objects.bulk_create((_source(each) for each in made), batch_size=BATCH)


def _relations(
    person: Entity, others: list[Entity], drawers: list[UUID], now: datetime
) -> Iterator[Relation]:
    for number, drawer_id in enumerate(drawers):
        one = person if number % 2 else others[number * 7 % len(others)]
        other = others[0] if number % HUB_EVERY == 0 else others[number * 3 % len(others)]
        if one.id == other.id:
            continue
        began = now - timedelta(hours=number + 1)
        yield Relation(
            user_id=one.user_id,
            subject=one,
            relation="met" if number % 3 else "wrote to",
            object=other,
            valid_from=began,
            valid_to=began + timedelta(minutes=30) if number % 4 == 0 else None,
            confidence=0.9,
            drawer_id=drawer_id,
        )


def _source(relation: Relation) -> RelationSource:
    return RelationSource(
        user_id=relation.user_id,
        subject_id=relation.subject_id,
        relation=relation.relation,
        object_id=relation.object_id,
        edge_id=relation.id,
        at=relation.valid_from,
        confidence=relation.confidence,
        drawer_id=relation.drawer_id,
        start=0,
        end=40,
    )
