from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection, connections
from django.utils import timezone

from accounts.models import CacheEntry
from accounts.shared_cache import remove_expired_entries
from accounts.tenancy import visitor

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


def at_once(work: Any, times: int = 8) -> list[Any]:
    """What the work returns in that many sessions of the database that begin together."""
    start = Barrier(times)

    def one(number: int) -> Any:
        start.wait(10)
        try:
            return work(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(one, range(times)))


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_adds() -> None:
    assert sorted(at_once(lambda number: cache.add("lock", number, 60))) == [False] * 7 + [True]


@pytest.mark.django_db(transaction=True)
def test_a_power_cut_costs_counts_and_nothing_else() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'accounts_cacheentry'")
        assert cursor.fetchone() == ("u",)
