"""The cost of the models: for their user, and for the staff of the site."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import operator, tenant
from memory.models import MemoryPreferences, Usage
from memory.pages.activity.cost import costs_of, costs_of_site, requested_month
from memory.usage.budgets import month_of
from tests.drills.ledger import NOW
from tests.html import check_page

URL = "/memory/activity/cost/"
MARCH = month_of(NOW, UTC)


def spend(user, amount, **changes):
    fields = {"source": "memory_extract", "model": "openai/gpt-4o-mini", "input_tokens": 1200}
    fields |= {"latency_ms": 1300, "at": timezone.now()}
    cost = None if amount is None else Decimal(amount)
    with tenant(user.id):
        Usage.objects.create(user_id=user.id, cost_usd=cost, **fields | changes)


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


def test_budget_and_spending_are_shown_and_a_spent_budget_is_reported(alice_client, as_alice, settings):
    preferences = MemoryPreferences.objects.create(user_id=as_alice.id, monthly_budget=Decimal("5"))
    spend(as_alice, "0.999999")
    html = check_page(alice_client.get(URL))
    for words in ('max="5.00"', 'value="0.999999"', "1.00 of 5.00 USD"):
        assert words in " ".join(html.split())
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
    preferences.delete()
    settings.MONTHLY_BUDGET = Decimal(2)
    assert "Set by the owner of this site." in check_page(alice_client.get(URL))
    html = check_page(alice_client.get(reverse("memory:settings")))
    assert "limits you to 2.00 USD a month; you can set less" in html


def test_costs_of_a_month_are_summed_by_purpose_and_model_most_expensive_first(as_alice):
    spend(as_alice, "0.25", at=MARCH.start, latency_ms=400)
    spend(as_alice, "0.5", at=NOW, latency_ms=1000, estimated=True)
    spend(as_alice, "3", at=NOW, source="chat", model="dear")
    spend(as_alice, None, at=NOW, source="chat", model="odd")
    spend(as_alice, "0", at=NOW, source="memory_embed", model="local", calls=5)
    for at in (MARCH.start - timedelta(seconds=1), MARCH.end):
        spend(as_alice, "9", at=at)
    costs = costs_of(as_alice.id, MARCH, UTC)
    dear, extraction, *others = costs.lines
    assert (dear.name, dear.model, dear.cost_usd, dear.unpriced) == ("Chat", "dear", Decimal(3), 0)
    assert (extraction.name, extraction.calls, extraction.cost_usd) == ("Extraction", 2, Decimal("0.75"))
    assert (extraction.input_tokens, extraction.seconds, extraction.estimated) == (2400, 0.7, True)
    totals = {line.model: (line.calls, line.cost_usd, line.unpriced) for line in others}
    assert totals == {"local": (5, Decimal(0), 0), "odd": (1, Decimal(0), 1)}
    assert (costs.calls, costs.cost_usd, costs.unpriced) == (9, Decimal("3.75"), 1)
    wrong = dict.fromkeys(("", "2030-13", "x", "9999-01"), (2031, 3))
    for text, month in {"2030-12": (2030, 12), **wrong}.items():
        found = requested_month({"month": text}, NOW, UTC)
        assert (found.start.year, found.start.month) == month


def test_daily_costs_follow_the_users_time_zone(as_alice):
    late = datetime(2031, 3, 5, 22, 30, tzinfo=UTC)
    spend(as_alice, "0", at=late)
    (day,) = costs_of(as_alice.id, MARCH, UTC).days
    assert (day.calls, day.cost_usd, day.share) == (1, Decimal(0), 0.0)
    spend(as_alice, "1", at=late)
    spend(as_alice, "0.5", at=late - timedelta(hours=5))
    (day,) = costs_of(as_alice.id, MARCH, UTC).days
    assert (day.day, day.calls, day.cost_usd, day.share) == (date(2031, 3, 5), 3, Decimal("1.5"), 1.0)
    first, second = costs_of(as_alice.id, MARCH, ZoneInfo("Asia/Kolkata")).days
    assert [(day.day.day, day.share) for day in (first, second)] == [(5, 0.5), (6, 1.0)]


def test_staff_with_permission_see_calls_and_costs_of_the_site_by_month(
    alice_client, carol_client, alice, bob
):
    spend(alice, "1.5")
    spend(bob, "0.25", source="chat", model="mystery")
    url = reverse("admin:memory_usage_month")
    html = carol_client.get(url).text
    for words in (alice.email, bob.email, "1.75", "1.50", "0.25", "mystery", "Extraction", "2 calls"):
        assert words in html
    assert url in carol_client.get(reverse("admin:memory_usage_changelist")).text
    month = month_of(timezone.now(), UTC)
    with operator():
        assert [line.name for line in costs_of_site(month, UTC).people] == [alice.email, bob.email]
    with tenant(alice.id):
        assert [line.name for line in costs_of_site(month, UTC).people] == [alice.email]
    assert alice_client.get(url).status_code in (302, 403, 404)
    with operator():
        User.objects.filter(id=alice.id).update(is_staff=True)
    assert alice_client.get(url).status_code == 403
