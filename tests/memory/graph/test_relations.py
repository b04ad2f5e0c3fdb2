"""Relations and the intervals in which they hold; neighbours, paths and history as of a moment."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.forgetting.trash import delete
from memory.graph import traversal as module
from memory.graph.intervals import Claim
from memory.graph.intervals import windows as every_window
from memory.graph.relations import add_source, relation_source
from memory.graph.resolution import find_entity
from memory.graph.traversal import history_of, neighbours, paths
from memory.models import Entity, Relation
from memory.organize.notes import Note, save_note
from tests.drills.ledger import NOW
from tests.memory.palaces import MONDAY, file, relate

DAY = timedelta(days=1)


pytestmark = pytest.mark.usefixtures("embedder")


def works_at(user, target, day, **given):
    drawer = save_note(user.id, Note(f"I work at {target} since {day}."), NOW)
    ends = ("user", "person"), "works_at", (target, "organisation")
    return relation_source(drawer, *ends, at=NOW + day * DAY, single_valued=True, confidence=0.9, **given)


def intervals(user):
    rows = Relation.objects.filter(user_id=user.id, deleted_at=None)
    return [
        (row.object.name, (row.valid_from - NOW).days, row.valid_to and (row.valid_to - NOW).days)
        for row in rows.order_by("valid_from", "id")
        if row.valid_from != row.valid_to
    ]


def test_a_repeated_relation_is_stored_once_with_each_source_and_can_be_deleted_and_ended(as_alice):
    first = works_at(as_alice, "Acme", 0)
    add_source(first)
    delete(as_alice.id, "drawer", first.drawer_id, NOW)
    assert intervals(as_alice) == []
    made = works_at(as_alice, "Acme", 0, start=0, end=14)
    for source in (made, made, works_at(as_alice, "acme", 3)):
        add_source(source)
        assert intervals(as_alice) == [("Acme", 0, None)]
    assert Entity.objects.filter(user_id=as_alice.id).count() == 2
    relation = Relation.objects.get(deleted_at=None)
    one, other = relation.sources.exclude(drawer_id=first.drawer_id).order_by("at")
    assert (one.drawer_id, one.start, one.end) == (made.drawer_id, 0, 14)
    assert (other.at, other.start, other.edge_id) == (NOW + 3 * DAY, None, relation.id)
    for target in ("acme", "Nowhere"):
        add_source(works_at(as_alice, target, 7, ends=True))
        assert intervals(as_alice) == [("Acme", 0, 7)]


def relate_all(user, *edges):
    """Relations of days after Monday: subject, relation, object, from, until."""
    drawer = file(user.id, ["Who knows whom."])[0]
    for subject, relation, target, *days in edges:
        start, end = (MONDAY + day * DAY for day in (*days, 0, 1000)[:2])
        end = end if len(days) > 1 else None
        relate(drawer, subject, relation, target, valid_from=start, valid_to=end)


def near(user, name, **how):
    found = neighbours(user.id, find_entity(user.id, name).id, **how)
    return [(each.entity.name, each.hops) for each in found]


def path_names(user, start, end, **how):
    first, last = (find_entity(user.id, name).id for name in (start, end))
    return [
        " ".join([path[0].start.name, *(hop.end.name for hop in path)])
        for path in paths(user.id, first, last, **how)
    ]


def test_neighbours_at_one_and_two_hops_as_of_a_moment(as_alice):
    relate_all(as_alice, ("Ana", "knows", "Bo", 0, 5), ("Bo", "knows", "Cy", 3), ("Ana", "knows", "Di", 5))
    for day, expected in ((0, [("Bo", 1)]), (3, [("Bo", 1), ("Cy", 2)]), (5, [("Di", 1)])):
        assert near(as_alice, "Ana", hops=2, at=MONDAY + day * DAY) == expected
    relate_all(as_alice, ("Bo", "manages", "Ana", 3))
    assert near(as_alice, "Ana", at=MONDAY + 3 * DAY) == [("Bo", 1)], "one step, however many relations"
    with pytest.raises(ValueError, match="one or two"):
        near(as_alice, "Ana", hops=3)


def test_the_page_of_a_hub_reads_its_newest_relations(as_alice, monkeypatch):
    monkeypatch.setattr(module, "MAX_EDGES_PER_STEP", 2)
    relate_all(
        as_alice,
        *(("Ana", "knows", name, day) for day, name in enumerate(("Bo", "Cy", "Di"))),
        *((start, "knows", end, 3) for start, end in (("Bo", "Eve"), ("Di", "Fay"), ("Cy", "Bo"))),
    )
    found = module.entity_page(as_alice.id, find_entity(as_alice.id, "Ana").id, MONDAY + 9 * DAY)
    assert [each.name for each in found.neighbours] == ["Fay"]


def test_shortest_paths_between_two_entities(as_alice):
    relate_all(
        as_alice,
        ("Ana", "knows", "Bo"),
        ("Bo", "knows", "Eve"),
        ("Cy", "knows", "Ana"),
        ("Eve", "knows", "Cy"),
        ("Ana", "knows", "Di"),
        ("Di", "knows", "Fay"),
        ("Fay", "knows", "Eve"),
        ("Eve", "manages", "Bo"),
    )
    assert sorted(path_names(as_alice, "Ana", "Eve")) == ["Ana Bo Eve", "Ana Cy Eve"]
    assert sorted(path_names(as_alice, "Eve", "Ana")) == ["Eve Bo Ana", "Eve Cy Ana"]
    ids = [find_entity(as_alice.id, name).id for name in ("Bo", "Eve")]
    ((hop,),) = paths(as_alice.id, *ids)
    assert sorted(relation.relation for relation in hop.relations) == ["knows", "manages"]
    Relation.objects.filter(relation="manages").update(deleted_at=MONDAY)
    ((hop,),) = paths(as_alice.id, *ids)
    assert [relation.relation for relation in hop.relations] == ["knows"]


def test_paths_are_found_as_of_a_moment_and_limited_in_length_and_number(as_alice):
    names = ["Ana", "Bo", "Cy", "Di", "Eve", "Fay"]
    relate_all(as_alice, *((one, "knows", other) for one, other in pairwise(names)))
    relate_all(as_alice, ("Ana", "knows", "Di", 2, 4), ("Zoe", "knows", "Yan"))
    assert path_names(as_alice, "Ana", "Eve") == ["Ana Di Eve"]
    assert path_names(as_alice, "Ana", "Eve", at=MONDAY + 4 * DAY) == ["Ana Bo Cy Di Eve"]
    assert path_names(as_alice, "Ana", "Fay", at=MONDAY) == []
    assert path_names(as_alice, "Ana", "Zoe") == []
    assert path_names(as_alice, "Ana", "Ana") == []
    relate_all(as_alice, *((end, "knows", f"Friend {n}") for n in range(20) for end in ("Zoe", "Ana")))
    assert len(path_names(as_alice, "Ana", "Zoe")) == module.MAX_PATHS


def test_history_of_an_entity_lists_starts_and_ends_of_relations(as_alice):
    relate_all(as_alice, ("Ana", "works_at", "Acme", 0, 5), ("Bo", "knows", "Ana", 2))
    ana = find_entity(as_alice.id, "Ana")
    assert [
        (event.ended, event.relation.subject_name, event.relation.object_name, (event.at - MONDAY).days)
        for event in history_of(ana)
    ] == [(True, "Ana", "Acme", 5), (False, "Bo", "Ana", 2), (False, "Ana", "Acme", 0)]
    relate_all(as_alice, ("Ana", "works_at", "Acme", 5, 6), ("Ana", "visits", "Porto", 4, 4))
    assert [
        (event.ended, event.relation.object_name, (event.at - MONDAY).days) for event in history_of(ana)
    ] == [
        (True, "Acme", 6),
        (True, "Porto", 4),
        (False, "Ana", 2),
        (False, "Acme", 0),
    ]
    Relation.objects.exclude(relation="knows").update(deleted_at=MONDAY)
    assert [event.relation.subject_name for event in history_of(ana)] == ["Bo"]
    assert near(as_alice, "Ana") == [("Bo", 1)]
    Relation.objects.update(deleted_at=MONDAY)
    assert (near(as_alice, "Ana"), path_names(as_alice, "Ana", "Bo")) == ([], [])


START = datetime(2024, 1, 1, tzinfo=UTC)
DAYS = range(9)


def day(number):
    return START + timedelta(days=number)


def claim(target, at, *, ends=False, until=None, single=True):
    return Claim(
        value=target,
        name=target,
        at=day(at),
        until=None if until is None else day(until),
        ends=ends,
        exclusive=single and not ends,
        evidence=None,
    )


def windows(claims):
    return [window for window in every_window(claims) if not window.is_empty]


def as_days(*claims):
    return [
        (each.value, (each.start - START).days, each.end and (each.end - START).days)
        for each in windows(claims)
    ]


CLAIMS = st.lists(
    st.tuples(st.integers(1, 3), st.sampled_from(DAYS), st.booleans(), st.integers(0, 4)), max_size=9
)


@pytest.mark.parametrize("single", [True, False])
@given(given=CLAIMS)
def test_the_latest_claimed_value_holds_at_every_moment(given, single):
    """Compared with a naive computation for each day. Claims of the third value always have an end."""
    claims = [
        claim(target, at, ends=ends, until=at + lasts + 1 if target == 3 else None, single=single)
        for target, at, ends, lasts in sorted(given, key=lambda each: each[1])
    ]
    found = windows(claims)
    for number in DAYS:
        now = day(number)
        values = [w.value for w in found if w.start <= now and (w.end is None or now < w.end)]
        assert sorted(values) == sorted(_expected_values(claims, now, single))
    for one in found:
        assert one.claims
        assert one.start == min(each.at for each in one.claims)


def _expected_values(claims, now, single):
    current = {}
    for each in claims:
        if each.at > now:
            break
        expired = [target for target, until in current.items() if until and until <= each.at]
        for target in expired:
            del current[target]
        if each.ends:
            current.pop(each.value, None)
            continue
        until = max(filter(None, (each.until, current.get(each.value))), default=None)
        current = {each.value: until} if single else {**current, each.value: until}
    return [target for target, until in current.items() if until is None or now < until]


MANY = [claim(1, 0, single=False), claim(2, 3, single=False)]


@pytest.mark.parametrize(
    ("claims", "windows"),
    [
        ([*MANY, claim(3, 5)], [(1, 0, None), (2, 3, None), (3, 5, None)]),
        ([replace(claim(1, 0), firm=True), claim(1, 3, until=5)], [(1, 0, None)]),
        ([claim(1, 0, until=9), claim(1, 3, until=5)], [(1, 0, 9)]),
        ([claim(1, 0), claim(1, 2, until=6)], [(1, 0, 6)]),
        ([claim(1, 0, until=4), claim(1, 5)], [(1, 0, 4), (1, 5, None)]),
        ([claim(1, 3, until=3)], [(1, 3, 3)]),
        ([claim(2, 0), claim(1, 3, until=3)], [(2, 0, None), (1, 3, 3)]),
        ([claim(1, 0), claim(1, 3, until=3)], [(1, 0, 3)]),
        ([claim(1, 3, until=3), claim(1, 3)], [(1, 3, None)]),
        ([claim(1, 0), claim(2, 0), claim(1, 0)], [(1, 0, None)]),
        ([claim(1, 0), claim(2, 0)], [(2, 0, None)]),
        ([claim(1, 0), claim(1, 3, until=5), claim(2, 9)], [(1, 0, 9), (2, 9, None)]),
        ([claim(1, 0), replace(claim(2, 5), track="another key")], [(1, 0, None), (2, 5, None)]),
    ],
    ids=[
        *("multiple values beside a single one", "firm outlasts bounded"),
        *("the later end", "repeated with an end", "repeated after an end", "empty"),
        *("empty beside another", "empty ends a value", "empty, then open", "repeated at one instant"),
        *("two values at one instant", "bounded inside open leaves no gap", "other tracks"),
    ],
)
def test_windows_computed_from_claims(claims, windows):
    assert as_days(*claims) == windows
