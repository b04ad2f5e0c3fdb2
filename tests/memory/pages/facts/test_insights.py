from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memory.models import Drawer, Insight
from memory.projections.insights import renew_insights
from tests.html import check_fragment, check_page
from tests.memory.palaces import MONDAY, learn

HTMX = {"HX-Request": "true"}


@pytest.fixture
def insight(as_alice: User, bread: list[Drawer]) -> Insight:
    one = {"key": "home_city", "single_valued": True, "predicate": "lives_in"}
    learn(bread[1], "Porto", "The user lives in Porto.", value="Porto", **one)
    later = MONDAY + timedelta(days=9)
    learn(bread[2], "oven", "The user lives in Oslo.", **one, valid_from=later)
    as_alice.refresh_from_db()
    renew_insights(as_alice.id, MONDAY)
    return Insight.objects.get()


def shown(client: Client, **query: object) -> str:
    return check_page(client.get(reverse("memory:insights", query=query)))


def test_a_pattern_stands_with_the_facts_it_rests_on(
    alice_client: Client, insight: Insight, bread: list[Drawer]
):
    html = shown(alice_client)

    assert "Your home city changed once: Porto → oven." in html
    assert "The 2 facts it rests on" in html
    assert "The user lives in Porto." in html
    assert reverse("memory:drawer", args=[bread[1].id]) in html


def test_it_is_dismissed_and_shown_again(alice_client: Client, insight: Insight):
    response = alice_client.post(reverse("memory:dismiss_insight", args=[insight.id]))
    assert response["Location"] == reverse("memory:insights")
    assert "changed once" not in shown(alice_client)
    assert "changed once" in shown(alice_client, dismissed=1)

    alice_client.post(reverse("memory:restore_insight", args=[insight.id]))
    assert "changed once" in shown(alice_client)


def test_by_script_it_goes_and_undo_is_offered(alice_client: Client, insight: Insight):
    url = reverse("memory:dismiss_insight", args=[insight.id])
    html = check_fragment(alice_client.post(url, headers=HTMX))

    assert 'hx-swap-oob="beforeend:#toasts"' in html
    assert reverse("memory:restore_insight", args=[insight.id]) in html


def test_activity_tells_of_it(alice_client: Client, insight: Insight):
    alice_client.post(reverse("memory:dismiss_insight", args=[insight.id]))

    html = check_page(alice_client.get(reverse("memory:activity")))

    assert "1 pattern" in html
    assert "dismissed" in html
