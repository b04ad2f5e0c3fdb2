"""Decisions of the owner about facts, and facts that they edit and add."""

from datetime import timedelta

import pytest

from accounts.owned import NotFound
from llm.errors import EmbedderUnavailable
from memory.changes.log import ChangedSince
from memory.facts.queries import current_facts
from memory.facts.review import decisions
from memory.facts.review.decisions import approve, delete, undo
from memory.facts.review.wording import DuplicateFact, NewFact, Wording, add, edit
from memory.forgetting import trash
from memory.models import Drawer, Fact, FactVersion, Relation
from memory.organize.notes import NoteRefused
from tests.drills.ledger import NOW
from tests.memory.palaces import MONDAY, file, learn

SINGLE = {"key": "home_city", "single_valued": True, "kind": "identity", "predicate": "lives_in"}
DAY = timedelta(days=1)


pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def drawer(as_alice):
    return file(as_alice.id, ["I live in Porto. No, in Lisbon."])[0]


@pytest.fixture
def porto(drawer):
    return learn(drawer, "Porto", "Lives in Porto.", **SINGLE)


@pytest.fixture
def lisbon(drawer, porto):
    later = MONDAY + DAY
    return learn(drawer, "Lisbon", "Lives in Lisbon.", valid_from=later, review_reason="Unsure.", **SINGLE)


def repeat_porto(drawer):
    with pytest.raises(AssertionError):
        learn(drawer, "Porto", "Lives in Porto.", **SINGLE)


def status(*facts):
    for fact in facts:
        fact.refresh_from_db()
    return [fact.status for fact in facts]


def test_decisions_change_status_and_validity_of_competing_values(porto, lisbon, drawer):
    def decide(decision, fact):
        decision(fact.user_id, [fact.id], NOW)
        return status(porto, lisbon)

    assert decide(approve, lisbon) == ["superseded", "active"]
    assert porto.valid_to == lisbon.valid_from
    assert decide(decisions.reject, lisbon) == ["active", "rejected"]
    assert decide(decisions.return_to_review, lisbon) == ["active", "pending_review"]
    assert decide(decisions.return_to_review, porto) == ["pending_review", "pending_review"]
    assert porto.review_reason == decisions.MOVED_BY_OWNER
    assert decide(decisions.confirm, porto) == ["active", "pending_review"]
    assert (porto.confidence, porto.authority) == (decisions.OWNER_CONFIDENCE, decisions.OWNER)
    assert decide(decisions.keep_both, lisbon) == ["active", "active"]

    given = SINGLE | {"valid_from": MONDAY - 9 * DAY, "review_reason": "Unsure."}
    past = learn(drawer, "in", "Lives in Braga.", **given)
    approve(past.user_id, [past.id], NOW)
    assert status(past, porto) == ["superseded", "active"]
    assert past.valid_to == porto.valid_from


def test_an_ended_fact_is_current_only_before_its_end(porto):
    decisions.end(porto.user_id, porto.id, MONDAY + DAY, NOW)
    assert not current_facts(porto.user_id).exists()
    assert current_facts(porto.user_id, MONDAY).get() == porto
    assert not current_facts(porto.user_id, MONDAY + DAY).exists()


def test_merging_combines_sources_and_counts_later_repetitions(as_alice, porto):
    first, second = file(as_alice.id, ["Porto is my home.", "Porto, my home."])
    other = learn(first, "Porto", "Has a home in Porto.", key="home")
    decisions.merge(as_alice.id, other.id, porto.id, NOW)
    assert status(porto, other) == ["active", "superseded"]
    assert (porto.times_seen, porto.sources.count()) == (2, 2)
    assert list(current_facts(as_alice.id)) == [porto]
    assert not current_facts(as_alice.id, NOW).exclude(id=porto.id).exists()
    with pytest.raises(AssertionError):
        learn(second, "Porto", "Has a home in Porto.", key="home")
    porto.refresh_from_db()
    assert porto.times_seen == 3


def test_a_deleted_fact_is_never_filed_again_from_the_same_words(porto, drawer):
    decision = delete(porto.user_id, [porto.id], NOW)
    repeat_porto(drawer)
    assert not current_facts(porto.user_id).exists()
    deletion = trash.delete(porto.user_id, "drawer", drawer.id, NOW)
    trash.undo(porto.user_id, deletion.id, NOW)
    assert not current_facts(porto.user_id).exists(), "restoring its drawer does not restore it"
    trash.purge(porto.user_id, NOW + DAY)
    assert not Fact.objects.exists()
    assert not FactVersion.objects.exists()
    repeat_porto(drawer)
    assert undo(porto.user_id, decision.event_id, NOW) == ()
    assert not Fact.objects.exists()


def test_deleting_a_fact_can_be_undone_until_it_is_said_again(porto, drawer):
    decision = delete(porto.user_id, [porto.id], NOW)
    deletion = trash.delete(porto.user_id, "drawer", drawer.id, NOW)
    undo(porto.user_id, decision.event_id, NOW)
    porto.refresh_from_db()
    assert (porto.deletion_id, porto.deleted_by_owner) == (deletion.id, False), "in the trash with its drawer"
    trash.undo(porto.user_id, deletion.id, NOW)
    decision = delete(porto.user_id, [porto.id], NOW)
    learn(file(porto.user_id, ["Porto!"])[0], "Porto", "Lives in Porto.", **SINGLE)
    with pytest.raises(ChangedSince):
        undo(porto.user_id, decision.event_id, NOW)
    assert current_facts(porto.user_id).count() == 1


def test_a_decision_about_several_facts_is_all_or_nothing(porto, lisbon):
    with pytest.raises(NotFound):
        approve(lisbon.user_id, [lisbon.id, porto.id], NOW)
    assert status(lisbon) == ["pending_review"]
    assert not FactVersion.objects.exists()


@pytest.fixture
def fact(as_alice):
    drawer = file(as_alice.id, ["I like tea, green tea."])[0]
    return learn(drawer, "like tea", "The user likes tea.", value="tea", object="tea")


def reworded(fact, statement, **given):
    fields = {"kind": fact.kind, "value": fact.value, "valid_from": fact.valid_from} | given
    return Wording(statement, **fields)


def test_editing_a_fact_creates_a_version_and_can_be_undone(fact):
    made = edit(fact.user_id, fact.id, reworded(fact, "The user likes green tea.", value="green tea"), NOW)
    fact.refresh_from_db()
    assert (fact.statement, fact.object, fact.version) == ("The user likes green tea.", "green tea", 2)
    assert FactVersion.objects.get().content["statement"] == "The user likes tea."
    with pytest.raises(AssertionError):
        learn(Drawer.objects.get(), "like tea", "The user likes tea.", value="tea", object="tea")
    assert Fact.objects.get().times_seen == 1, "the earlier wording is recognised"
    undo(fact.user_id, made.event_id, NOW)
    fact.refresh_from_db()
    assert (fact.statement, fact.object, fact.version) == ("The user likes tea.", "tea", 1)
    assert FactVersion.objects.get().content["statement"] == "The user likes green tea."


@pytest.mark.parametrize(
    ("statement", "predicate", "value", "key"),
    [
        ("I play the viola", "plays", "viola", "plays_viola"),
        ("You play the electric violin.", "plays", "electric violin", "plays_electric_violin"),
        ("You play the violin!", "plays", "violin", "plays_violin"),
        ("My violin is sold.", "plays", "violin", "plays_violin"),
        ("I sing.", "noted", "I sing.", "noted_i_sing"),
        ("Violinists bore me.", "noted", "Violinists bore me.", "noted_violinists_bore_me"),
    ],
)
def test_the_meaning_of_an_edited_fact_follows_from_its_new_words(as_alice, statement, predicate, value, key):
    given = {"predicate": "plays", "key": "plays_violin", "entities": ["violin"], "persons": ["Ana"]}
    fact = learn(
        file(as_alice.id, ["I play the violin."])[0], "violin", "The user plays the violin.", **given
    )
    made = edit(as_alice.id, fact.id, reworded(fact, statement), NOW)
    fact.refresh_from_db()
    assert (fact.predicate, fact.value, fact.object, fact.key) == (predicate, value, value, key)
    known = ([], []) if predicate == "noted" else (["Ana"], [value])
    assert (fact.persons, fact.entities) == known
    assert [each.object.name for each in Relation.objects.select_related("object")] == known[1]
    undo(as_alice.id, made.event_id, NOW)
    fact.refresh_from_db()
    assert (fact.value, fact.key, fact.entities) == ("violin", "plays_violin", ["violin"])


def test_the_first_words_of_a_fact_are_no_source_once_it_says_something_else(as_alice):
    walnuts = NewFact(Wording("I am allergic to walnuts.", "other", "", NOW))
    fact, _ = add(as_alice.id, walnuts, NOW)
    edit(as_alice.id, fact.id, reworded(fact, "The user is allergic to hazelnuts."), NOW)
    other, created = add(as_alice.id, walnuts, NOW)
    assert created
    assert (other.statement, fact.sources.count()) == ("The user is allergic to walnuts.", 1)


def test_an_attribute_keeps_its_key_whatever_its_new_words(porto, lisbon):
    edit(porto.user_id, porto.id, reworded(porto, "I moved to the sea."), NOW)
    approve(lisbon.user_id, [lisbon.id], NOW)
    assert status(porto, lisbon) == ["superseded", "active"]
    assert (porto.key, porto.predicate, porto.object) == ("home_city", "noted", "I moved to the sea.")


def test_an_edit_approves_the_fact_and_masks_secrets(fact):
    Fact.objects.update(status="pending_review", review_reason="Unsure.")
    edit(fact.user_id, fact.id, reworded(fact, "The user's password is hunter2."), NOW)
    assert current_facts(fact.user_id).get().authority == "user"
    assert "hunter2" not in Fact.objects.get().statement


def test_editing_a_fact_into_a_duplicate_is_rejected(fact):
    other = learn(Drawer.objects.get(), "green tea", "The user likes green tea.")
    with pytest.raises(DuplicateFact) as refused:
        edit(fact.user_id, fact.id, reworded(fact, "The user likes green tea."), NOW)
    assert refused.value.fact_id == other.id
    fact.refresh_from_db()
    assert fact.version == 1


def test_a_fact_added_by_hand_is_sourced_to_a_note_and_ends_the_previous_value(as_alice, embedder):
    drawer = file(as_alice.id, ["I live in Oslo."])[0]
    old = learn(drawer, "Oslo", "The user lives in Oslo.", **SINGLE)
    embedder.fail_with(EmbedderUnavailable("Away."))
    new = NewFact(Wording("I live in Porto.", "identity", "Porto", NOW), "home_city")
    fact, created = add(as_alice.id, new, NOW)
    assert created
    assert fact.sources.get().drawer.content == "I live in Porto."
    assert (fact.authority, fact.mined_by, fact.single_valued) == ("user", "owner", True)
    assert (fact.key, fact.predicate, fact.object) == ("home_city", "lives_in", "Porto")
    assert (*status(old), old.valid_to) == ("superseded", NOW)

    assert add(as_alice.id, new, NOW) == (fact, False)
    fact.refresh_from_db()
    assert fact.times_seen == 2
    with pytest.raises(NoteRefused):
        add(as_alice.id, NewFact(Wording("  ", "other", "", NOW)), NOW)
