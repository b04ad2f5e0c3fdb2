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
from tests.memory.projections.conftest import Know

NOW = MONDAY + timedelta(days=300)
ONE = {"single_valued": True, "kind": "identity", "key": "home_city"}
MOVED = "Your home city changed once: Porto → Oslo."


@pytest.fixture
def moved(know: Know) -> list[Fact]:
    later = MONDAY + timedelta(days=20)
    return [
        know("lives_in", "Porto", "The user lives in Porto.", **ONE),
        know("lives_in", "Oslo", "The user lives in Oslo.", **ONE, valid_from=later),
    ]


def told(user: User, *, dismissed: bool = False) -> list[str]:
    return [each.sentence for each in insights(user.id, dismissed=dismissed).items]


def test_a_pattern_is_found_with_its_evidence_and_for_its_owner(as_alice, bob, moved):
    (found,) = insights(as_alice.id).items
    assert found.sentence == MOVED
    assert [fact.id for fact in found.facts] == [fact.id for fact in moved]
    assert (found.found_at, found.dismissed_at) == (moved[1].valid_from, None)
    with tenant(bob.id):
        assert insights(bob.id).items == ()
        for dismissed in (True, False):
            with pytest.raises(NotFound):
                decide(bob.id, found.id, NOW, dismissed=dismissed)


def test_days_are_those_on_which_the_words_were_said(as_alice: User, know: Know):
    fact = know("likes", "rye", "The user likes rye.")
    for day in (1, 2, 2, 5):
        at = MONDAY + timedelta(days=day)
        said = file(as_alice.id, [f"rye, said on day {day}"], Spot(source_id=uuid4(), start=at))[0]
        with_source = {"user_id": as_alice.id, "drawer_id": said.id, "start": 0, "end": 3}
        fact.sources.create(**with_source)
    Fact.objects.update(times_seen=5)
    assert told(as_alice) == ["Said on 4 days, from 2024-05-06 to 2024-05-11: The user likes rye."]


def test_a_dismissed_pattern_stays_away_until_it_is_restored(as_alice: User, moved: list[Fact]):
    (found,) = insights(as_alice.id).items
    for _ in range(2):
        decide(as_alice.id, found.id, NOW, dismissed=True)
    assert (told(as_alice), told(as_alice, dismissed=True)) == ([], [MOVED])
    assert "Porto" not in str(list(Insight.objects.values()))
    assert domain.count_dismissed(as_alice.id) == 1
    decide(as_alice.id, found.id, NOW, dismissed=False)
    assert told(as_alice) == [MOVED]
    events = ActivityEvent.objects.filter(kind="insight_decided").order_by("id")
    assert [event.details["decision"] for event in events] == ["dismissed", "restored"]


def test_a_pattern_goes_with_its_evidence_at_once_and_returns_with_it(as_alice, moved):
    def remove():
        return delete(as_alice.id, "drawer", moved[0].sources.get().drawer_id, NOW)

    Fact.objects.filter(id=moved[0].id).update(status="rejected")
    assert told(as_alice) == []
    Fact.objects.filter(id=moved[0].id).update(status="superseded")
    assert told(as_alice) == [MOVED]
    deletion = remove()
    assert told(as_alice) == []

    undo(as_alice.id, deletion.id, NOW)
    assert told(as_alice) == [MOVED]
    remove()
    purge(as_alice.id, NOW + timedelta(days=1))
    assert told(as_alice) == []


def test_more_evidence_extends_a_pattern(as_alice: User, moved: list[Fact], know: Know):
    later = MONDAY + timedelta(days=40)
    know("lives_in", "Rome", "The user lives in Rome.", **ONE, valid_from=later)
    assert told(as_alice) == ["Your home city changed 2 times: Porto → Oslo → Rome."]
