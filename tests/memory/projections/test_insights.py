from datetime import timedelta
from uuid import uuid4

import pytest

from accounts.models import User
from accounts.owned import NotFound
from accounts.tenancy import tenant
from memory.forgetting.trash import delete, purge, undo
from memory.models import ActivityEvent, Fact, Insight
from memory.projections import insights as domain
from memory.projections.insights import decide, insights
from tests.memory.palaces import MONDAY, Spot, file
from tests.memory.projections.conftest import AddFact

NOW = MONDAY + timedelta(days=300)
ONE = {"single_valued": True, "kind": "identity", "key": "home_city"}
MOVED = "Your home city changed once: Porto → Oslo."


@pytest.fixture
def moved(add_fact: AddFact) -> list[Fact]:
    later = MONDAY + timedelta(days=20)
    return [
        add_fact("lives_in", "Porto", "The user lives in Porto.", **ONE),
        add_fact("lives_in", "Oslo", "The user lives in Oslo.", **ONE, valid_from=later),
    ]


def sentences(user: User, *, dismissed: bool = False) -> list[str]:
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


def test_insights_count_the_days_on_which_a_fact_was_said(as_alice: User, add_fact: AddFact):
    fact = add_fact("likes", "rye", "The user likes rye.")
    for day in (1, 2, 2, 5):
        at = MONDAY + timedelta(days=day)
        said = file(as_alice.id, [f"rye, said on day {day}"], Spot(source_id=uuid4(), start=at))[0]
        with_source = {"user_id": as_alice.id, "drawer_id": said.id, "start": 0, "end": 3}
        fact.sources.create(**with_source)
    Fact.objects.update(times_seen=5)
    assert sentences(as_alice) == ["Said on 4 days, from 2024-05-06 to 2024-05-11: The user likes rye."]


def test_a_dismissed_insight_is_hidden_until_it_is_restored(as_alice: User, moved: list[Fact]):
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


def test_more_evidence_extends_an_insight(as_alice: User, moved: list[Fact], add_fact: AddFact):
    later = MONDAY + timedelta(days=40)
    add_fact("lives_in", "Rome", "The user lives in Rome.", **ONE, valid_from=later)
    assert sentences(as_alice) == ["Your home city changed 2 times: Porto → Oslo → Rome."]
