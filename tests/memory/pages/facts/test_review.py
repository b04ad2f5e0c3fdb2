import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from memory.mining.screening import NOT_CONFIDENT
from memory.models import ActivityEvent, Drawer, Fact
from tests.html import check_fragment, check_page, parse
from tests.memory.pages.forms import HTMX, page, undo_in
from tests.memory.palaces import MONDAY, learn

SINGLE = {"key": "home_city", "single_valued": True, "predicate": "lives_in"}
UNDO = "/memory/undo/"


@pytest.fixture
def waiting(bread: list[Drawer]) -> Fact:
    return learn(bread[2], "too hot", "Has an oven that is too hot.", review_reason="Unsure.")


@pytest.fixture
def rivals(bread: list[Drawer]) -> tuple[Fact, Fact]:
    known = learn(bread[0], "rye", "Lives in Rye.", value="Rye", **SINGLE)
    later = MONDAY + timedelta(days=1)
    claimed = learn(bread[1], "Porto", "Lives in Porto.", valid_from=later, authority="assistant", **SINGLE)
    return known, claimed


def post(client: Client, name: str, fact: Fact, **data: object):
    return client.post(reverse(f"memory:{name}", args=[fact.id]), data)


def status_of(fact: Fact) -> str:
    fact.refresh_from_db()
    return fact.status


def test_the_inbox_shows_words_reasons_and_rivals_with_few_queries(
    alice_client, waiting, rivals, django_assert_max_num_queries
):
    with django_assert_max_num_queries(25):
        html = page(alice_client, "review")
    assert "Has an oven that is too hot." in html
    assert "Unsure." in html
    assert '<q dir="auto">too hot</q>' in html
    assert re.search(r'class="nav-count">2<', html)
    assert html.index("Lives in Porto.") < html.index("Lives in Rye.")
    assert "instead of" in html
    assert html.count("Where do you live?") == 1
    assert "Keep both" in html
    assert "It contradicts" in page(alice_client, "fact", rivals[1].id)
    for fact in (waiting, rivals[1]):
        post(alice_client, "reject", fact)
    html = page(alice_client, "review")
    assert "Nothing to review" in html
    assert "nav-count" not in html


def test_what_was_read_without_confidence_is_called_unsure(alice_client, bread):
    learn(bread[2], "too hot", "Has an oven that is too hot.", review_reason=NOT_CONFIDENT, confidence=0.9)
    html = page(alice_client, "review")
    assert "unsure" in html
    assert ">certain<" not in html
    assert NOT_CONFIDENT not in html


def test_a_fact_is_decided_only_once_but_can_wait_again(alice_client, waiting):
    post(alice_client, "reject", waiting)
    for name in ("approve", "reject", "keep_both"):
        address = reverse(f"memory:{name}", args=[waiting.id])
        html = check_page(alice_client.post(address, follow=True))
        assert "in another window" in html
        assert waiting.statement in html
        part = check_fragment(alice_client.post(address, headers=HTMX))
        assert parse(part).elements[0].attributes["id"] == f"fact-{waiting.id}"
        assert "in another window" in part
    assert status_of(waiting) == "rejected"

    reconsider = reverse("memory:reconsider", args=[waiting.id])
    more = alice_client.get(reverse("memory:fact", args=[waiting.id]), headers=HTMX)
    assert reconsider in check_fragment(more)
    alice_client.post(reconsider)
    assert status_of(waiting) == "pending_review"


def test_a_fact_deleted_in_another_window_is_not_found(alice_client, waiting):
    post(alice_client, "approve", waiting)
    first = ActivityEvent.objects.get(kind="fact_decided")
    post(alice_client, "delete_fact", waiting)
    for name in ("approve", "reject", "keep_both", "reconsider", "end_fact"):
        assert post(alice_client, name, waiting).status_code == 404
    undo = alice_client.post(reverse("memory:undo", args=[first.id]), follow=True)
    assert "This was changed again later. Undo that first." in check_page(undo)


def test_several_are_decided_and_undone_together(alice_client, bob_client, waiting, rivals):
    def decide(client=alice_client, **data):
        return client.post(reverse("memory:decide"), data, follow=True)

    for data in ({}, {"action": "approve"}, {"action": "x", "fact": "y"}):
        assert "Select the facts" in check_page(decide(**data))
    assert decide(bob_client, action="approve", fact=[waiting.id]).status_code == 404
    assert status_of(waiting) == "pending_review"

    ids = [waiting.id, rivals[1].id]
    html = check_page(decide(action="reject", fact=ids))
    assert "2 facts reviewed." in html
    assert Fact.objects.filter(status="rejected").count() == 2
    assert ActivityEvent.objects.filter(kind="fact_decided").count() == 1
    alice_client.post(undo_in(html, UNDO))
    assert Fact.objects.filter(status="pending_review").count() == 2

    post(alice_client, "reject", waiting)
    html = check_page(decide(action="approve", fact=ids))
    assert "1 fact reviewed. The others were already reviewed in another window" in html
    assert status_of(waiting) == "rejected"
    html = check_page(decide(action="approve", fact=ids))
    assert "These facts were already reviewed in another window." in html


def test_two_facts_become_one(alice_client, waiting, rivals):
    for into in ("", "nonsense", str(waiting.id)):
        assert post(alice_client, "merge", waiting, into=into).status_code == 404
    post(alice_client, "merge", waiting, into=rivals[0].id)
    assert rivals[0].sources.count() == 2
    assert alice_client.get(reverse("memory:fact", args=[waiting.id])).status_code == 404
