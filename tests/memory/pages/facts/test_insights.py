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
    return check_page(client.get(reverse("memory:profile", query=query)))


def test_a_pattern_is_shown_with_its_facts_and_can_be_dismissed_and_restored(alice_client, insight, bread):
    html = shown(alice_client)
    assert "Your home city changed once: Porto → oven." in html
    assert "Based on 2 facts" in html
    assert "You used to live in Porto." in html
    assert reverse("memory:drawer", args=[bread[1].id]) in html

    dismiss = reverse("memory:dismiss_insight", args=[insight.id])
    restore = reverse("memory:restore_insight", args=[insight.id])
    assert alice_client.post(dismiss)["Location"] == reverse("memory:profile", fragment="insights")
    assert "changed once" not in shown(alice_client)
    assert "changed once" in shown(alice_client, dismissed=1)
    activity = check_page(alice_client.get(reverse("memory:activity")))
    assert "1 insight" in activity
    assert "dismissed" in activity
    alice_client.post(restore)
    assert "changed once" in shown(alice_client)

    html = check_fragment(alice_client.post(dismiss, headers=HTMX))
    assert 'hx-swap-oob="beforeend:#toasts"' in html
    assert restore in html
