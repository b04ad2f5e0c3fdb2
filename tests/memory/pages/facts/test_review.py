import re
from datetime import timedelta

import pytest
from django.urls import reverse

from memory.facts.queries import count_by_status
from memory.mining.screening import NOT_CONFIDENT
from memory.models import ActivityEvent, Fact
from tests.html import check_fragment, check_page, parse
from tests.memory.pages.forms import HTMX, page, undo_in
from tests.memory.palaces import MONDAY, learn

SINGLE = {"key": "home_city", "single_valued": True, "predicate": "lives_in"}
UNDO = "/memory/undo/"


@pytest.fixture
def pending(bread):
    return learn(bread[2], "too hot", "Has an oven that is too hot.", review_reason="Unsure.")


@pytest.fixture
def competing(bread):
    known = learn(bread[0], "rye", "Lives in Rye.", value="Rye", **SINGLE)
    later = MONDAY + timedelta(days=1)
    claimed = learn(bread[1], "Porto", "Lives in Porto.", valid_from=later, authority="assistant", **SINGLE)
    return known, claimed


def post(client, name, fact, headers=None, **data):
    return client.post(reverse(f"memory:{name}", args=[fact.id]), data, headers=headers)


def status_of(fact):
    fact.refresh_from_db()
    return fact.status


def test_the_review_does_not_show_the_same_words_twice(alice_client, bread):
    words = "gave it to me in Porto"
    learn(bread[1], words, f"The user said: “{words}”", review_reason="Unsure.")
    html = page(alice_client, "review")
    assert re.search(r'class="act-quote" href="[^"]+">Source<', html)
    assert f">{words}</q>" not in html


def test_the_review_shows_quotes_reasons_and_competing_facts_with_few_queries(
    alice_client, pending, competing, django_assert_max_num_queries
):
    with django_assert_max_num_queries(25):
        html = page(alice_client, "review")
    assert "Has an oven that is too hot." in html
    assert "Unsure." in html
    assert '<q dir="auto">too hot</q>' in html
    assert re.search(r'class="nav-count">2<', html)
    assert html.index("Lives in Porto.") < html.index("Lives in Rye.")
    assert "It contradicts:" in html
    assert html.count("Where do you live?") == 1
    assert "Approve to end that fact" in html
    assert "Keep both" in html
    assert "It contradicts" in page(alice_client, "fact", competing[1].id)
    for fact in (pending, competing[1]):
        post(alice_client, "reject", fact)
    html = page(alice_client, "review")
    assert "Nothing to review" in html
    assert "nav-count" not in html


def test_facts_extracted_without_confidence_are_labelled_unsure(alice_client, bread):
    learn(bread[2], "too hot", "Has an oven that is too hot.", review_reason=NOT_CONFIDENT, confidence=0.9)
    html = page(alice_client, "review")
    assert ">unsure<" in html
    assert ">certain<" not in html
    assert NOT_CONFIDENT not in html


def test_the_review_says_why_a_certain_fact_waits(alice_client, bread):
    learn(bread[2], "too hot", "Has an oven that is too hot.", review_reason="It is odd.", confidence=0.9)
    html = page(alice_client, "review")
    assert "<span>It is odd.</span>" in html
    assert not any(f">{word}<" in html for word in ("certain", "likely", "unsure"))


def test_a_fact_is_decided_only_once_but_can_return_to_review(alice_client, pending):
    post(alice_client, "reject", pending)
    for name in ("approve", "reject", "keep_both"):
        address = reverse(f"memory:{name}", args=[pending.id])
        html = check_page(alice_client.post(address, follow=True))
        assert "in another window" in html
        assert pending.statement in html
        part = check_fragment(alice_client.post(address, headers=HTMX))
        assert parse(part).elements[0].attributes["id"] == f"fact-{pending.id}"
        assert "in another window" in part
    assert status_of(pending) == "rejected"

    reconsider = reverse("memory:reconsider", args=[pending.id])
    more = alice_client.get(reverse("memory:fact", args=[pending.id]), headers=HTMX)
    assert reconsider in check_fragment(more)
    alice_client.post(reconsider)
    assert status_of(pending) == "pending_review"


def test_a_fact_deleted_in_another_window_is_not_found(alice_client, pending):
    post(alice_client, "approve", pending)
    first = ActivityEvent.objects.get(kind="fact_decided")
    post(alice_client, "delete_fact", pending)
    for name in ("approve", "reject", "keep_both", "reconsider", "end_fact"):
        assert post(alice_client, name, pending).status_code == 404
    undo = alice_client.post(reverse("memory:undo", args=[first.id]), follow=True)
    assert "This was changed again later. Undo that first." in check_page(undo)


def test_several_facts_are_decided_and_undone_together(alice_client, bob_client, pending, competing):
    def decide(client=alice_client, **data):
        return client.post(reverse("memory:decide"), data, follow=True)

    for data in ({}, {"action": "approve"}, {"action": "x", "fact": "y"}):
        assert "Select the facts" in check_page(decide(**data))
    assert decide(bob_client, action="approve", fact=[pending.id]).status_code == 404
    assert status_of(pending) == "pending_review"

    ids = [pending.id, competing[1].id]
    html = check_page(decide(action="reject", fact=ids))
    assert "2 facts reviewed." in html
    assert Fact.objects.filter(status="rejected").count() == 2
    assert ActivityEvent.objects.filter(kind="fact_decided").count() == 1
    alice_client.post(undo_in(html, UNDO))
    assert Fact.objects.filter(status="pending_review").count() == 2

    post(alice_client, "reject", pending)
    html = check_page(decide(action="approve", fact=ids))
    assert "1 fact reviewed. The others were already reviewed in another window" in html
    assert status_of(pending) == "rejected"
    html = check_page(decide(action="approve", fact=ids))
    assert "These facts were already reviewed in another window." in html


def test_two_facts_can_be_merged(alice_client, pending, competing):
    for into in ("", "nonsense", str(pending.id)):
        assert post(alice_client, "merge", pending, into=into).status_code == 404
    post(alice_client, "merge", pending, into=competing[0].id)
    assert competing[0].sources.count() == 2
    assert alice_client.get(reverse("memory:fact", args=[pending.id])).status_code == 404
    counts = count_by_status(pending.user_id)
    assert counts == {"active": 2, "pending_review": 1}


def test_a_decided_row_says_what_was_decided_and_the_badges_follow(alice_client, pending, competing):
    for name, words in (("approve", "Approved:"), ("reject", "Rejected:")):
        fact = pending if name == "approve" else competing[1]
        html = check_fragment(post(alice_client, name, fact, headers=HTMX))
        assert f"<strong>{words}</strong>" in html
        assert fact.sentence in html
        assert 'class="choose"' not in html
        assert "data-undo" in html
        left = re.search(r'<span hx-swap-oob="innerHTML:.nav-waiting">(.*?)</span>\n', html, re.S)[1]
        assert (">1<" in left) == (name == "approve"), "the badges say how many are left"
    assert 'class="nav-waiting"' in page(alice_client, "review")


@pytest.mark.parametrize(("name", "ended"), [("end_fact", 1), ("delete_fact", 0)])
def test_the_counts_of_the_list_follow_a_decision_made_in_it(alice_client, bread, name, ended):
    kept, gone = (learn(bread[0], words, f"Likes {words}.", kind="preference") for words in ("rye", "seven"))
    listed = page(alice_client, "facts")
    here = {**HTMX, "HX-Current-URL": f"http://testserver{reverse('memory:facts')}?q=likes"}
    html = check_fragment(post(alice_client, name, gone, headers=here))
    for status, count in (("active", 2), ("superseded", ended), ("preference", 1)):
        assert f'id="count-{status}"' in listed
        assert f'<span hx-swap-oob="innerHTML:#count-{status}">{count}</span>' in html
    assert ("<strong>Moved to Past:</strong>" in html) == bool(ended)
    elsewhere = check_fragment(post(alice_client, "end_fact", kept, headers=HTMX))
    assert "#count-" not in elsewhere
