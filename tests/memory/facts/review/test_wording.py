import pytest

from llm.errors import EmbedderUnavailable
from memory.facts import current_facts
from memory.facts.review.decisions import undo
from memory.facts.review.wording import KnownAlready, NewFact, Wording, add, edit
from memory.models import Drawer, Fact, FactVersion
from memory.organize.notes import NoteRefused
from tests.drills.ledger import NOW
from tests.memory.palaces import file, learn


@pytest.fixture
def fact(as_alice, embedder) -> Fact:
    drawer = file(as_alice.id, ["I like tea, green tea."])[0]
    return learn(drawer, "like tea", "The user likes tea.", value="tea", object="tea")


def worded(fact: Fact, statement: str, **given) -> Wording:
    fields = {"kind": fact.kind, "value": fact.value, "valid_from": fact.valid_from} | given
    return Wording(statement, **fields)


def test_another_wording_is_a_new_version_that_can_be_undone(fact):
    made = edit(fact.user_id, fact.id, worded(fact, "The user likes green tea.", value="green tea"), NOW)
    fact.refresh_from_db()
    assert (fact.statement, fact.object, fact.version) == ("The user likes green tea.", "green tea", 2)
    assert FactVersion.objects.get().content["statement"] == "The user likes tea."
    with pytest.raises(AssertionError):
        learn(Drawer.objects.get(), "like tea", "The user likes tea.", value="tea", object="tea")
    assert Fact.objects.get().times_seen == 1, "the earlier words are known"
    undo(fact.user_id, made.event_id, NOW)
    fact.refresh_from_db()
    assert (fact.statement, fact.object, fact.version) == ("The user likes tea.", "tea", 1)
    assert FactVersion.objects.get().content["statement"] == "The user likes green tea."


def test_an_edit_approves_the_fact_and_masks_secrets(fact):
    Fact.objects.update(status="pending_review", review_reason="Unsure.")
    edit(fact.user_id, fact.id, worded(fact, "The user's password is hunter2."), NOW)
    assert current_facts(fact.user_id).get().authority == "user"
    assert "hunter2" not in Fact.objects.get().statement


def test_two_facts_never_get_the_same_words(fact):
    other = learn(Drawer.objects.get(), "green tea", "The user likes green tea.")
    with pytest.raises(KnownAlready) as refused:
        edit(fact.user_id, fact.id, worded(fact, "The user likes green tea."), NOW)
    assert refused.value.fact_id == other.id
    fact.refresh_from_db()
    assert fact.version == 1


def test_a_fact_added_by_hand_rests_on_a_note_and_ends_what_was_known(as_alice, embedder):
    drawer = file(as_alice.id, ["I live in Oslo."])[0]
    given = {"key": "home_city", "single_valued": True, "predicate": "lives_in"}
    old = learn(drawer, "Oslo", "The user lives in Oslo.", **given)
    embedder.fail_with(EmbedderUnavailable("Away."))
    new = NewFact(Wording("I live in Porto.", "identity", "Porto", NOW), "home_city")
    fact = add(as_alice.id, new, NOW)
    assert fact.sources.get().drawer.content == "I live in Porto."
    assert (fact.authority, fact.mined_by, fact.single_valued) == ("user", "owner", True)
    assert (fact.key, fact.predicate, fact.object) == ("home_city", "lives_in", "Porto")
    old.refresh_from_db()
    assert (old.status, old.valid_to) == ("superseded", NOW)

    assert add(as_alice.id, new, NOW) is None
    fact.refresh_from_db()
    assert fact.times_seen == 2
    with pytest.raises(NoteRefused):
        add(as_alice.id, NewFact(Wording("  ", "other", "", NOW)), NOW)
