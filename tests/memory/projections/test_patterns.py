from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from uuid_utils.compat import uuid7

from accounts.owned import NotFound
from accounts.tenancy import tenant
from memory.forgetting.trash import delete, purge, undo
from memory.models import ActivityEvent, Fact, Insight
from memory.projections import insights as domain
from memory.projections.insights import Evidence, decide, insights, patterns
from tests.memory.palaces import MONDAY, Spot, file

START = datetime(2024, 5, 6, 9, tzinfo=UTC)
DAY = timedelta(days=1)


def fact(predicate, thing, kind="preference", **given):
    fields = {
        "id": uuid7(),
        "key": f"{predicate}_{thing}",
        "value": thing,
        "statement": f"The user {predicate} {thing}.",
        "valid_from": START,
        "status": "active",
        "content_hash": sha256(f"{predicate}{thing}".encode()).digest(),
    }
    return Fact(kind=kind, predicate=predicate, object=thing, **(fields | given))


def found(*facts):
    return [(p.rule, p.sentence) for p in patterns([Evidence(fact) for fact in facts])]


def city(value, day, **given):
    fields = {"key": "home_city", "single_valued": True, "valid_from": START + day * DAY}
    return fact("lives_in", value, "identity", **(fields | given))


def test_pattern_of_a_fact_said_on_several_days():
    days = tuple(date(2024, 5, day) for day in (6, 9, 30))
    likes = fact("likes", "rye bread")
    (pattern,) = patterns([Evidence(likes, days), Evidence(fact("likes", "tea"), days[:2])])
    assert pattern.sentence == "Said on 3 days, from 6 May 2024 to 30 May 2024: The user likes rye bread."
    assert pattern.facts == (likes,)
    assert patterns(()) == ()


def test_pattern_of_a_value_that_changed():
    facts = [
        city("Oslo", 20),
        city("Porto", 0, status="superseded", valid_to=START + 20 * DAY),
        city("Rome", 5, status="superseded", valid_to=START + 5 * DAY),
    ]
    (pattern,) = patterns([Evidence(each) for each in facts])
    assert pattern.sentence == "Your home city changed once: Porto → Oslo."
    assert [each.value for each in pattern.facts] == ["Porto", "Oslo"]
    assert found(city("Oslo", 0, status="superseded"), city("oslo", 9)) == []
    many = [city(value, day) for day, value in enumerate(("Oslo", "Porto", "Oslo"))]
    assert found(*many) == [("changed", "Your home city changed 2 times: Oslo → Porto → Oslo.")]


def test_pattern_of_something_both_liked_and_disliked():
    assert found(fact("likes", "香菜"), fact("dislikes", "香菜")) == [
        ("both", "You said that you like “香菜”, and that you don’t.")
    ]
    assert found(fact("likes", "tea"), fact("dislikes", "tea", status="superseded")) == []


def test_an_insight_noted_by_a_model_counts_only_while_active():
    noted = fact("tends", "to plan ahead", "insight")
    assert found(noted) == [("noted", noted.statement)]
    for status in ("rejected", "pending_review", "superseded"):
        assert found(fact("tends", "to plan ahead", "insight", status=status)) == []


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["likes", "dislikes", "lives_in"]),
            st.sampled_from(["rye bread", "bread", "Ines", "", "面包"]),
            st.booleans(),
            st.integers(0, 3),
        ),
        max_size=12,
    )
)
def test_each_pattern_follows_from_its_evidence_alone(rows):
    facts = [
        fact(predicate, thing, single_valued=single, key=predicate, valid_from=START + day * DAY)
        for predicate, thing, single, day in rows
    ]
    for pattern in patterns([Evidence(each) for each in facts]):
        alone = patterns([Evidence(each) for each in pattern.facts])
        again = {each.digest: each.sentence for each in alone}
        assert again[pattern.digest] == pattern.sentence


NOW = MONDAY + timedelta(days=300)
ONE = {"single_valued": True, "kind": "identity", "key": "home_city"}
MOVED = "Your home city changed once: Porto → Oslo."


@pytest.fixture
def moved(add_fact):
    later = MONDAY + timedelta(days=20)
    return [
        add_fact("lives_in", "Porto", "The user lives in Porto.", **ONE),
        add_fact("lives_in", "Oslo", "The user lives in Oslo.", **ONE, valid_from=later),
    ]


def sentences(user, *, dismissed=False):
    return [each.sentence for each in insights(user.id, dismissed=dismissed).items]


def test_an_insight_has_its_evidence_and_is_visible_only_to_its_owner(as_alice, bob, moved):
    (found,) = insights(as_alice.id).items
    assert found.sentence == MOVED
    assert [fact.id for fact in found.facts] == [fact.id for fact in moved]
    assert (found.found_at, found.dismissed_at) == (moved[1].valid_from, None)
    with tenant(bob.id):
        assert insights(bob.id).items == ()
        for dismissed in (True, False):
            with pytest.raises(NotFound):
                decide(bob.id, found.id, NOW, dismissed=dismissed)


def test_insights_count_the_days_of_all_drawers_outside_the_trash(as_alice, add_fact):
    fact = add_fact("likes", "rye", "The user likes rye.")
    for day in (1, 2, 2, 5, 9):
        spot = Spot(source_id=uuid4(), start=MONDAY + day * DAY)
        (drawer,) = file(as_alice.id, [f"rye, said on day {day}"], spot)
        fact.sources.create(user_id=as_alice.id, drawer_id=drawer.id, start=0, end=3)
    delete(as_alice.id, "drawer", drawer.id, NOW)
    Fact.objects.update(times_seen=5)
    assert sentences(as_alice) == ["Said on 4 days, from 6 May 2024 to 11 May 2024: The user likes rye."]


def test_a_dismissed_insight_is_hidden_until_it_is_restored(as_alice, moved):
    (found,) = insights(as_alice.id).items
    for _ in range(2):
        decide(as_alice.id, found.id, NOW, dismissed=True)
    assert (sentences(as_alice), sentences(as_alice, dismissed=True)) == ([], [MOVED])
    assert "Porto" not in str(list(Insight.objects.values()))
    assert domain.count_dismissed(as_alice.id) == 1
    decide(as_alice.id, found.id, NOW, dismissed=False)
    assert sentences(as_alice) == [MOVED]
    events = ActivityEvent.objects.filter(kind="insight_decided").order_by("id")
    assert [event.details["decision"] for event in events] == ["dismissed", "restored"]


def test_an_insight_disappears_and_returns_with_its_evidence(as_alice, moved):
    def remove():
        return delete(as_alice.id, "drawer", moved[0].sources.get().drawer_id, NOW)

    Fact.objects.filter(id=moved[0].id).update(status="rejected")
    assert sentences(as_alice) == []
    Fact.objects.filter(id=moved[0].id).update(status="superseded")
    assert sentences(as_alice) == [MOVED]
    deletion = remove()
    assert sentences(as_alice) == []

    undo(as_alice.id, deletion.id, NOW)
    assert sentences(as_alice) == [MOVED]
    remove()
    purge(as_alice.id, NOW + timedelta(days=1))
    assert sentences(as_alice) == []
