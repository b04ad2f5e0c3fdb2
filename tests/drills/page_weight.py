"""The size and statements of pages in a small and in a large palace, measured in one run.

`python -m tests.drills.page_weight --large 100000` compares every page with full lists in both, in a
separate database. Ratios matter: times are the fastest of several, because other work only adds to them;
`p95` is the time that 19 of 20 requests do not exceed.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, count
from math import ceil
from time import perf_counter
from typing import Any
from uuid import UUID

import django
from django.apps import apps

if not apps.ready:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()

from django.conf import settings
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from bench.made_up import Loader
from bench.palaces import own_database
from llm import current
from memory.facts.queries import RelationChoice, entities_page, relations_at
from memory.facts.statements import digest_of
from memory.facts.vocabulary import KINDS
from memory.graph.resolution import entity_for
from memory.models import (
    OWNER,
    ActivityEvent,
    Closet,
    Drawer,
    Entity,
    Fact,
    FactSource,
    Relation,
    RelationSource,
    Room,
    Wing,
)
from memory.pages.palace.queries import drawers_of_room, wings
from memory.paging import after_moment
from memory.search.ann_index import index_is_due, update_index
from memory.search.index import analyze_changed_tables
from palace.processes.web_server import load_site
from tests.fake_gateway import FakeEmbedder

# Drawers, drawers per room and wings: enough to fill every list.
FULL = ((500, 10, 50), (450, 10, 1), (50, 50, 1))
MINIMUM = 1_000
VIEWS = ("tree", "columns")
KINDS_HELD = ("identity", "preference", "relationship", "experience", "goal", "project", "event", "other")
STATUSES = {0: Fact.Status.PENDING, 1: Fact.Status.SUPERSEDED, 2: Fact.Status.REJECTED}
QUESTION = "What did I do with the balcony garden when Ana was in Lisbon?"

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Measured:
    """One request of a page: bytes sent, SQL statements, milliseconds on the server."""

    bytes: int
    statements: int
    milliseconds: float


def furnished(loader: Loader, drawers: int, now: datetime) -> User:
    """A user with at least 1,000 drawers, half as many relations, every third with one friend, and a fifth
    as many facts."""
    user = User.objects.create_user(f"owner-of-{drawers}@bench.invalid", agreed_at=now)
    for some, per_room, wing_count in (*FULL, (drawers - MINIMUM, 52, 50)):
        loader.load(user.id, some, per_room=per_room, wings=wing_count)
    with tenant(user.id):
        _add_relations(user.id, drawers // 2, now)
        _add_facts(user.id, drawers // 5, now)
        if index_is_due(user.id):
            update_index(user.id)
    return user


def compared(small: User, large: User, rounds: int, report: Report) -> dict[str, Any]:
    """The measurements of each page in both palaces and the ratio of their times, by the name of the page."""
    found: dict[str, Any] = {}
    people = [(_client(user), _addresses(user)) for user in (small, large)]
    for name in people[0][1]:
        requests = [
            [request_page(client, known[name]) for client, known in people] for _ in range(rounds + 1)
        ]
        pairs = list(zip(*requests[1:], strict=True))  # the first request does not count
        times = [sorted(each.milliseconds for each in seen) for seen in pairs]
        found[name] = {
            "kB": [round(max(each.bytes for each in seen) / 1000, 1) for seen in pairs],
            "statements": [max(each.statements for each in seen) for seen in pairs],
            "ms": [round(each[0], 1) for each in times],
            "p95": [round(each[ceil(0.95 * len(each)) - 1]) for each in times],
            "ratio": round(times[1][0] / times[0][0], 2),
        }
        report(f"{name}: {found[name]}")
    return found


def request_page(client: Client, address: str) -> Measured:
    """Request a page once."""
    statements = count()

    def counted(execute: Callable[..., Any], *arguments: Any) -> Any:
        next(statements)
        return execute(*arguments)

    with connection.execute_wrapper(counted):
        started = perf_counter()
        answer = client.get(address, secure=settings.SECURE_SSL_REDIRECT)
        milliseconds = (perf_counter() - started) * 1000
    assert answer.status_code == 200, f"{address} answered {answer.status_code}"
    return Measured(len(answer.content), next(statements), milliseconds)


def _client(user: User) -> Client:
    client = Client(SERVER_NAME=settings.ALLOWED_HOSTS[0])
    client.force_login(user)
    return client


def _add_relations(user_id: UUID, most: int, now: datetime) -> None:
    person = entity_for(user_id, OWNER, OWNER)
    friend = entity_for(user_id, "Ana", "person")
    others = [Entity(user_id=user_id, name=f"Person {number}", type="person") for number in range(most // 2)]
    Entity.objects.bulk_create(others, batch_size=2_000)
    everyone = [friend, *others]
    drawers = Drawer.objects.filter(user_id=user_id).order_by("id").values_list("id", flat=True)[:most]
    relations = []
    for number, drawer_id in enumerate(drawers):
        one = person if number % 2 else everyone[number * 7 % len(everyone)]
        other = friend if number % 3 == 0 else everyone[number * 3 % len(everyone)]
        began = now - timedelta(hours=number + 1)
        relation = Relation(
            user_id=user_id,
            subject=one,
            relation="met" if number % 3 else "wrote to",
            object=other,
            valid_from=began,
            valid_to=began + timedelta(minutes=30) if number % 4 == 0 else None,
            confidence=0.9,
            drawer_id=drawer_id,
        )
        relations += [relation] if one.id != other.id else []
    Relation.objects.bulk_create(relations, batch_size=2_000)
    RelationSource.objects.bulk_create(map(_source, relations), batch_size=2_000)


def _source(relation: Relation) -> RelationSource:
    same = ("user_id", "subject_id", "relation", "object_id", "confidence", "drawer_id")
    copied = {name: getattr(relation, name) for name in same}
    return RelationSource(**copied, edge_id=relation.id, at=relation.valid_from, start=0, end=40)


def _add_facts(user_id: UUID, most: int, now: datetime) -> None:
    """Facts of every kind, some in review or past, with activity events."""
    rows = Drawer.objects.filter(user_id=user_id, role="user").order_by("id")[:most]
    pairs = [(_fact(number, drawer, now), drawer) for number, drawer in enumerate(rows)]
    Fact.objects.bulk_create([fact for fact, _drawer in pairs], batch_size=2_000)
    sources = (
        FactSource(user_id=user_id, fact_id=fact.id, drawer=drawer, start=0, end=60) for fact, drawer in pairs
    )
    FactSource.objects.bulk_create(sources, batch_size=2_000)
    parts = [pairs[start : start + 5] for start in range(0, len(pairs), 5)]
    events = (_activity_event(number, part) for number, part in enumerate(parts))
    ActivityEvent.objects.bulk_create(events, batch_size=2_000)


def _fact(number: int, drawer: Drawer, now: datetime) -> Fact:
    kind, value = KINDS_HELD[number % len(KINDS_HELD)], f"{drawer.content[5:35]} {number}"
    began = now - timedelta(hours=3 * number + 1)
    return Fact(
        user_id=drawer.user_id,
        kind=kind,
        memory_type=KINDS[kind].memory_type,
        key=f"{kind}_{number}",
        value=value,
        statement=f"The user likes {value}.",
        predicate="likes",
        object=value,
        confidence=(0.9, 0.6, 0.3)[number % 3],
        authority="user",
        status=STATUSES.get(number % 20, Fact.Status.ACTIVE),
        valid_from=began,
        valid_to=began + timedelta(hours=1) if number % 20 == 1 else None,
        content_hash=digest_of(kind, value),
        mined_by="reader",
        recorded_at=began,
    )


def _activity_event(number: int, part: list[tuple[Fact, Drawer]]) -> ActivityEvent:
    """A saved chat, or every fourth time a decision of the owner."""
    (fact, drawer), decided = part[0], number % 4 == 0
    return ActivityEvent(
        user_id=fact.user_id,
        kind=ActivityEvent.Kind.DECIDED if decided else ActivityEvent.Kind.MINED,
        subject_id=fact.id if decided else drawer.source_id,
        details={
            "facts": [str(fact.id) for fact, _drawer in part],
            "drawers": [str(drawer.id) for _fact, drawer in part],
            **({"action": "approve"} if decided else {}),
        },
        at=fact.recorded_at,
    )


def _addresses(user: User) -> dict[str, str]:
    with tenant(user.id):
        return dict(chain(_places(user.id), _searches(user.id), _lists(user.id)))


def _largest_wing(user_id: UUID) -> Wing:
    return Wing.objects.filter(user_id=user_id).order_by("-rooms_held", "id")[0]


def _places(user_id: UUID) -> Iterator[tuple[str, str]]:
    """Tree and columns of the largest wing and its largest room, and the pages below them."""
    wing = _largest_wing(user_id)
    held = Room.objects.filter(user_id=user_id, wing_id=wing.id, drawers_held__gt=0)
    room = held.order_by("-drawers_held", "id")[0]
    closet = Closet.objects.get(user_id=user_id, room_id=room.id)
    path = [wing.id, room.id, closet.id]
    for length, name in enumerate(("palace", "wing", "room", "closet")):
        for view in VIEWS:
            yield f"{name}, {view}", reverse(f"memory:{name}", args=path[:length], query={"view": view})
    for length, name in enumerate(("room_list", "closet_list", "drawer_list"), start=1):
        yield f"branch, {name}", reverse(f"memory:{name}", args=path[:length])
    yield "preview", reverse("memory:room_preview", args=path[:2])
    tenth, drawers = held.order_by("-started_at", "id")[10], drawers_of_room(user_id, room.id)
    for name, length, after in (
        ("wing_list", 0, wings(user_id).after),
        ("room_list", 1, after_moment(tenth.started_at, tenth.id)),
        ("room", 2, drawers.after),
    ):
        yield f"{name}, further down", f"{reverse(f'memory:{name}', args=path[:length])}?after={after}"
    yield "drawer", reverse("memory:drawer", args=[drawers.items[1].id])
    yield "change of a wing", reverse("memory:change_place", args=["wing", wing.id])


def _searches(user_id: UUID) -> Iterator[tuple[str, str]]:
    for name, more in {
        "search": {"k": "10"},
        "search, most hits": {"k": "15"},
        "search, second page": {"k": "10", "page": "2"},
        "search in one wing": {"k": "10", "wing": str(_largest_wing(user_id).id)},
        "search between days": {"k": "10", "role": "user", "until": "2099-01-01"},
    }.items():
        yield name, reverse("memory:search", query={"q": QUESTION, **more})


def _lists(user_id: UUID) -> Iterator[tuple[str, str]]:
    """The graph, and the pages of facts, projections and activity."""
    friend = entities_page(user_id, "Ana").items[0]
    last = relations_at(user_id, RelationChoice()).items[-1]
    yield "entity", reverse("memory:entity", args=[friend.id])
    day = str(last.valid_from.date())
    for query in ({}, {"hops": "2"}, {"entity": str(friend.id)}, {"at": day}):
        yield f"graph {' '.join(query)}", reverse("memory:graph", query=query)
    for name, query in {
        "facts": {},
        "facts, newest": {"sort": "newest"},
        "facts with a word": {"q": "Ana"},
        "facts with unknown words": {"q": "xylophone zither"},
        "facts of a wing": {"wing": str(_largest_wing(user_id).id)},
        "facts on a day": {"at": "2099-01-01"},
        "past facts": {"status": "superseded"},
    }.items():
        yield name, reverse("memory:facts", query=query)
    for name in ("review", "profile", "timeline", "days", "activity", "changes", "cost"):
        yield name, reverse(f"memory:{name}")


def main() -> None:
    """Compare all pages and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.drills.page_weight", description=__doc__)
    parser.add_argument("--large", type=int, default=100_000, help="drawers of the large palace")
    parser.add_argument("--rounds", type=int, default=20, help="how often each page is requested")
    options = parser.parse_args()
    now = timezone.now()
    with current.using(embedder=FakeEmbedder()), own_database("palace_drill_page_weight"):
        loader = Loader(now)
        small, large = (furnished(loader, size, now) for size in (MINIMUM, options.large))
        analyze_changed_tables()
        load_site()
        found = compared(small, large, options.rounds, lambda words: None)
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
