from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from accounts.models import CacheEntry
from accounts.shared_cache import remove_expired_entries
from accounts.tenancy import visitor
from tests.at_once import at_once

pytestmark = pytest.mark.django_db


def test_it_keeps_values_for_their_time() -> None:
    assert cache.add("key", [1.5], timeout=60)
    assert not cache.add("key", [2.5], timeout=60)
    assert cache.get("key") == [1.5]
    cache.set("key", {"claims": None}, timeout=0)
    assert cache.get("key", "nothing") == "nothing"
    assert cache.add("key", 5, timeout=None)
    assert cache.get("key") == 5
    assert cache.delete("key")
    assert not cache.delete("key")


def test_what_has_expired_is_removed() -> None:
    cache.set("short", 1, timeout=60)
    cache.set("long", 1, timeout=600)
    remove_expired_entries(timezone.now() + timedelta(seconds=90))
    assert (cache.get("short"), cache.get("long")) == (None, 1)
    with visitor():
        assert "long" not in repr(CacheEntry.objects.values_list())


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_adds() -> None:
    assert sorted(at_once(lambda number: cache.add("lock", number, 60), 8)) == [False] * 7 + [True]


@pytest.mark.django_db(transaction=True)
def test_a_power_cut_costs_counts_and_nothing_else() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'accounts_cacheentry'")
        assert cursor.fetchone() == ("u",)
