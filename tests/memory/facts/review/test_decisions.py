from datetime import timedelta

import pytest

from accounts.models import User
from accounts.tenancy import tenant
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.changes.log import ChangedSince
from memory.facts import current_facts
from memory.facts.review.decisions import (
    NoSuchFact,
    approve,
    delete,
    end,
    keep_both,
    merge,
    reject,
    undo,
    wait_again,
)
from memory.forgetting.trash import delete as delete_drawers
from memory.forgetting.trash import purge
from memory.forgetting.trash import undo as restore
from memory.models import Drawer, Fact, FactSource, FactVersion
from tests.drills.ledger import NOW
from tests.memory.palaces import MONDAY, file, learn

SINGLE = {"key": "home_city", "single_valued": True, "kind": "identity", "predicate": "lives_in"}
DAY = timedelta(days=1)
COUNTED = ("version",)


@pytest.fixture(autouse=True)
def embedder():
    with current.using(embedder=FakeEmbedder()):
        yield


@pytest.fixture
def drawer(as_alice: User) -> Drawer:
    return file(as_alice.id, ["I live in Porto. No, in Lisbon."])[0]


@pytest.fixture
def porto(drawer: Drawer) -> Fact:
    return learn(drawer, "Porto", "Lives in Porto.", **SINGLE)


@pytest.fixture
def lisbon(drawer: Drawer, porto: Fact) -> Fact:
    later = MONDAY + DAY
    return learn(drawer, "Lisbon", "Lives in Lisbon.", valid_from=later, review_reason="Unsure.", **SINGLE)


def rows(user_id):
    names = [field.attname for field in Fact._meta.concrete_fields]
    facts = Fact.objects.filter(user_id=user_id).order_by("id").values_list(*names)
    sources = FactSource.objects.filter(user_id=user_id).order_by("id")
    return repr(list(facts)), list(sources.values_list("fact_id", "drawer_id", "start", "end"))


def status(*facts: Fact) -> list[str]:
    for fact in facts:
        fact.refresh_from_db()
    return [fact.status for fact in facts]


def test_an_approved_value_ends_the_one_before(porto: Fact, lisbon: Fact):
    approve(lisbon.user_id, [lisbon.id], NOW)
    assert status(porto, lisbon) == ["superseded", "active"]
    assert porto.valid_to == lisbon.valid_from


def test_an_approved_value_of_the_past_is_closed_at_once(porto: Fact, drawer: Drawer):
    old = learn(
        drawer, "in", "Lives in Braga.", valid_from=MONDAY - 9 * DAY, review_reason="Unsure.",
        **SINGLE,
    )  # fmt: skip
    approve(old.user_id, [old.id], NOW)
    assert status(old, porto) == ["superseded", "active"]
    assert old.valid_to == porto.valid_from


def test_both_may_hold(porto: Fact, lisbon: Fact):
    keep_both(lisbon.user_id, lisbon.id, NOW)
    assert status(porto, lisbon) == ["active", "active"]


def test_what_was_ended_stays_in_the_past(porto: Fact):
    end(porto.user_id, porto.id, MONDAY + DAY, NOW)
    assert not current_facts(porto.user_id).exists()
    assert current_facts(porto.user_id, MONDAY).get() == porto
    assert not current_facts(porto.user_id, MONDAY + DAY).exists()


def test_a_rejected_fact_lets_the_one_before_hold_again(porto: Fact, lisbon: Fact):
    approve(lisbon.user_id, [lisbon.id], NOW)
    reject(lisbon.user_id, [lisbon.id], NOW)
    assert status(porto, lisbon) == ["active", "rejected"]


def test_merged_facts_share_their_words(as_alice: User, porto: Fact):
    elsewhere = file(as_alice.id, ["Porto is my home."])[0]
    other = learn(elsewhere, "Porto", "Has a home in Porto.", key="home")
    merge(as_alice.id, other.id, porto.id, NOW)
    assert status(porto, other) == ["active", "superseded"]
    assert (porto.times_seen, porto.sources.count()) == (2, 2)
    assert list(current_facts(as_alice.id)) == [porto]
    assert not current_facts(as_alice.id, NOW).exclude(id=porto.id).exists()


def test_what_was_merged_is_known_as_the_other(as_alice: User, porto: Fact):
    first, second = file(as_alice.id, ["Porto is my home.", "Porto, my home."])
    other = learn(first, "Porto", "Has a home in Porto.", key="home")
    merge(as_alice.id, other.id, porto.id, NOW)
    with pytest.raises(AssertionError):
        learn(second, "Porto", "Has a home in Porto.", key="home")
    porto.refresh_from_db()
    assert porto.times_seen == 3


def test_what_was_deleted_is_not_learned_from_the_same_words_again(porto: Fact, drawer: Drawer):
    delete(porto.user_id, porto.id, NOW)
    with pytest.raises(AssertionError):
        learn(drawer, "Porto", "Lives in Porto.", **SINGLE)
    assert not current_facts(porto.user_id).exists()


def test_what_was_deleted_may_be_said_anew_and_then_not_be_undone(porto: Fact, as_alice: User):
    decision = delete(porto.user_id, porto.id, NOW)
    learn(file(as_alice.id, ["Porto!"])[0], "Porto", "Lives in Porto.", **SINGLE)
    with pytest.raises(ChangedSince):
        undo(as_alice.id, decision.event_id, NOW)
    assert current_facts(as_alice.id).count() == 1


def test_deleted_facts_are_gone_for_good_after_a_while(porto: Fact, drawer: Drawer):
    delete(porto.user_id, porto.id, NOW)
    purge(porto.user_id, NOW + DAY)
    assert not Fact.objects.exists()
    assert not FactVersion.objects.exists()
    with pytest.raises(AssertionError):
        learn(drawer, "Porto", "Lives in Porto.", **SINGLE)


def test_restoring_words_does_not_bring_a_deleted_fact_back(porto: Fact, drawer: Drawer):
    delete(porto.user_id, porto.id, NOW)
    thrown = delete_drawers(porto.user_id, "drawer", drawer.id, NOW)
    restore(porto.user_id, thrown.id, NOW)
    assert not current_facts(porto.user_id).exists()


def test_a_deleted_fact_follows_its_words_into_the_trash(porto: Fact, drawer: Drawer):
    decision = delete(porto.user_id, porto.id, NOW)
    thrown = delete_drawers(porto.user_id, "drawer", drawer.id, NOW)
    undo(porto.user_id, decision.event_id, NOW)
    porto.refresh_from_db()
    assert (porto.deletion_id, porto.deleted_by_owner) == (thrown.id, False)


def test_decisions_are_taken_back_in_their_turn(porto: Fact):
    first = end(porto.user_id, porto.id, NOW, NOW)
    second = delete(porto.user_id, porto.id, NOW)
    with pytest.raises(ChangedSince):
        undo(porto.user_id, first.event_id, NOW)
    undo(porto.user_id, second.event_id, NOW)
    undo(porto.user_id, first.event_id, NOW)
    assert status(porto) == ["active"]
    kept = FactVersion.objects.filter(fact_id=porto.id)
    assert kept.filter(undone_at=NOW).count() == kept.count() == 2


def test_waiting_again(porto: Fact, lisbon: Fact):
    reject(lisbon.user_id, [lisbon.id], NOW)
    wait_again(lisbon.user_id, lisbon.id, NOW)
    assert status(porto, lisbon) == ["active", "pending_review"]
    with pytest.raises(NoSuchFact):
        wait_again(porto.user_id, porto.id, NOW)


def test_nobody_decides_about_another(porto: Fact, lisbon: Fact, bob: User):
    with tenant(bob.id):
        for decide in (approve, reject):
            with pytest.raises(NoSuchFact):
                decide(bob.id, [lisbon.id], NOW)
        for decide in (keep_both, wait_again, delete):
            with pytest.raises(NoSuchFact):
                decide(bob.id, lisbon.id, NOW)
        with pytest.raises(NoSuchFact):
            merge(bob.id, lisbon.id, porto.id, NOW)


def test_all_or_none_is_decided(porto: Fact, lisbon: Fact):
    with pytest.raises(NoSuchFact):
        approve(lisbon.user_id, [lisbon.id, porto.id], NOW)
    assert status(lisbon) == ["pending_review"]
    assert not FactVersion.objects.exists()
