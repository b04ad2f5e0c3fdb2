"""Doubtful endings: the fact still holds, and review asks its owner."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from accounts.tenancy import tenant
from memory.changes.log import ChangedSince
from memory.facts.endings import asked_endings
from memory.facts.review import decisions
from memory.facts.review.wording import Wording, edit
from memory.facts.validity import drop_endings, settle_around
from memory.forgetting.requests import ForgetRequest, forget_now
from memory.forgetting.trash import delete, undo
from memory.models import ActivityEvent, Fact, FactEnding, FactSource
from memory.pages.facts import queries, review
from tests.api.conftest import api_client, send
from tests.drills.ledger import NOW
from tests.html import check_fragment
from tests.memory.page_sizes import shorten
from tests.memory.pages.forms import HTMX, all_pages, page, undo_in
from tests.memory.palaces import MONDAY, Spot, file, learn, state
from tests.transfer.exporting.furnished import bring, export
from tests.transfer.restoring.test_archives import changed, each

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
def test_a_doubtful_ending_asks_about_its_fact_in_any_order_until_it_is_certain_or_stated_again(
    as_alice, steps
):
    for step in steps:
        step(as_alice)
    before = rows()
    settle_around(as_alice.id, Fact.objects.values_list("id", flat=True))
    assert rows() == before
    assert (status(as_alice), asked(as_alice)) == (["active"], [MONDAY + 2 * DAY])
    say_job(as_alice, 4)
    assert asked(as_alice) == []
    say_over(as_alice, 5)
    assert len(asked(as_alice)) == 1
    say_over(as_alice, 6, reason="")
    assert (status(as_alice), asked(as_alice)) == (["superseded"], [])


@pytest.mark.parametrize(
    ("known", "over", "asks"),
    [
        (["2015 Toyota Yaris"], "Toyota Yaris", True),
        (["go bouldering every Tuesday"], "bouldering", True),
        (["red bike", "green bike"], "bike", False),  # which one?
        (["bikes"], "bike", False),
        (["Ly"], "Ly", False),
    ],
)
def test_an_end_that_names_a_fact_in_part_asks_about_it(as_alice, known, over, asks):
    for thing in known:
        given = {"kind": "technical", "key": f"owns_{thing}", "predicate": "owns"}
        state(say(as_alice, thing, 0), thing, f"The user owns {thing}.", **given)
    given = {"kind": "skill", "key": f"plays_{over}", "predicate": "plays", "ended": True}
    assert state(say(as_alice, f"No more {over}.", 2), over, f"The user plays {over}.", **given) is None
    assert asked(as_alice) == [MONDAY + 2 * DAY] * asks
    assert set(status(as_alice)) == {"active"}


def reread(drawer, reason, words="Seat", **given):
    """File an ending that another extraction finds in the same drawer."""
    sentence = f"The user no longer works at {words}."
    return state(drawer, words, sentence, ended=True, review_reason=reason, **(JOB | given))


def test_reextraction_asks_once_and_ends_the_fact_when_it_is_certain(as_alice):
    fact, drawer = say_job(as_alice), say(as_alice, "No more Seat for me.", 2)
    reread(say(as_alice, "So no more Seat?", 2), "Unsure.", authority="assistant")
    assert asked(as_alice) == []
    for words in ("Seat", "more Seat for", "Seat"):
        reread(drawer, "Unsure.", words, value="Seat", object="Seat")
    assert len(asked(as_alice)) == 1
    reread(drawer, "", valid_from=MONDAY + DAY)
    fact.refresh_from_db()
    assert (fact.status, fact.valid_to, asked(as_alice)) == ("superseded", MONDAY + DAY, [])
    drop_endings(as_alice.id, FactEnding.objects.filter(doubtful=False))
    assert len(asked(as_alice)) == 1


@pytest.mark.parametrize("key", ["employer", "job"])
def test_reextraction_neither_asks_again_nor_ends_a_confirmed_fact(as_alice, doubted, key):
    drawer = FactEnding.objects.get().drawer
    reread(drawer, "Unsure.", key=key)
    assert len(asked(as_alice)) == 1
    decisions.confirm(as_alice.id, [doubted.id], NOW)
    for reason in ("Unsure.", ""):
        reread(drawer, reason, key=key)
    assert (asked(as_alice), status(as_alice)) == ([], ["active"])


@pytest.mark.parametrize("reason", ["Unsure.", ""])
@pytest.mark.parametrize("key", ["likes_{}", "drink"])
def test_the_same_words_end_or_ask_about_each_fact_they_name_once(as_alice, key, reason):
    """A model may choose one key for both tastes."""
    drawer = say(as_alice, "No more tea and coffee.", 2)
    for what in ("tea", "coffee"):
        taste = {"key": key.format(what), "predicate": "likes", "object": what, "single_valued": False}
        fact = learn(say(as_alice, f"I like {what}.", 0), what, f"The user likes {what}.", **taste)
        for words in ("tea and coffee", "more tea and coffee"):
            reread(drawer, reason, words, value=what, **taste)
    assert status(as_alice) == ["active" if reason else "superseded"] * 2
    assert len(asked(as_alice)) == 2 * bool(reason)
    if reason:
        decisions.confirm(as_alice.id, [fact.id], NOW)
        assert len(asked(as_alice)) == 1


def rows():
    """All facts and endings."""
    return [list(model.objects.order_by("id").values()) for model in (Fact, FactEnding)]


def test_decisions_are_undone_last_first_and_the_question_returns(as_alice, doubted):
    confirmed = decisions.confirm(as_alice.id, [doubted.id], NOW)
    ended = decisions.end(as_alice.id, doubted.id, MONDAY + DAY, NOW)
    with pytest.raises(ChangedSince):
        decisions.undo(as_alice.id, confirmed.event_id, NOW)
    decisions.undo(as_alice.id, ended.event_id, NOW)
    assert (asked(as_alice), status(as_alice)) == ([], ["active"])
    decisions.undo(as_alice.id, confirmed.event_id, NOW)
    assert len(asked(as_alice)) == 1


def test_undoing_a_confirmation_asks_its_own_questions_again(as_alice, doubted):
    first = decisions.confirm(as_alice.id, [doubted.id], NOW)
    say_over(as_alice, 4)
    assert asked(as_alice) == [MONDAY + 4 * DAY]
    second = decisions.confirm(as_alice.id, [doubted.id], NOW)
    with pytest.raises(ChangedSince):
        decisions.undo(as_alice.id, first.event_id, NOW)
    for decision, questions in ((second, 1), (first, 2)):
        decisions.undo(as_alice.id, decision.event_id, NOW)
        assert len(asked(as_alice)) == questions
    confirmed = decisions.confirm(as_alice.id, [doubted.id], NOW)
    drop_endings(as_alice.id, FactEnding.objects.all())
    decisions.undo(as_alice.id, confirmed.event_id, NOW)
    assert (asked(as_alice), status(as_alice)) == ([], ["active"]), "their words are gone"


def test_questions_follow_an_edit_and_its_undo(as_alice, doubted):
    decision = edit(as_alice.id, doubted.id, Wording("Works at Opel.", "identity", "Opel", MONDAY), NOW)
    assert asked(as_alice) == []
    reread(say(as_alice, "No more Opel for me.", 3), "Unsure.", "Opel")
    assert asked(as_alice) == [MONDAY + 3 * DAY]
    decisions.undo(as_alice.id, decision.event_id, NOW)
    assert asked(as_alice) == [MONDAY + 2 * DAY]


def test_only_a_fact_that_holds_is_asked_about(as_alice, doubted):
    other = learn(say(as_alice, "At Seat.", 1), "Seat", "Works at Seat in Martorell.", **JOB | {"key": "job"})
    decision = decisions.merge(as_alice.id, other.id, doubted.id, NOW)
    assert FactEnding.objects.get().asked_id == doubted.id
    decisions.undo(as_alice.id, decision.event_id, NOW)
    decisions.reject(as_alice.id, [other.id], NOW)
    for decide in (decisions.delete, decisions.return_to_review):
        decision = decide(as_alice.id, [doubted.id], NOW)
        assert asked(as_alice) == []
        decisions.undo(as_alice.id, decision.event_id, NOW)
        assert len(asked(as_alice)) == 1


def test_a_question_follows_its_fact_into_a_merge_and_is_dropped_when_that_is_reworded(as_alice, doubted):
    other = learn(say(as_alice, "At Seat.", 1), "Seat", "Works at Seat in Martorell.", **JOB | {"key": "job"})
    decision = decisions.merge(as_alice.id, doubted.id, other.id, NOW)
    assert FactEnding.objects.get().asked_id == other.id
    decisions.undo(as_alice.id, decision.event_id, NOW)
    assert FactEnding.objects.get().asked_id == doubted.id
    decisions.merge(as_alice.id, doubted.id, other.id, NOW)
    edit(as_alice.id, other.id, Wording("Works at Opel.", "identity", "Opel", MONDAY), NOW)
    assert asked(as_alice) == []


@pytest.mark.parametrize(("kind", "left"), [(FactSource, [None]), (FactEnding, [])])
def test_forgetting_the_words_of_a_fact_or_of_its_ending_leaves_no_question(as_alice, doubted, kind, left):
    drawer_id = kind.objects.get().drawer_id
    deletion = delete(as_alice.id, "drawer", drawer_id, NOW)
    assert asked(as_alice) == []
    undo(as_alice.id, deletion.id, NOW)
    assert len(asked(as_alice)) == 1
    forgotten = forget_now(as_alice.id, ForgetRequest("drawer", str(drawer_id)), NOW)
    assert forgotten.residue["is_clean"], forgotten.residue
    assert list(FactEnding.objects.values_list("asked_id", flat=True)) == left


@pytest.mark.parametrize("restored_first", ["fact", "question"])
def test_a_question_returns_from_the_trash_in_any_order(as_alice, doubted, restored_first):
    sources = {
        "fact": FactSource.objects.get(fact_id=doubted.id).drawer_id,
        "question": FactEnding.objects.get().drawer_id,
    }
    deletions = {name: delete(as_alice.id, "drawer", each, NOW).id for name, each in sources.items()}
    undo(as_alice.id, deletions.pop(restored_first), NOW)
    assert asked(as_alice) == []
    for deletion_id in deletions.values():
        undo(as_alice.id, deletion_id, NOW)
    assert len(asked(as_alice)) == 1


def test_a_restored_question_asks_about_the_fact_as_the_account_knows_it(alice, bob, doubted):
    archive = export(alice.id)
    with tenant(bob.id):
        known = say_job(bob)
    bring(bob, archive)
    with tenant(bob.id):
        assert (asked(bob), FactEnding.objects.get().asked_id) == ([MONDAY + 2 * DAY], known.id)


def test_an_edited_export_cannot_ask_about_a_fact_of_somebody_else(as_alice, bob, doubted):
    with tenant(bob.id):
        foreign = say_job(bob)
    archive = export(as_alice.id)
    FactEnding.objects.all().delete()
    bring(as_alice, changed(archive, "fact_endings", each(asked_id=str(foreign.id))))
    assert (len(asked(as_alice)), FactEnding.objects.get().asked_id) == (1, doubted.id)


@pytest.fixture
def doubted(as_alice):
    fact = say_job(as_alice)
    say_over(as_alice)
    return fact


def answer(client, fact, answer):
    data = {"answer": answer, "ending": FactEnding.objects.order_by("at")[0].id}
    return client.post(reverse("memory:answer_ending", args=[fact.id]), data, follow=True)


@pytest.mark.parametrize(
    ("given", "words", "after"),
    [("over", "The fact has ended.", "superseded"), ("holds", "The fact is still true.", "active")],
)
def test_the_owner_answers_with_the_date_of_a_question_and_can_undo_it(
    as_alice, alice_client, doubted, given, words, after
):
    html = page(alice_client, "review")
    assert ("You may have said that this is over:" in html, '<q dir="auto">Seat</q>' in html) == (True, True)
    assert 'class="nav-count">1<' in html
    say_over(as_alice, 3)
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


def test_only_its_owner_answers_a_question_and_only_once(as_alice, alice_client, bob_client, doubted):
    assert answer(bob_client, doubted, "over").status_code == 404
    data = {"answer": "over", "ending": FactEnding.objects.get().id}
    for field in ({"answer": ""}, {"answer": "maybe"}, {"ending": ""}, {"ending": "\0"}):
        response = alice_client.post(reverse("memory:answer_ending", args=[doubted.id]), data | field)
        assert (response.status_code, len(asked(as_alice))) == (302, 1)
    answer(alice_client, doubted, "holds")
    assert "already reviewed" in answer(alice_client, doubted, "over").content.decode()
    assert status(as_alice) == ["active"]


def say_former(user, quote="Seat", **given):
    """Words that may end the job, and the fact that waits because they say that it was one."""
    drawer = say(user, "I quit Seat, not Opel.", 3)
    reread(drawer, "Unsure.")
    former = {"predicate": "worked_at", "object": "Seat", "kind": "experience", "review_reason": "Unsure."}
    return learn(drawer, quote, "The user used to work at Seat.", **former | given)


@pytest.mark.parametrize(
    ("decide", "job_status", "former_status"),
    [
        (lambda user, job, former: decisions.approve(user, [former], NOW), "superseded", "active"),
        (lambda user, job, former: decisions.confirm(user, [former], NOW), "superseded", "active"),
        (lambda user, job, former: decisions.reject(user, [former], NOW), "active", "rejected"),
        (lambda user, job, former: decisions.end(user, job, MONDAY + DAY, NOW), "superseded", "active"),
        (lambda user, job, former: decisions.confirm(user, [job], NOW), "active", "rejected"),
    ],
)
def test_a_question_and_a_waiting_fact_that_asks_the_same_are_decided_and_undone_together(
    as_alice, decide, job_status, former_status
):
    job = say_job(as_alice)
    former = say_former(as_alice)
    before = rows()
    decision = decide(as_alice.id, job.id, former.id)
    states = dict(Fact.objects.values_list("id", "status"))
    assert (states[job.id], states[former.id], asked(as_alice)) == (job_status, former_status, [])
    assert len(ActivityEvent.objects.get(id=decision.event_id).details["facts"]) == 1
    decisions.undo(as_alice.id, decision.event_id, NOW)
    assert (rows(), len(asked(as_alice))) == (before, 1)


def test_a_decision_about_both_does_what_it_says_about_each(as_alice):
    job = say_job(as_alice)
    former = say_former(as_alice)
    decisions.confirm(as_alice.id, [job.id, former.id], NOW)
    assert (status(as_alice), asked(as_alice)) == (["active", "active"], [])


@pytest.mark.parametrize("given", [{"predicate": "dislikes"}, {"object": "Opel"}, {"quote": "Opel"}])
def test_a_waiting_fact_that_says_something_else_is_not_decided_with_a_question(as_alice, given):
    job = say_job(as_alice)
    other = say_former(as_alice, **given)
    for fact in (other, job):
        decision = decisions.confirm(as_alice.id, [fact.id], NOW)
        assert decision.facts == (fact,)
        assert len(asked(as_alice)) == (fact == other)
        decisions.undo(as_alice.id, decision.event_id, NOW)


def removed(html):
    return re.findall(r'id="(\S+)" hx-swap-oob="delete"', html)


@pytest.mark.parametrize(("given", "words"), [("over", "Moved to Past:"), ("holds", "Still true:")])
def test_an_answer_by_script_replaces_the_question_and_removes_others_about_the_fact(
    as_alice, alice_client, doubted, given, words
):
    say_over(as_alice, 3)
    first, second = FactEnding.objects.order_by("at")
    address = reverse("memory:answer_ending", args=[doubted.id])
    html = check_fragment(alice_client.post(address, {"answer": given, "ending": first.id}, headers=HTMX))
    assert (f"<strong>{words}</strong>" in html, "data-undo" in html) == (True, True)
    assert (f"ending-{first.id}" in html, 'class="nav-count"' in html) == (False, False)
    assert (removed(html), asked(as_alice)) == ([f"ending-{second.id}"], [])


@pytest.mark.parametrize(
    ("decide", "settled"),
    [
        ("over", {"same", "former"}),
        ("holds", {"same", "former"}),
        ("approve", {"same", "other"}),
        ("reject", {"same"}),
    ],
)
def test_a_decision_by_script_removes_what_it_settles_besides(as_alice, alice_client, decide, settled):
    job, former = say_job(as_alice), say_former(as_alice)
    say_over(as_alice, 4)
    same, other = FactEnding.objects.order_by("at")
    items = {"same": f"ending-{same.id}", "other": f"ending-{other.id}", "former": f"fact-{former.id}"}
    name, fact = (decide, former) if decide in ("approve", "reject") else ("answer_ending", job)
    data = {"answer": decide, "ending": other.id}
    html = check_fragment(alice_client.post(reverse(f"memory:{name}", args=[fact.id]), data, headers=HTMX))
    assert set(removed(html)) == {items[each] for each in settled}


def test_questions_are_shown_in_the_review_and_the_activity(alice_client, doubted):
    for name in ("activity", "review"):
        html = page(alice_client, name)
        assert "You may have said that this is over:" in html
        for words in ("No longer true", "Still true"):
            assert f'aria-label="{words}: You work at' in html


def test_the_review_explains_the_keys_of_what_it_shows(as_alice, alice_client, doubted):
    html = page(alice_client, "review")
    of_questions, of_facts = "r ends it", "r rejects"
    assert (of_questions in html, of_facts in html) == (True, False)
    learn(say(as_alice, "I like tea.", 5), "tea", "The user likes tea.", review_reason="Unsure.")
    html = page(alice_client, "review")
    assert (of_questions in html, of_facts in html) == (True, True)
    FactEnding.objects.all().delete()
    assert of_questions not in page(alice_client, "review")


def test_the_latest_questions_come_before_facts_to_review_and_all_are_listed(
    as_alice, alice_client, monkeypatch
):
    monkeypatch.setattr(review, "MAX_ENDINGS", 1)
    for listing in (queries.endings_to_review, queries.waiting_facts):
        shorten(monkeypatch, listing, 2)
    say_job(as_alice)
    for day in (2, 3, 4):
        say_over(as_alice, day)
    drawer = say(as_alice, "I like tea, milk and rye.", 5)
    for word in ("tea", "milk", "rye"):
        learn(drawer, word, f"The user likes {word}.", review_reason="Unsure.")
    for path, found in (("", [(1, 2), (0, 1)]), ("?show=endings", [(2, 0), (1, 0)])):
        pages = all_pages(alice_client, reverse("memory:review") + path)
        assert [(html.count('id="ending-'), html.count('data-key="x"')) for html in pages] == found
    back = "Show everything to review"
    html = page(alice_client, "review")
    assert ('href="?show=endings">Show all 3 questions' in html, back in html) == (True, False)
    assert back in page(alice_client, "review", show="endings")
    FactEnding.objects.all().delete()
    response = alice_client.get(reverse("memory:review"), {"show": "endings"})
    assert response.url == reverse("memory:review"), "every question was answered"


@pytest.mark.parametrize("quote", ["<script>alert(1)</script>", "&amp;<b>'\"", "\u202eabc", "x" * 100_000])
def test_hostile_words_stay_words(as_alice, alice_client, quote):
    say_job(as_alice)
    reread(say(as_alice, quote, 2), "Unsure.", quote, value="Seat", object="Seat")
    html = page(alice_client, "review")
    assert "You may have said that this is over:" in html
    assert ("<script>alert" in html, len(html) < 60_000) == (False, True)


def test_programs_list_what_may_have_ended_and_confirm_what_has_not(alice, bob, doubted):
    own, other = api_client(alice), api_client(bob)
    [item] = send(own, "GET", "/api/v1/review/endings").json()["items"]
    assert (item["fact"]["id"], item["quote"]["text"]) == (str(doubted.id), "Seat")
    assert send(other, "GET", "/api/v1/review/endings").json()["items"] == []
    assert send(other, "POST", f"/api/v1/facts/{doubted.id}/confirm").status_code == 404
    reader = api_client(alice, "read")
    assert len(send(reader, "GET", "/api/v1/review/endings").json()["items"]) == 1
    assert send(reader, "POST", f"/api/v1/facts/{doubted.id}/confirm").status_code == 403
    decision = send(own, "POST", f"/api/v1/facts/{doubted.id}/confirm").json()
    assert send(own, "GET", "/api/v1/review/endings").json()["items"] == []
    send(own, "POST", f"/api/v1/undo/{decision['id']}")
    assert len(send(own, "GET", "/api/v1/review/endings").json()["items"]) == 1
