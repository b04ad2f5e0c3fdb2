import pytest

from llm import current
from llm.errors import EmbedderUnavailable
from llm.fake_gateway import FakeEmbedder
from memory.facts import current_facts
from memory.facts.review.decisions import undo
from memory.facts.review.wording import KnownAlready, NewFact, Wording, add, edit
from memory.models import Drawer, Fact, FactVersion
from memory.organize.notes import NoteRefused
from tests.drills.ledger import NOW
from tests.memory.palaces import file, learn


@pytest.fixture
def embedder():
    fake = FakeEmbedder()
    with current.using(embedder=fake):
        yield fake


@pytest.fixture
def fact(as_alice, embedder) -> Fact:
    drawer = file(as_alice.id, ["I like tea, green tea."])[0]
    return learn(drawer, "like tea", "The user likes tea.", value="tea", object="tea")


def worded(fact: Fact, statement: str, **given) -> Wording:
    fields = {"kind": fact.kind, "value": fact.value, "valid_from": fact.valid_from} | given
    return Wording(statement, **fields)


def test_another_wording_is_a_new_version(fact):
    made = edit(fact.user_id, fact.id, worded(fact, "The user likes green tea.", value="green tea"), NOW)
    fact.refresh_from_db()
    assert (fact.statement, fact.object, fact.version) == (
        "The user likes green tea.",
        "green tea",
        2,
    )
    assert FactVersion.objects.get().content["statement"] == "The user likes tea."
    undo(fact.user_id, made.event_id, NOW)
    fact.refresh_from_db()
    assert (fact.statement, fact.object, fact.version) == ("The user likes tea.", "tea", 1)
    assert FactVersion.objects.get().content["statement"] == "The user likes green tea."


def test_the_earlier_words_read_again_are_known(fact):
    edit(fact.user_id, fact.id, worded(fact, "The user likes green tea.", value="green tea"), NOW)
    with pytest.raises(AssertionError):
        learn(Drawer.objects.get(), "like tea", "The user likes tea.", value="tea", object="tea")
    assert Fact.objects.get().times_seen == 1


def test_an_edited_fact_waits_no_longer(fact):
    Fact.objects.update(status="pending_review", review_reason="Unsure.")
    edit(fact.user_id, fact.id, worded(fact, "The user likes green tea."), NOW)
    assert current_facts(fact.user_id).get().authority == "user"


def test_secrets_are_masked_here_too(fact):
    edit(fact.user_id, fact.id, worded(fact, "The user's password is hunter2."), NOW)
    assert "hunter2" not in Fact.objects.get().statement


def test_two_facts_do_not_get_the_same_words(fact):
    other = learn(Drawer.objects.get(), "green tea", "The user likes green tea.")
    with pytest.raises(KnownAlready) as refused:
        edit(fact.user_id, fact.id, worded(fact, "The user likes green tea."), NOW)
    assert refused.value.fact_id == other.id
    fact.refresh_from_db()
    assert fact.version == 1


def test_a_fact_by_hand_rests_on_a_note(as_alice, embedder):
    fact = add(
        as_alice.id,
        NewFact(Wording("I live in Porto.", "identity", "Porto", NOW), "home_city"),
        NOW,
    )
    source = fact.sources.get()
    assert source.drawer.content == "I live in Porto."
    assert (fact.authority, fact.mined_by, fact.single_valued) == ("user", "owner", True)
    assert (fact.key, fact.predicate, fact.object) == ("home_city", "lives_in", "Porto")


def test_a_fact_by_hand_ends_what_was_known(as_alice, embedder):
    drawer = file(as_alice.id, ["I live in Porto."])[0]
    old = learn(drawer, "Porto", "The user lives in Porto.", key="home_city", single_valued=True,
                predicate="lives_in")  # fmt: skip
    add(as_alice.id, NewFact(Wording("I live in Oslo.", "identity", "Oslo", NOW), "home_city"), NOW)
    old.refresh_from_db()
    assert (old.status, old.valid_to) == ("superseded", NOW)


def test_what_is_known_gets_the_words_too(as_alice, embedder):
    new = NewFact(Wording("I can whistle.", "skill", "", NOW))
    fact = add(as_alice.id, new, NOW)
    assert add(as_alice.id, new, NOW) is None
    fact.refresh_from_db()
    assert fact.times_seen == 2


def test_the_embedder_is_not_needed(as_alice, embedder):
    embedder.fail_with(EmbedderUnavailable("Away."))
    assert add(as_alice.id, NewFact(Wording("I can whistle.", "skill", "", NOW)), NOW)


def test_no_words_no_fact(as_alice, embedder):
    with pytest.raises(NoteRefused):
        add(as_alice.id, NewFact(Wording("  ", "other", "", NOW)), NOW)
