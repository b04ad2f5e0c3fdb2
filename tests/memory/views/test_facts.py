import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from memory import knowledge
from memory.models import Drawer, Fact
from tests.html import check_fragment, check_page, parse
from tests.memory.palaces import file, learn

HTMX = {"HX-Request": "true"}


@pytest.fixture
def waiting(bread: list[Drawer]) -> Fact:
    return learn(bread[2], "too hot", "Has an oven that is too hot.", review_reason="Unsure.")


def listed(client: Client, status: str) -> str:
    return check_page(client.get(reverse("memory:facts", query={"status": status})))


def test_facts_stand_with_the_words_they_rest_on(alice_client: Client, bread: list[Drawer]):
    html = listed(alice_client, "active")

    assert "Feeds a rye starter every morning." in html
    assert '<blockquote dir="auto">rye starter every morning</blockquote>' in html
    assert reverse("memory:drawer", args=[bread[0].id]) in html
    assert "90 % sure" in html


def test_words_in_the_trash_are_not_quoted(alice_client: Client, as_alice: User):
    first, second = file(as_alice.id, ["I like rye bread.", "Truly, I like rye bread."])
    fact = learn(first, "I like rye", "Likes rye.")
    assert fact.sources.create(user_id=as_alice.id, drawer_id=second.id, start=7, end=17)
    alice_client.post(reverse("memory:delete_drawer", args=[second.id]))

    html = listed(alice_client, "active")

    assert html.count("<blockquote") == 1


@pytest.mark.parametrize(("decision", "status"), [("approve", "active"), ("reject", "rejected")])
def test_a_decision_holds_and_can_be_taken_back(
    alice_client: Client, waiting: Fact, decision: str, status: str
):
    response = alice_client.post(reverse(f"memory:{decision}", args=[waiting.id]))
    waiting.refresh_from_db()
    assert waiting.status == status
    assert response["Location"].endswith(f"?status={status}#fact-{waiting.id}")

    undo = reverse("memory:reconsider", args=[waiting.id])
    assert undo in listed(alice_client, status)
    alice_client.post(undo)
    waiting.refresh_from_db()
    assert waiting.status == "pending_review"
    assert "Has an oven" in listed(alice_client, "pending_review")


def test_a_decision_by_script_swaps_the_fact_and_offers_undo(alice_client: Client, waiting: Fact):
    response = alice_client.post(reverse("memory:approve", args=[waiting.id]), headers=HTMX)

    html = check_fragment(response)
    first = parse(html).elements[0]
    assert (first.tag, first.attributes["id"]) == ("li", f"fact-{waiting.id}")
    assert 'hx-swap-oob="beforeend:#toasts"' in html
    assert reverse("memory:reconsider", args=[waiting.id]) in html


def test_a_fact_is_decided_only_once(alice_client: Client, waiting: Fact):
    alice_client.post(reverse("memory:reject", args=[waiting.id]))

    for name in ("approve", "reject"):
        assert alice_client.post(reverse(f"memory:{name}", args=[waiting.id])).status_code == 404


def test_an_unknown_status_is_not_there(alice_client: Client, alice: User):
    response = alice_client.get(reverse("memory:facts", query={"status": "nonsense"}))

    assert response.status_code == 404


def test_long_lists_go_on(
    alice_client: Client,
    as_alice: User,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_max_num_queries: DjangoAssertNumQueries,
):
    monkeypatch.setattr(knowledge, "PAGE", 2)
    drawer = file(as_alice.id, ["one two three four five"])[0]
    for word in drawer.content.split():
        learn(drawer, word, f"Said {word} once.")

    seen, query = [], "?status=active"
    with django_assert_max_num_queries(30):
        while query:
            page = parse(check_page(alice_client.get(reverse("memory:facts") + query)))
            seen += [e.words for e in page.elements if e.tag == "blockquote"]
            following = [e for e in page.elements if e.attributes.get("rel") == "next"]
            query = following[0].attributes["href"] if following else ""

    assert sorted(seen) == sorted(drawer.content.split())
