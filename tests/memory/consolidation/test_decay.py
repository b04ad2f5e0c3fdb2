from datetime import timedelta

import pytest

from accounts.models import User
from memory.consolidation.decay import archived
from memory.consolidation.knowledge import read_knowledge
from memory.facts import Statement, current_facts, facts_at_hand, file_fact, mark_recalled
from memory.models import Drawer, Fact
from tests.memory.consolidation.facts import add
from tests.memory.palaces import MONDAY, learn

PATIENCE = timedelta(days=100)
LATER = MONDAY + timedelta(days=101)


def resting(user: User, now=LATER) -> list[str]:
    knowledge = read_knowledge(user.id)
    pairs = [(fact, knowledge.sources.get(fact.id, ())) for fact in knowledge.open_facts()]
    said = {fact.id: fact.statement for fact in knowledge.facts}
    return [said[change.subject_id] for change in archived(pairs, patience=PATIENCE, now=now)]


def test_what_rests_longer_than_the_patience_is_archived(as_alice: User, bread: list[Drawer]):
    add(bread[0], "Liked ships.")
    moment = MONDAY + PATIENCE
    assert resting(as_alice, moment) == []
    assert resting(as_alice, moment + timedelta(seconds=1)) == ["Liked ships."]


@pytest.mark.parametrize("kind", ["identity", "relationship", "constraint", "instruction"])
def test_what_a_person_said_about_who_they_are_is_never_archived(
    as_alice: User, bread: list[Drawer], kind: str
):
    add(bread[0], "Is called Alice.", kind=kind)
    add(bread[0], "Is said to be called Al.", kind=kind, authority="tool")
    assert resting(as_alice) == ["Is said to be called Al."]


def test_a_pinned_drawer_keeps_its_facts_at_hand(as_alice: User, bread: list[Drawer]):
    add(bread[0], "Liked ships.")
    Drawer.objects.filter(user_id=as_alice.id, id=bread[0].id).update(pinned=True)
    assert resting(as_alice) == []


def test_what_its_owner_approved_or_edited_stays_at_hand(as_alice: User, bread: list[Drawer]):
    add(bread[0], "Liked ships.", review_reason="Not sure.")
    add(bread[0], "Liked boats.", version=2)
    assert resting(as_alice) == []


@pytest.mark.parametrize(("times", "factor"), [(1, 1.0), (2, 1.5), (3, 2.0), (50, 4.0)])
def test_what_was_said_more_often_rests_longer(
    as_alice: User, bread: list[Drawer], times: int, factor: float
):
    add(bread[0], "Liked ships.", times_seen=times)
    end = MONDAY + PATIENCE * factor
    assert resting(as_alice, end) == []
    assert resting(as_alice, end + timedelta(seconds=1)) == ["Liked ships."]


def test_what_was_recalled_rests_from_then_on_and_longer(as_alice: User, bread: list[Drawer]):
    made = add(bread[0], "Liked ships.")
    mark_recalled(as_alice.id, [made.id], LATER)
    end = LATER + PATIENCE * 1.5
    assert resting(as_alice, end) == []
    assert resting(as_alice, end + timedelta(seconds=1)) == ["Liked ships."]


@pytest.mark.parametrize(("importance", "factor"), [(0.0, 0.5), (0.5, 1.0), (1.0, 1.5)])
def test_what_matters_more_rests_longer(
    as_alice: User, bread: list[Drawer], importance: float, factor: float
):
    add(bread[0], "Liked ships.", importance=importance)
    end = MONDAY + PATIENCE * factor
    assert resting(as_alice, end) == []
    assert resting(as_alice, end + timedelta(seconds=1)) == ["Liked ships."]


def test_what_is_archived_still_holds_but_is_not_at_hand(as_alice: User, bread: list[Drawer]):
    made = add(bread[0], "Liked ships.", archived_at=LATER)
    assert list(current_facts(as_alice.id)) == [made]
    assert list(current_facts(as_alice.id, LATER)) == [made]
    assert not facts_at_hand(as_alice.id).exists()


def test_what_is_said_again_leaves_the_archive(as_alice: User, bread: list[Drawer]):
    made = learn(bread[0], "Tea", "Likes tea.")
    Fact.objects.filter(id=made.id).update(archived_at=LATER)
    statement = Statement(
        kind=made.kind,
        key=made.key,
        value=made.value,
        statement="likes tea",
        predicate=made.predicate,
        object=made.object,
        confidence=0.9,
        authority="user",
        valid_from=LATER,
        drawer_id=bread[1].id,
        span=(0, 4),
    )
    assert file_fact(as_alice.id, statement) is None
    made.refresh_from_db()
    assert (made.archived_at, made.times_seen) == (None, 2)


def test_what_was_learned_lately_of_an_old_chat_is_not_stale(as_alice: User, bread: list[Drawer]):
    add(bread[0], "Liked ships.", valid_from=MONDAY - timedelta(days=999), recorded_at=LATER)
    assert resting(as_alice) == []


def test_only_what_is_in_use_can_be_archived(as_alice: User, bread: list[Drawer]):
    add(bread[0], "Liked ships.", status=Fact.Status.PENDING)
    add(bread[0], "Liked cars.", status=Fact.Status.REJECTED)
    add(bread[0], "Liked bikes.", archived_at=MONDAY)
    assert resting(as_alice) == []
