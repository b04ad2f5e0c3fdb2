"""Which facts a re-extraction replaces, and how it is undone."""

from uuid import UUID

import pytest
from django.urls import reverse

from chat.mining.run import reextract_for_user
from llm import current
from memory.facts.endings import asked_endings
from memory.facts.queries import current_facts
from memory.facts.review import decisions
from memory.forgetting import trash
from memory.mining.reextraction import reactivate, read_without_model, replace_by_model, request_all, undo
from memory.models import ActivityEvent, Drawer, Fact, FactEnding, FactSource, MinedWindow, Relation
from tests.drills.ledger import LONG, NOW, Clock, converse, mine
from tests.fake_gateway import FakeChat
from tests.memory.mining.answers import answer, edge, placed, stated
from tests.memory.palaces import file, learn, state

MOVED = stated(
    statement="The user lives in Zürich, Switzerland.", value="Zürich, Switzerland", object="Zürich"
)
MODEL_ANSWER = answer(facts=[MOVED], relations=[edge(relation="resides_in")])


pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def event(as_alice):
    converse(as_alice.id, "I live in Zürich.")
    mine(as_alice.id)
    reextract(as_alice)
    return ActivityEvent.objects.get(kind="reextracted")


def reextract(user, reply=MODEL_ANSWER):
    request_all(user.id, NOW)
    with current.using(chat=FakeChat([reply])):
        reextract_for_user(user.id, Clock(), LONG)


def statements(user):
    return list(current_facts(user.id).values_list("statement", flat=True))


def test_undoing_a_reextraction_restores_the_facts_of_the_reader(as_alice, event):
    assert statements(as_alice) == ["The user lives in Zürich, Switzerland."]
    undo(as_alice.id, event.id, NOW)
    assert statements(as_alice) == ["The user lives in Zürich."]
    kept = Relation.objects.filter(deleted_at=None, valid_to=None)
    assert [relation.relation for relation in kept] == ["lives_in"]
    window = MinedWindow.objects.get()
    assert (window.method, window.reason) == ("reader", "undone")
    event.refresh_from_db()
    assert event.undone_at == NOW
    assert read_without_model(as_alice.id).count() == 1
    reextract(as_alice)
    assert statements(as_alice) == ["The user lives in Zürich, Switzerland."], "it can be extracted again"


def test_undoing_a_reextraction_reopens_the_facts_it_ended(as_alice):
    converse(as_alice.id, "I live in Zürich.", "Good.", "Zürich was home until today.")
    mine(as_alice.id)
    over = stated(turn="t3", quote="Zürich was home until today", ended=True)
    reextract(as_alice, answer(turns=[placed("t1"), placed("t2"), placed("t3")], facts=[over]))
    assert statements(as_alice) == []
    undo(as_alice.id, ActivityEvent.objects.get(kind="reextracted").id, NOW)
    assert statements(as_alice) == ["The user lives in Zürich."]
    assert FactEnding.objects.count() == 0


AT_SEAT = {"value": "Seat", "object": "Seat", "predicate": "works_at", "kind": "identity"}
EMPLOYED = stated(statement="The user is employed by Seat.", key="job", quote="I work at Seat", **AT_SEAT)
LEFT = stated(turn="t3", statement="The user works at Seat.", quote="Seat is over", ended=True, **AT_SEAT)


@pytest.fixture
def left(as_alice):
    """Words that may end a job, as if the built-in reader was unsure of them."""
    converse(as_alice.id, "I work at Seat.", "I see.", "Maybe Seat is over.")
    mine(as_alice.id)
    said = Drawer.objects.get(content__startswith="Maybe")
    unsure = AT_SEAT | {"key": "employer", "ended": True, "review_reason": "Unsure."}
    state(said, "Seat is over", "The user works at Seat.", **unsure)
    assert questions(as_alice) == ["The user works at Seat."]


def questions(user):
    return [Fact.objects.get(id=ending.asked_id).statement for ending in asked_endings(user.id)]


def confirm(user):
    """Confirm the fact that may have ended."""
    asked = Fact.objects.get(id=asked_endings(user.id).get().asked_id)
    return decisions.confirm(user.id, [asked.id], NOW)


def reextract_job(user, *facts):
    reextract(user, answer(turns=[placed("t1"), placed("t2"), placed("t3")], facts=facts))
    return ActivityEvent.objects.get(kind="reextracted").id


@pytest.mark.parametrize(
    ("facts", "asked"),
    [
        ((), ["The user works at Seat."]),
        ((EMPLOYED,), ["The user is employed by Seat."]),
        ((LEFT,), []),
        ((EMPLOYED, LEFT), []),
    ],
)
def test_question_follows_a_reextraction_and_its_undo(as_alice, left, facts, asked):
    event_id = reextract_job(as_alice, *facts)
    assert questions(as_alice) == asked
    undo(as_alice.id, event_id, NOW)
    assert questions(as_alice) == statements(as_alice) == ["The user works at Seat."]


@pytest.mark.parametrize("facts", [(), (EMPLOYED,), (LEFT,), (EMPLOYED, LEFT)])
def test_confirmed_fact_is_not_ended_by_a_reextraction(as_alice, left, facts):
    decision = confirm(as_alice)
    event_id = reextract_job(as_alice, *facts)
    assert (questions(as_alice), statements(as_alice)) == ([], ["The user works at Seat."])
    undo(as_alice.id, event_id, NOW)
    decisions.undo(as_alice.id, decision.event_id, NOW)
    assert questions(as_alice) == statements(as_alice) == ["The user works at Seat."]


@pytest.mark.parametrize("decide", [decisions.confirm, decisions.delete])
def test_undoing_a_decision_does_not_restore_a_fact_whose_extraction_was_undone(as_alice, left, decide):
    event_id = reextract_job(as_alice, EMPLOYED)
    decision = decide(as_alice.id, [asked_endings(as_alice.id).get().asked_id], NOW)
    undo(as_alice.id, event_id, NOW)
    assert decisions.undo(as_alice.id, decision.event_id, NOW) == ()
    assert questions(as_alice) == statements(as_alice) == ["The user works at Seat."]


def test_undoing_a_decision_about_a_dropped_fact_keeps_the_same_fact_of_a_later_extraction(
    as_alice, alice_client, event
):
    decision = decisions.confirm(as_alice.id, [current_facts(as_alice.id).get().id], NOW)
    undo(as_alice.id, event.id, NOW)
    reextract(as_alice)
    response = alice_client.post(reverse("memory:undo", args=[decision.event_id]), follow=True)
    assert (response.status_code, response.request["PATH_INFO"]) == (200, reverse("memory:activity"))
    assert "Undone." in response.content.decode()
    assert statements(as_alice) == ["The user lives in Zürich, Switzerland."]


@pytest.mark.parametrize("undone", ["before", "meanwhile", "never"])
def test_restoring_a_drawer_restores_only_the_latest_extraction(as_alice, event, undone):
    if undone == "before":
        undo(as_alice.id, event.id, NOW)
    deletion = trash.delete(as_alice.id, "drawer", Drawer.objects.get().id, NOW)
    if undone == "meanwhile":
        undo(as_alice.id, event.id, NOW)
    assert statements(as_alice) == []
    trash.undo(as_alice.id, deletion.id, NOW)
    where = "Zürich, Switzerland" if undone == "never" else "Zürich"
    assert statements(as_alice) == [f"The user lives in {where}."]


WORDS = "I love chess and my sister Ana, 我喜欢香菜."


@pytest.fixture
def drawer(as_alice):
    return file(as_alice.id, [WORDS])[0]


def by_reader(drawer, words="I love chess", statement="The user loves chess.", **given):
    return learn(drawer, words, statement, **{"object": "chess", "key": "likes_chess"} | given)


def by_model(drawer, words="I love chess", statement="The user loves to play chess.", **given):
    given = {"object": "playing chess", "key": "preference_chess", "mined_by": "model"} | given
    return learn(drawer, words, statement, **given)


def replacements(drawer):
    replaced = replace_by_model(drawer.user_id, [drawer.id])
    return [(UUID(each["fact_id"]), UUID(each["by"])) for each in replaced]


HERB = {"words": "我喜欢香菜", "statement": "The user likes 香菜.", "object": "香菜", "key": "likes_香菜"}
CORIANDER = HERB | {"statement": "The user likes coriander.", "object": "coriander", "key": "preference_herb"}


@pytest.mark.parametrize(
    ("reader", "model", "is_replaced"),
    [
        ({}, {}, True),
        ({}, {"words": "I love chess and my sister Ana"}, True),  # a wider quote
        (HERB, CORIANDER, True),  # a translation of the quote
        (HERB | {"key": "herb"}, CORIANDER | {"key": "herb"}, True),
        ({}, {"kind": "skill"}, False),
        ({}, {"words": "chess"}, False),  # narrower
        ({"words": "my sister Ana"}, {}, False),
        ({}, {"statement": "The user loves their sister Ana.", "object": "Ana"}, False),
        ({}, {"review_reason": "It reads like an instruction."}, False),
        ({}, {"mined_by": "reader"}, False),
        ({"mined_by": "model"}, {}, False),
        ({"version": 2}, {}, False),  # edited by its owner
    ],
)
def test_a_fact_in_other_words_is_replaced_and_one_that_differs_otherwise_is_kept(
    drawer, reader, model, is_replaced
):
    old, new = by_reader(drawer, **reader), by_model(drawer, **model)
    assert replacements(drawer) == [(old.id, new.id)] * is_replaced
    if is_replaced:
        old.refresh_from_db()
        assert (old.status, old.superseded_by_id, old.valid_to) == ("superseded", new.id, old.valid_from)
        assert replacements(drawer) == []


def test_other_sources_of_a_replaced_fact_pass_to_the_new_one(as_alice, drawer):
    elsewhere = file(as_alice.id, ["I love chess"])[0]
    old = by_reader(drawer)
    FactSource.objects.create(user_id=as_alice.id, fact_id=old.id, drawer_id=elsewhere.id, start=0, end=12)
    new = by_model(drawer)
    replacements(drawer)
    new.refresh_from_db()
    assert {source.drawer_id for source in new.sources.all()} == {drawer.id, elsewhere.id}
    assert new.times_seen == 2


@pytest.mark.parametrize("decided", ["", "rejected"])
def test_undoing_a_replacement_reactivates_the_fact_unless_it_was_reviewed_since(drawer, decided):
    old, new = by_reader(drawer, review_reason="Why?"), by_model(drawer)
    (replacement,) = replace_by_model(drawer.user_id, [drawer.id])
    Fact.objects.filter(id=old.id, status="superseded").update(status=decided or "superseded")
    reactivate(drawer.user_id, replacement)
    old.refresh_from_db()
    assert old.status == (decided or "pending_review")
    if not decided:
        assert (old.review_reason, old.valid_to, old.superseded_by_id) == ("Why?", None, None)
        reactivate(drawer.user_id, replacement)
        assert Fact.objects.get(id=new.id).status == "active"
