from datetime import timedelta

import pytest
from django.urls import reverse

from accounts.models import User
from memory.models import Drawer
from memory.projections.insights import InsightView, insights
from tests.html import check_fragment
from tests.memory.pages.forms import HTMX, page
from tests.memory.palaces import MONDAY, learn


@pytest.fixture
def insight(as_alice: User, bread: list[Drawer]) -> InsightView:
    one = {"key": "home_city", "single_valued": True, "predicate": "lives_in"}
    learn(bread[1], "Porto", "The user lives in Porto.", value="Porto", **one)
    later = MONDAY + timedelta(days=9)
    learn(bread[2], "oven", "The user lives in Oslo.", **one, valid_from=later)
    as_alice.refresh_from_db()
    (found,) = insights(as_alice.id).items
    return found


def test_a_pattern_is_shown_with_its_facts_and_can_be_dismissed_and_restored(alice_client, insight, bread):
    html = page(alice_client, "profile")
    assert "Your home city changed once: Porto → oven." in html
    assert "Based on 2 facts" in html
    assert "You used to live in Porto." in html
    assert reverse("memory:drawer", args=[bread[1].id]) in html

    dismiss = reverse("memory:dismiss_insight", args=[insight.id])
    restore = reverse("memory:restore_insight", args=[insight.id])
    assert alice_client.post(dismiss)["Location"] == reverse("memory:profile", fragment="insights")
    assert "changed once" not in page(alice_client, "profile")
    assert "changed once" in page(alice_client, "profile", dismissed=1)
    activity = page(alice_client, "activity")
    assert "dismissed" in activity
    alice_client.post(restore)
    assert "changed once" in page(alice_client, "profile")

    html = check_fragment(alice_client.post(dismiss, headers=HTMX))
    assert 'hx-swap-oob="beforeend:#toasts"' in html
    assert restore in html
