from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memory.forgetting.trash import delete, undo
from memory.graph.relations import Assertion, assert_relation, end_relation
from memory.graph.traversal import neighbourhood
from memory.models import Entity, Relation, RelationSource
from memory.organize.notes import Note, save_note
from tests.drills.ledger import NOW
from tests.memory.palaces import file

DAY = timedelta(days=1)


pytestmark = pytest.mark.usefixtures("embedder")


def assertion(user, target, day, *, single=True, relation="works_at", until=None, drawer=None):
    drawer = drawer or save_note(user.id, Note(f"I work at {target} since {day}."), NOW)
    return Assertion(
        subject=("user", "person"),
        relation=relation,
        object=(target, "organisation"),
        valid_from=NOW + day * DAY,
        valid_to=None if until is None else NOW + until * DAY,
        single_valued=single,
        confidence=0.9,
        drawer_id=drawer.id,
    )


def say(user, target, day, **changes):
    made = assertion(user, target, day, **changes)
    assert_relation(user.id, made)
    return made.drawer_id


def held(user):
    rows = Relation.objects.filter(user_id=user.id, deleted_at=None)
    return [
        (row.object.name, (row.valid_from - NOW).days, row.valid_to and (row.valid_to - NOW).days)
        for row in rows.order_by("valid_from", "id")
        if row.valid_from != row.valid_to
    ]


def rows(user, **chosen):
    names = [field.attname for field in Relation._meta.concrete_fields]
    found = Relation.objects.filter(user_id=user.id, **chosen)
    return list(found.order_by("id").values_list(*names))


def test_a_relation_said_again_adds_nothing_until_it_is_deleted_or_ended(as_alice):
    first = say(as_alice, "Acme", 0)
    delete(as_alice.id, "drawer", first, NOW)
    assert held(as_alice) == []
    say(as_alice, "Acme", 0)
    say(as_alice, "acme", 3)
    assert held(as_alice) == [("Acme", 0, None)]
    assert Entity.objects.filter(user_id=as_alice.id).count() == 2
    assert end_relation(as_alice.id, assertion(as_alice, "acme", 7)) == 1
    assert held(as_alice) == [("Acme", 0, 7)]
    assert end_relation(as_alice.id, assertion(as_alice, "Nowhere", 7)) == 0


def test_each_time_it_was_said_is_a_source_with_its_words(as_alice):
    drawer = save_note(as_alice.id, Note("I work at Acme."), NOW)
    made = replace(assertion(as_alice, "Acme", 0, drawer=drawer), span=(0, 14))
    relation = assert_relation(as_alice.id, made)
    assert assert_relation(as_alice.id, made) is None
    assert assert_relation(as_alice.id, assertion(as_alice, "Acme", 3)) is None
    first, second = relation.sources.order_by("at")
    assert (first.drawer_id, first.start, first.end) == (drawer.id, 0, 14)
    assert (second.at, second.start, second.edge_id) == (NOW + 3 * DAY, None, relation.id)


CLAIMS = st.lists(
    st.tuples(
        st.sampled_from(["Acme", "Initech", "Umbrella"]),
        st.integers(0, 6),
        st.sampled_from(["say", "say", "end"]),
        st.one_of(st.none(), st.integers(0, 6)),
    ),
    min_size=2,
    max_size=6,
)


@pytest.mark.parametrize("single", [True, False])
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(claims=CLAIMS, random=st.randoms(use_true_random=False))
def test_the_order_of_arrival_makes_no_difference(as_alice, single, claims, random):
    """Forgetting and restoring one changes nothing; without it all is as if it had never been said."""
    with transaction.atomic():
        drawers = file(as_alice.id, [f"{number}: {claim}" for number, claim in enumerate(claims)])
        made = [_claim(as_alice, *each, single) for each in zip(drawers, claims, strict=True)]
        in_order = _learned(as_alice, sorted(made, key=lambda claim: claim[1].valid_from))
        shuffled = random.sample(made, len(made))
        assert _learned(as_alice, shuffled, keep=True) == in_order
        forgotten = random.choice(made)
        before = rows(as_alice, deleted_at=None)
        deletion = delete(as_alice.id, "drawer", forgotten[1].drawer_id, NOW)
        without = seen(as_alice)
        undo(as_alice.id, deletion.id, NOW)
        assert rows(as_alice, deleted_at=None) == before
        Relation.objects.all().delete()
        RelationSource.objects.all().delete()
        assert without == _learned(as_alice, [claim for claim in shuffled if claim != forgotten])
        transaction.set_rollback(True)


def _claim(user, drawer, claim, single):
    target, day, what, until = claim
    until = max(day, until) if until is not None and what == "say" else None
    return what, assertion(user, target, day, single=single, until=until, drawer=drawer)


def _learned(user, claims, keep=False):
    write = {"say": assert_relation, "end": end_relation}
    with transaction.atomic():
        for what, made in claims:
            write[what](user.id, made)
        found = seen(user)
        transaction.set_rollback(not keep)
    return found


def seen(user):
    """What held when, with the words of each."""
    return [
        (
            row.object.name,
            row.valid_from,
            row.valid_to,
            row.confidence,
            row.drawer_id,
            sorted(row.sources.filter(drawer__deleted_at=None).values_list("drawer_id", "at")),
        )
        for row in Relation.objects.filter(user_id=user.id, deleted_at=None).order_by(
            "valid_from", "object__name"
        )
    ]


def test_the_graph_is_read_as_of_a_moment(as_alice):
    say(as_alice, "Acme", 0)
    say(as_alice, "Initech", 5)
    for day, employer in ((4, "Acme"), (5, "Initech")):
        found = neighbourhood(as_alice.id, "user", at=NOW + day * DAY)
        assert [edge.other for edge in found.edges] == [employer]
    assert [edge.direction for edge in neighbourhood(as_alice.id, "ACME").edges] == ["in"]
    assert neighbourhood(as_alice.id, "Somebody else") is None
