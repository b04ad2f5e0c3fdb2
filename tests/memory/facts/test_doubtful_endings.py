"""Doubtful endings: the fact still holds, and review asks its owner."""

from datetime import timedelta

import pytest
from django.urls import reverse

from memory.facts.endings import asked_endings
from memory.facts.review import decisions
from memory.facts.review.wording import Wording, edit
from memory.facts.validity import drop_endings
from memory.forgetting.requests import ForgetRequest, forget_now
from memory.forgetting.trash import delete, undo
from memory.models import Fact, FactEnding, FactSource
from tests.api.conftest import api_client, send
from tests.drills.ledger import NOW
from tests.memory.pages.forms import page, undo_in
from tests.memory.palaces import MONDAY, Spot, file, learn, state

pytestmark = pytest.mark.usefixtures("embedder")
JOB = {"key": "employer", "predicate": "works_at", "kind": "identity", "single_valued": True}
DAY = timedelta(days=1)


def say(user, text, day):
    [drawer] = file(user.id, [text], Spot(start=MONDAY + day * DAY))
    return drawer


def say_job(user, day=0):
    return state(say(user, f"I work at Seat. {day}", day), "Seat", "The user works at Seat.", **JOB)


def say_over(user, day=2, reason="Unsure."):
    drawer = say(user, f"No more Seat for me. {day}", day)
    learn_ending = {"ended": True, "review_reason": reason}
    assert state(drawer, "Seat", "The user no longer works at Seat.", **JOB, **learn_ending) is None


def asked(user):
    return [ending.at for ending in asked_endings(user.id)]


def status(user):
    return [fact.status for fact in Fact.objects.filter(user_id=user.id).order_by("valid_from", "id")]


@pytest.mark.parametrize("steps", [(say_job, say_over), (say_over, say_job)])
def test_a_doubtful_ending_asks_about_its_fact_in_any_order(as_alice, steps):
    for step in steps:
        step(as_alice)
    assert status(as_alice) == ["active"]
    assert asked(as_alice) == [MONDAY + 2 * DAY]


def test_no_question_remains_once_the_end_is_certain_or_the_fact_is_stated_again(as_alice):
    say_job(as_alice)
    say_over(as_alice, 2)
    say_job(as_alice, 4)
    assert asked(as_alice) == []
    say_over(as_alice, 5)
    assert len(asked(as_alice)) == 1
    say_over(as_alice, 6, reason="")
    assert asked(as_alice) == []
    assert status(as_alice) == ["superseded"]


def reread(drawer, reason, words="Seat", **given):
    """File an ending that another extraction finds in the same drawer."""
    sentence = f"The user no longer works at {words}."
    return state(drawer, words, sentence, ended=True, review_reason=reason, **(JOB | given))


def test_reextraction_asks_once_and_ends_the_fact_when_it_is_certain(as_alice):
    fact, drawer = say_job(as_alice), say(as_alice, "No more Seat for me.", 2)
    for words in ("Seat", "more Seat for", "Seat"):
        reread(drawer, "Unsure.", words, value="Seat", object="Seat")
    assert len(asked(as_alice)) == 1
    reread(drawer, "", valid_from=MONDAY + DAY)
    fact.refresh_from_db()
    assert (fact.status, fact.valid_to, asked(as_alice)) == ("superseded", MONDAY + DAY, [])
    drop_endings(as_alice.id, FactEnding.objects.filter(doubtful=False))
    assert len(asked(as_alice)) == 1


def test_reextraction_does_not_end_a_confirmed_fact(as_alice, doubted):
    decisions.confirm(as_alice.id, [doubted.id], NOW)
    drawer = FactEnding.objects.get().drawer
    for reason in ("Unsure.", ""):
        reread(drawer, reason)
    assert (asked(as_alice), status(as_alice)) == ([], ["active"])


def test_words_of_an_assistant_cause_no_question(as_alice):
    say_job(as_alice)
    reread(say(as_alice, "So no more Seat?", 2), "Unsure.", authority="assistant")
    assert asked(as_alice) == []


def test_a_question_follows_its_fact_into_a_merge_and_is_dropped_when_that_is_reworded(as_alice, doubted):
    other = learn(say(as_alice, "At Seat.", 1), "Seat", "Works at Seat in Martorell.", **JOB | {"key": "job"})
    decisions.merge(as_alice.id, doubted.id, other.id, NOW)
    assert FactEnding.objects.get().asked_id == other.id
    edit(as_alice.id, other.id, Wording("Works at Opel.", "identity", "Opel", MONDAY), NOW)
    assert asked(as_alice) == []


def test_forgetting_a_fact_or_the_words_leaves_no_question(as_alice, doubted):
    source = FactSource.objects.get(fact_id=doubted.id).drawer_id
    deletion = delete(as_alice.id, "drawer", source, NOW)
    assert asked(as_alice) == []
    undo(as_alice.id, deletion.id, NOW)
    assert len(asked(as_alice)) == 1
    forgotten = forget_now(as_alice.id, ForgetRequest("drawer", str(source)), NOW)
    assert forgotten.residue["is_clean"], forgotten.residue
    assert list(FactEnding.objects.values_list("asked_id", flat=True)) == [None]


def test_each_question_is_answered_with_its_own_date(as_alice, alice_client, doubted):
    say_over(as_alice, 3)
    first, _ = FactEnding.objects.order_by("at")
    answer(alice_client, doubted, "over", first)
    doubted.refresh_from_db()
    assert doubted.valid_to == first.at == MONDAY + 2 * DAY


@pytest.fixture
def doubted(as_alice):
    fact = say_job(as_alice)
    say_over(as_alice)
    return fact


def answer(client, fact, answer, ending=None):
    data = {"answer": answer, "ending": ending.id if ending else FactEnding.objects.get().id}
    return client.post(reverse("memory:answer_ending", args=[fact.id]), data, follow=True)


@pytest.mark.parametrize(
    ("given", "words", "after"),
    [("over", "The fact has ended.", "superseded"), ("holds", "The fact is still true.", "active")],
)
def test_the_owner_answers_in_review_and_can_undo_it(alice_client, doubted, given, words, after):
    html = page(alice_client, "review")
    assert ("You may have said that this is over:" in html, '<q dir="auto">Seat</q>' in html) == (True, True)
    assert 'class="nav-count">1<' in html
    html = answer(alice_client, doubted, given).content.decode()
    assert words in html
    assert "Nothing to review" in html
    doubted.refresh_from_db()
    assert doubted.status == after
    assert doubted.valid_to == (MONDAY + 2 * DAY if given == "over" else None)
    alice_client.post(undo_in(html))
    doubted.refresh_from_db()
    assert doubted.status == "active"
    assert "You may have said that this is over:" in page(alice_client, "review")


def test_a_question_is_answered_once_and_only_by_its_owner(alice_client, bob_client, doubted):
    assert answer(bob_client, doubted, "over").status_code == 404
    answer(alice_client, doubted, "holds")
    html = answer(alice_client, doubted, "over").content.decode()
    assert "already reviewed" in html
    doubted.refresh_from_db()
    assert doubted.status == "active"


def test_programs_list_what_may_have_ended_and_confirm_what_has_not(alice, bob, doubted):
    own, other = api_client(alice), api_client(bob)
    [item] = send(own, "GET", "/api/v1/review/endings").json()["items"]
    assert (item["fact"]["id"], item["quote"]["text"]) == (str(doubted.id), "Seat")
    assert send(other, "GET", "/api/v1/review/endings").json()["items"] == []
    assert send(other, "POST", f"/api/v1/facts/{doubted.id}/confirm").status_code == 404
    decision = send(own, "POST", f"/api/v1/facts/{doubted.id}/confirm").json()
    assert send(own, "GET", "/api/v1/review/endings").json()["items"] == []
    send(own, "POST", f"/api/v1/decisions/{decision['id']}/undo")
    assert len(send(own, "GET", "/api/v1/review/endings").json()["items"]) == 1
