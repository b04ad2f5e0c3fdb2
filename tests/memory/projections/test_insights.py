"""Patterns in facts, and insights that their owner dismisses and restores."""

from datetime import timedelta
from uuid import uuid4

import pytest
from uuid_utils.compat import uuid7

from accounts.owned import NotFound
from accounts.tenancy import tenant
from memory.forgetting.trash import delete
from memory.models import ActivityEvent, Fact, Insight
from memory.projections.insights import Evidence, count_dismissed, decide, insights, patterns
from tests.memory.consolidation.facts import fact as unsaved
from tests.memory.palaces import MONDAY, Spot, file

DAY = timedelta(days=1)
NOW = MONDAY + 300 * DAY
ONE = {"single_valued": True, "kind": "identity", "key": "home_city"}
MOVED = "Your home city changed once: Porto → Oslo."


def fact(predicate, thing, kind="preference", **given):
    fields = {"id": uuid7(), "kind": kind, "key": f"{predicate}_{thing}", "status": "active"}
    fields |= {"predicate": predicate, "value": thing, "object": thing} | given
    return unsaved(None, f"The user {predicate} {thing}.", **fields)


def found(*facts):
    return [(p.rule, p.sentence) for p in patterns([Evidence(fact) for fact in facts])]


def city(value, day, **given):
    return fact("lives_in", value, **ONE | {"valid_from": MONDAY + day * DAY} | given)


def test_pattern_of_a_value_that_changed():
    facts = [
        city("Oslo", 20),
        city("Porto", 0, status="superseded", valid_to=MONDAY + 20 * DAY),
        city("Rome", 5, status="superseded", valid_to=MONDAY + 5 * DAY),
    ]
    (pattern,) = patterns([Evidence(each) for each in facts])
    assert pattern.sentence == MOVED
    assert [each.value for each in pattern.facts] == ["Porto", "Oslo"]
    assert found(city("Oslo", 0, status="superseded"), city("oslo", 9)) == []
    beside, misread = city("Graça", 20, confidence=0.8), city("Redpoint", 10, confidence=0.6)
    assert found(*facts, beside, misread) == [("changed", MOVED)]
    many = [city(value, day) for day, value in enumerate(("Oslo", "Porto", "Oslo"))]
    assert found(*many) == [("changed", "Your home city changed 2 times: Oslo → Porto → Oslo.")]


def test_patterns_of_mixed_feelings_and_of_what_a_model_noted_count_only_active_facts():
    assert found(fact("likes", "香菜"), fact("dislikes", "香菜")) == [
        ("both", "You said that you like “香菜”, and that you don’t.")
    ]
    assert found(fact("likes", "tea"), fact("dislikes", "tea", status="superseded")) == []
    assert found(fact("likes", ""), fact("dislikes", "")) == []
    noted = fact("tends", "to plan ahead", "insight")
    assert found(noted) == [("noted", noted.statement)]
    for status in ("rejected", "pending_review", "superseded"):
        assert found(fact("tends", "to plan ahead", "insight", status=status)) == []
    assert patterns(()) == ()


@pytest.fixture
def moved(add_fact):
    return [
        add_fact("lives_in", "Porto", "The user lives in Porto.", **ONE),
        add_fact("lives_in", "Oslo", "The user lives in Oslo.", **ONE, valid_from=MONDAY + 20 * DAY),
    ]


def sentences(user, *, dismissed=False):
    return [each.sentence for each in insights(user.id, dismissed=dismissed).items]


def test_insights_count_the_days_of_all_drawers_outside_the_trash(as_alice, add_fact):
    fact = add_fact("likes", "rye", "The user likes rye.")
    for day in (1, 2, 2, 5, 9):
        spot = Spot(source_id=uuid4(), start=MONDAY + day * DAY)
        (drawer,) = file(as_alice.id, [f"rye, said on day {day}"], spot)
        fact.sources.create(user_id=as_alice.id, drawer_id=drawer.id, start=0, end=3)
    delete(as_alice.id, "drawer", drawer.id, NOW)
    Fact.objects.update(times_seen=5)
    assert sentences(as_alice) == ["Said on 4 days, from 6 May 2024 to 11 May 2024: The user likes rye."]


def test_a_dismissed_insight_is_hidden_until_its_owner_restores_it(as_alice, bob, moved):
    (found,) = insights(as_alice.id).items
    assert found.sentence == MOVED
    assert [fact.id for fact in found.facts] == [fact.id for fact in moved]
    assert (found.found_at, found.dismissed_at) == (moved[1].valid_from, None)
    with tenant(bob.id):
        assert insights(bob.id).items == ()
        for dismissed in (True, False):
            with pytest.raises(NotFound):
                decide(bob.id, found.id, NOW, dismissed=dismissed)
    for _ in range(2):
        decide(as_alice.id, found.id, NOW, dismissed=True)
    assert (sentences(as_alice), sentences(as_alice, dismissed=True)) == ([], [MOVED])
    assert "Porto" not in str(list(Insight.objects.values()))
    assert count_dismissed(as_alice.id) == 1
    decide(as_alice.id, found.id, NOW, dismissed=False)
    assert sentences(as_alice) == [MOVED]
    events = ActivityEvent.objects.filter(kind="insight_decided").order_by("id")
    assert [event.details["decision"] for event in events] == ["dismissed", "restored"]
    Fact.objects.filter(id=moved[0].id).update(status="rejected")
    assert sentences(as_alice) == []
