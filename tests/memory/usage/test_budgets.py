from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from accounts.models import User
from accounts.tenancy import operator, tenant
from llm import current
from llm.configuration import LlmConfiguration
from llm.embedding_models import BGE_SMALL
from llm.metering import Price
from memory.forgetting.trash import delete
from memory.models import Drawer, MemoryPreferences, Usage
from memory.organize.notes import Note, NoteRefused, save_note
from memory.preferences import preferences_of
from memory.usage.budgets import BudgetSpent, budget_of, month_of, require_budget
from memory.usage.quota import limit_of, quota_of
from memory.usage.records import Purpose
from tests.drills.ledger import NOW

PAID = "openai/gpt-4o-mini"


def prefer(user, **choices):
    MemoryPreferences.objects.create(user_id=user.id, **choices)


def spend(user, amount, at=NOW, source="memory_extract"):
    cost = None if amount is None else Decimal(amount)
    Usage.objects.create(user_id=user.id, source=source, model="m", cost_usd=cost, at=at)


def budget(user):
    return budget_of(preferences_of(user.id), NOW)


def admitted(user, model=PAID, source="memory_extract", now=NOW):
    try:
        require_budget(Purpose(user.id, source, now), model)
    except BudgetSpent:
        return False
    return True


@pytest.fixture
def configured():
    """Puts another configuration into force for the length of a test."""
    before = current.configuration()
    yield lambda **changes: current.configure(replace(LlmConfiguration(), **changes))
    current.configure(before)


@pytest.mark.parametrize("amount", [None, 0])
def test_without_a_budget_nothing_is_held_back(as_alice, amount):
    spend(as_alice, "9999")
    assert admitted(as_alice)
    prefer(as_alice, monthly_budget=amount)
    assert admitted(as_alice)
    found = budget(as_alice)
    assert (found.limit, found.spent, found.is_spent) == (None, Decimal("9999"), False)


def test_the_budget_holds_until_its_last_cent(as_alice):
    prefer(as_alice, monthly_budget=Decimal("1.00"))
    spend(as_alice, None)
    assert budget(as_alice).spent == 0, "calls of unknown price count for nothing"
    spend(as_alice, "0.999999")
    assert admitted(as_alice)
    spend(as_alice, "0.000001")
    assert not admitted(as_alice)
    assert budget(as_alice).is_spent


def test_a_new_month_begins_with_nothing_spent_by_the_persons_own_clock(as_alice):
    prefer(as_alice, monthly_budget=Decimal(1), time_zone="Pacific/Auckland")
    last = datetime(2031, 3, 31, 10, 59, tzinfo=UTC)  # 23:59 in Auckland
    spend(as_alice, "1", at=last)
    assert not admitted(as_alice, now=last)
    assert admitted(as_alice, now=last.replace(hour=11, minute=0))
    assert admitted(as_alice, now=datetime(2031, 2, 27, tzinfo=UTC))


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Sao_Paulo", "UTC", "Asia/Kolkata"])
def test_months_meet_without_a_gap(zone):
    for month in range(1, 13):
        found = month_of(datetime(2030, month, 15, tzinfo=UTC), ZoneInfo(zone))
        following = month_of(found.end, ZoneInfo(zone))
        assert following.start == found.end
        assert (found.start.day, found.start.hour, found.start.month) == (1, 0, month)
        assert 28 <= (found.end - found.start).total_seconds() / 86_400 <= 31.1


def test_free_models_are_never_held_back(as_alice, configured):
    prefer(as_alice, monthly_budget=Decimal("0.01"))
    spend(as_alice, "1")
    assert admitted(as_alice, BGE_SMALL.name)
    assert not admitted(as_alice, "llama-of-nobody")
    configured(base_url="https://models.example.org/v1")
    assert not admitted(as_alice, "llama-of-nobody")
    configured(base_url="http://127.0.0.1:11434/v1")
    assert admitted(as_alice, "llama-of-nobody")
    assert not admitted(as_alice, PAID)
    configured(own_prices={"gpt-4o-mini": Price(Decimal(0), Decimal(0))})
    assert admitted(as_alice, PAID)


def test_replies_can_be_left_out_of_the_budget(as_alice):
    prefer(as_alice, monthly_budget=Decimal(1), budget_includes_chat=False)
    spend(as_alice, "5", source="chat")
    assert admitted(as_alice)
    spend(as_alice, "1")
    assert not admitted(as_alice)
    assert admitted(as_alice, source="chat")
    found = budget(as_alice)
    assert (found.spent, found.is_spent, found.stops_chat) == (Decimal(1), True, False)


@pytest.mark.parametrize(
    ("own", "site", "limit", "by_site"),
    [
        (None, None, None, False),
        (None, 3, 3, True),
        (0, 3, 3, True),
        (5, 3, 3, True),
        (2, 3, 2, False),
        (2, None, 2, False),
        (2, 0, 0, True),
    ],
)
def test_the_lower_of_the_own_budget_and_the_sites_holds(as_alice, settings, own, site, limit, by_site):
    settings.MONTHLY_BUDGET = None if site is None else Decimal(site)
    prefer(as_alice, monthly_budget=own)
    found = budget(as_alice)
    assert (found.limit, found.set_by_site) == (limit, by_site)
    assert admitted(as_alice) == (limit != 0)


def test_budgets_are_each_persons_own(alice, bob):
    for user in (alice, bob):
        with tenant(user.id):
            prefer(user, monthly_budget=Decimal(1))
    with tenant(bob.id):
        spend(bob, "1")
        assert not admitted(bob)
    with tenant(alice.id):
        assert admitted(alice)


pytestmark = pytest.mark.usefixtures("embedder")


def allow(user, drawers):
    with operator():
        User.objects.filter(id=user.id).update(drawer_quota=drawers)


def note(user, words="A note."):
    return save_note(user.id, Note(words), NOW)


def test_a_full_palace_refuses_a_note_until_a_drawer_is_deleted(as_alice, bob):
    allow(as_alice, 2)
    note(as_alice, "One.")
    assert not quota_of(as_alice.id).is_full
    drawer = note(as_alice, "Two.")
    with pytest.raises(NoteRefused, match="it has 2 of 2 drawers"):
        note(as_alice, "Three.")
    assert Drawer.objects.count() == 2
    with tenant(bob.id):
        note(bob)
        quota = quota_of(bob.id)
        assert (quota.limit, quota.is_full, quota.words) == (None, False, "")
    delete(as_alice.id, "drawer", drawer.id, NOW)
    assert quota_of(as_alice.id).kept == 1
    note(as_alice, "Another.")


@pytest.mark.parametrize(
    ("own", "site", "limit"), [(None, 7, 7), (3, 7, 3), (9, 7, 9), (0, 7, 0), (4, None, 4)]
)
def test_a_persons_own_number_comes_before_the_sites(as_alice, settings, own, site, limit):
    settings.DRAWER_QUOTA = site
    allow(as_alice, own)
    assert limit_of(as_alice.id) == limit
