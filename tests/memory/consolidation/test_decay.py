from datetime import timedelta

import pytest

from memory.consolidation.decay import archive_changes
from memory.consolidation.knowledge import read_knowledge
from memory.facts import current_facts, mark_recalled, recallable_facts
from memory.models import Drawer, Fact
from tests.memory.consolidation.facts import add
from tests.memory.palaces import MONDAY, learn

RETENTION = timedelta(days=100)
LATER = MONDAY + timedelta(days=101)


def archived(user, now=LATER):
    knowledge = read_knowledge(user.id)
    pairs = [(fact, knowledge.sources.get(fact.id, ())) for fact in knowledge.open_facts()]
    said = {fact.id: fact.statement for fact in knowledge.facts}
    return [said[change.subject_id] for change in archive_changes(pairs, retention=RETENTION, now=now)]


@pytest.mark.parametrize(
    ("given", "factor"),
    [
        *(({"times_seen": times}, factor) for times, factor in ((1, 1.0), (2, 1.5), (3, 2.0), (50, 4.0))),
        *(
            ({"importance": importance}, factor)
            for importance, factor in ((0.0, 0.5), (0.5, 1.0), (1.0, 1.5))
        ),
    ],
)
def test_repetition_and_importance_delay_archiving(as_alice, bread, given, factor):
    made = add(bread[0], "Liked ships.", **given)
    end = MONDAY + RETENTION * factor
    assert archived(as_alice, end) == []
    assert archived(as_alice, end + timedelta(seconds=1)) == ["Liked ships."]
    mark_recalled(as_alice.id, [made.id], LATER)
    assert archived(as_alice, end + timedelta(seconds=1)) == []


def test_recall_delays_archiving(as_alice, bread):
    made = add(bread[0], "Liked ships.")
    mark_recalled(as_alice.id, [made.id], LATER)
    end = LATER + RETENTION * 1.5
    assert archived(as_alice, end) == []
    assert archived(as_alice, end + timedelta(seconds=1)) == ["Liked ships."]


def test_personal_pinned_approved_recent_and_unused_facts_are_never_archived(as_alice, bread):
    for kind in ("identity", "relationship", "constraint", "instruction"):
        add(bread[0], f"Is called Alice ({kind}).", kind=kind)
    add(bread[0], "Liked ships.", review_reason="Not sure.")
    add(bread[0], "Liked boats.", version=2)
    add(bread[0], "Liked canoes.", valid_from=MONDAY - timedelta(days=999), recorded_at=LATER)
    add(bread[0], "Liked trams.", status=Fact.Status.PENDING)
    add(bread[0], "Liked cars.", status=Fact.Status.REJECTED)
    add(bread[0], "Liked bikes.", archived_at=MONDAY)
    add(bread[1], "Liked kites.")
    Drawer.objects.filter(id=bread[1].id).update(pinned=True)
    assert archived(as_alice) == []
    add(bread[0], "Is said to be called Al.", kind="identity", authority="tool")
    assert archived(as_alice) == ["Is said to be called Al."]


def test_an_archived_fact_stays_current_and_is_unarchived_when_said_again(as_alice, bread):
    made = learn(bread[0], "Tea", "Likes tea.")
    Fact.objects.filter(id=made.id).update(archived_at=LATER)
    assert list(current_facts(as_alice.id)) == list(current_facts(as_alice.id, LATER)) == [made]
    assert not recallable_facts(as_alice.id).exists()
    given = {"key": made.key, "value": made.value, "object": made.object, "valid_from": LATER}
    with pytest.raises(AssertionError):
        learn(bread[1], "More", "likes tea", **given)
    made.refresh_from_db()
    assert (made.archived_at, made.times_seen) == (None, 2)
