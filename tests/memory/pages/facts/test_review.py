import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from memory.models import ActivityEvent, Drawer, Fact
from tests.html import check_fragment, check_page, parse
from tests.memory.palaces import MONDAY, learn

HTMX = {"HX-Request": "true"}
SINGLE = {"key": "home_city", "single_valued": True, "predicate": "lives_in"}


@pytest.fixture
def waiting(bread: list[Drawer]) -> Fact:
    return learn(bread[2], "too hot", "Has an oven that is too hot.", review_reason="Unsure.")


@pytest.fixture
def rivals(bread: list[Drawer]) -> tuple[Fact, Fact]:
    known = learn(bread[0], "rye", "Lives in Rye.", value="Rye", **SINGLE)
    later = MONDAY + timedelta(days=1)
    claimed = learn(bread[1], "Porto", "Lives in Porto.", valid_from=later, authority="assistant", **SINGLE)
    return known, claimed


def inbox(client: Client) -> str:
    return check_page(client.get(reverse("memory:review")))


def undo_url(html: str) -> str:
    (url,) = {
        element.attributes["action"]
        for element in parse(html).elements
        if element.tag == "form" and "/decisions/" in element.attributes["action"]
    }
    return url


def test_what_waits_stands_with_its_words_and_its_reason(alice_client: Client, waiting: Fact):
    html = inbox(alice_client)

    assert "Has an oven that is too hot." in html
    assert "Unsure." in html
    assert '<blockquote dir="auto">too hot</blockquote>' in html
    assert re.search(r'class="nav-count">1<', html)


def test_nothing_waits(alice_client: Client, bread: list[Drawer]):
    html = inbox(alice_client)

    assert "Nothing waits" in html
    assert "nav-count" not in html


@pytest.mark.parametrize(("decision", "status"), [("approve", "active"), ("reject", "rejected")])
def test_a_decision_holds_and_can_be_taken_back(
    alice_client: Client, waiting: Fact, decision: str, status: str
):
    response = alice_client.post(reverse(f"memory:{decision}", args=[waiting.id]), follow=True)
    waiting.refresh_from_db()
    assert waiting.status == status

    alice_client.post(undo_url(check_page(response)))
    waiting.refresh_from_db()
    assert waiting.status == "pending_review"
    assert "Has an oven" in inbox(alice_client)


def test_a_decision_by_script_swaps_the_fact_and_offers_undo(alice_client: Client, waiting: Fact):
    response = alice_client.post(reverse("memory:approve", args=[waiting.id]), headers=HTMX)

    html = check_fragment(response)
    first = parse(html).elements[0]
    assert (first.tag, first.attributes["id"]) == ("li", f"fact-{waiting.id}")
    assert 'hx-swap-oob="beforeend:#toasts"' in html
    assert undo_url(html)


def test_a_fact_is_decided_only_once(alice_client: Client, waiting: Fact):
    alice_client.post(reverse("memory:reject", args=[waiting.id]))

    for name in ("approve", "reject", "keep_both"):
        address = reverse(f"memory:{name}", args=[waiting.id])
        html = check_page(alice_client.post(address, follow=True))
        assert "in another window meanwhile" in html
        assert waiting.statement in html
        part = check_fragment(alice_client.post(address, headers=HTMX))
        assert parse(part).elements[0].attributes["id"] == f"fact-{waiting.id}"
        assert "in another window meanwhile" in part
    waiting.refresh_from_db()
    assert waiting.status == "rejected"


def test_a_fact_that_was_deleted_elsewhere_is_not_there(alice_client: Client, waiting: Fact):
    alice_client.post(reverse("memory:delete_fact", args=[waiting.id]))

    for name in ("approve", "reject", "keep_both", "reconsider", "end_fact"):
        assert alice_client.post(reverse(f"memory:{name}", args=[waiting.id])).status_code == 404


def test_of_several_only_those_that_still_wait_are_decided_about(
    alice_client: Client, waiting: Fact, rivals: tuple[Fact, Fact]
):
    Fact.objects.filter(id=rivals[0].id).update(status="pending_review")
    alice_client.post(reverse("memory:reject", args=[waiting.id]))

    ticked = {"action": "approve", "fact": [waiting.id, rivals[0].id]}
    html = check_page(alice_client.post(reverse("memory:decide"), ticked, follow=True))
    assert "Decided about 1 fact. The others were decided about in another window" in html
    waiting.refresh_from_db()
    assert waiting.status == "rejected"
    html = check_page(alice_client.post(reverse("memory:decide"), ticked, follow=True))
    assert "All of these were decided about in another window meanwhile." in html


def test_a_decided_fact_can_wait_again(alice_client: Client, waiting: Fact):
    alice_client.post(reverse("memory:reject", args=[waiting.id]))
    reconsider = reverse("memory:reconsider", args=[waiting.id])
    assert reconsider in check_page(alice_client.get(reverse("memory:facts") + "?status=rejected"))
    alice_client.post(reconsider)

    waiting.refresh_from_db()
    assert waiting.status == "pending_review"


def test_a_contradiction_stands_side_by_side(alice_client: Client, rivals: tuple[Fact, Fact]):
    html = inbox(alice_client)

    assert html.index("Lives in Porto.") < html.index("Lives in Rye.")
    assert "What is known holds" in html
    page = check_page(alice_client.get(reverse("memory:fact", args=[rivals[1].id])))
    assert "It contradicts" in page


@pytest.mark.parametrize(
    ("choice", "known", "claimed"),
    [
        ("approve", "superseded", "active"),
        ("reject", "active", "rejected"),
        ("keep_both", "active", "active"),
    ],
)
def test_one_the_other_or_both(
    alice_client: Client, rivals: tuple[Fact, Fact], choice: str, known: str, claimed: str
):
    alice_client.post(reverse(f"memory:{choice}", args=[rivals[1].id]))

    for fact, status in zip(rivals, (known, claimed), strict=True):
        fact.refresh_from_db()
        assert fact.status == status


def test_several_are_decided_at_once_and_taken_back_at_once(
    alice_client: Client, waiting: Fact, rivals: tuple[Fact, Fact]
):
    ids = [waiting.id, rivals[1].id]
    response = alice_client.post(reverse("memory:decide"), {"action": "reject", "fact": ids}, follow=True)
    html = check_page(response)
    assert "Decided about 2 facts." in html
    assert Fact.objects.filter(status="rejected").count() == 2
    assert ActivityEvent.objects.filter(kind="fact_decided").count() == 1

    alice_client.post(undo_url(html))
    assert Fact.objects.filter(status="pending_review").count() == 2


@pytest.mark.parametrize("data", [{}, {"action": "approve"}, {"action": "x", "fact": "y"}])
def test_without_a_tick_nothing_is_decided(alice_client: Client, waiting: Fact, data):
    response = alice_client.post(reverse("memory:decide"), data, follow=True)

    assert "Tick the facts" in check_page(response)
    waiting.refresh_from_db()
    assert waiting.status == "pending_review"


def test_what_is_somebody_elses_is_not_decided_along(bob_client: Client, bob: User, waiting: Fact):
    response = bob_client.post(reverse("memory:decide"), {"action": "approve", "fact": [waiting.id]})

    assert response.status_code == 404


def test_two_become_one(alice_client: Client, waiting: Fact, rivals: tuple[Fact, Fact]):
    merge = reverse("memory:merge", args=[waiting.id])
    for into in ("", "nonsense", str(waiting.id)):
        assert alice_client.post(merge, {"into": into}).status_code == 404
    alice_client.post(merge, {"into": rivals[0].id})

    assert rivals[0].sources.count() == 2
    assert alice_client.get(reverse("memory:fact", args=[waiting.id])).status_code == 404


def test_what_was_decided_since_comes_first(alice_client: Client, waiting: Fact):
    alice_client.post(reverse("memory:approve", args=[waiting.id]))
    first = ActivityEvent.objects.get(kind="fact_decided")
    alice_client.post(reverse("memory:delete_fact", args=[waiting.id]))
    response = alice_client.post(reverse("memory:undo_decision", args=[first.id]), follow=True)

    assert "decided about this since" in check_page(response)


def test_decisions_are_among_what_happened(alice_client: Client, waiting: Fact):
    alice_client.post(reverse("memory:approve", args=[waiting.id]))
    event = ActivityEvent.objects.get(kind="fact_decided")
    html = check_page(alice_client.get(reverse("memory:activity")))

    assert reverse("memory:undo_decision", args=[event.id]) in html
    assert "Has an oven that is too hot." in html


def test_the_inbox_asks_little(
    alice_client: Client,
    bread: list[Drawer],
    django_assert_max_num_queries: DjangoAssertNumQueries,
):
    for word in ("feed", "rye", "starter", "morning"):
        learn(bread[0], word, f"Said {word}.", review_reason="Unsure.")
    with django_assert_max_num_queries(25):
        inbox(alice_client)
