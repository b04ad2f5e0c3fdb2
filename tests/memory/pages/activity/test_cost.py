from decimal import Decimal

from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import operator, tenant
from memory.models import MemoryPreferences, Usage
from tests.html import check_page

URL = "/memory/activity/cost/"


def spend(user, amount, **changes):
    fields = {"source": "memory_extract", "model": "openai/gpt-4o-mini", "input_tokens": 1200}
    with tenant(user.id):
        Usage.objects.create(
            user_id=user.id,
            cost_usd=None if amount is None else Decimal(amount),
            latency_ms=1300,
            **(fields | {"at": timezone.now()} | changes),
        )


def test_the_month_is_shown_by_purpose_model_and_day(alice_client, alice, bob):
    assert "No model calls this month." in check_page(alice_client.get(URL))
    spend(bob, "7.77")
    spend(alice, "0.4", model="=1+1")
    spend(alice, "0.00001", source="memory_embed", model="text-embedding-3-small")
    spend(alice, None, source="chat", model="mystery")
    html = check_page(alice_client.get(URL))
    for words in ("Extraction", "text-embedding-3-small", "0.40", "under 0.0001", "1.3", "unknown"):
        assert words in html
    assert "1 call of unknown price" in html
    assert html.count("<progress") == 1
    assert "No spending limit." in html
    assert "7.77" not in html


def test_budget_and_spending_are_shown_and_a_spent_budget_is_reported(alice_client, as_alice):
    preferences = MemoryPreferences.objects.create(user_id=as_alice.id, monthly_budget=Decimal("5"))
    spend(as_alice, "0.999999")
    html = check_page(alice_client.get(URL))
    assert 'max="5.00"' in html
    assert 'value="0.999999"' in html
    assert "1.00 of 5.00 USD" in " ".join(html.split())

    preferences.monthly_budget = Decimal("1")
    preferences.save()
    pages = [reverse(name) for name in ("memory:cost", "memory:palace", "memory:settings")]
    for url in pages:
        assert "is spent. Until" not in check_page(alice_client.get(url))
    spend(as_alice, "0.000001")
    for url in pages:
        html = check_page(alice_client.get(url))
        assert "budget of 1.00 USD is spent. Until 1 " in html
        assert "come from your memory only" in html


def test_a_budget_set_by_the_site_is_labelled(alice_client, alice, settings):
    settings.MONTHLY_BUDGET = Decimal(2)
    assert "Set by the owner of this site." in check_page(alice_client.get(URL))
    html = check_page(alice_client.get(reverse("memory:settings")))
    assert "limits you to 2.00 USD a month; you can set less" in html


def test_staff_see_calls_and_costs_of_the_site_by_month(carol_client, alice, bob):
    spend(alice, "1.5")
    spend(bob, "0.25", source="chat", model="mystery")
    url = reverse("admin:memory_usage_month")
    html = carol_client.get(url).content.decode()
    assert alice.email in html
    assert bob.email in html
    for words in ("1.75", "1.50", "0.25", "mystery", "Extraction", "2 calls"):
        assert words in html
    assert url in carol_client.get(reverse("admin:memory_usage_changelist")).content.decode()


def test_costs_of_the_site_are_shown_only_to_staff_with_permission(alice_client, alice):
    assert alice_client.get(reverse("admin:memory_usage_month")).status_code in (302, 403, 404)
    with operator():
        User.objects.filter(id=alice.id).update(is_staff=True)
    assert alice_client.get(reverse("admin:memory_usage_month")).status_code == 403
