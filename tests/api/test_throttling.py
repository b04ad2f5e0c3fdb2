from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import caches
from redis import ConnectionError as RedisAway

from accounts.tokens import Bearer
from api.auth import count_request
from api.problems import Refused
from tests.api.conftest import api_client

NOW = datetime(2026, 11, 21, 12, 0, 20, tzinfo=UTC)
ADDRESS = "/api/v1/account"


def test_rate_limit_applies_per_user(alice, bob, settings):
    settings.API_RATE = 2
    one, other = api_client(alice, "read"), api_client(alice, "read", "write")
    assert [each.get(ADDRESS).status_code for each in (one, other, one, other)] == [200, 200, 429, 429]
    assert api_client(bob, "read").get(ADDRESS).status_code == 200


def test_throttled_response_has_retry_after(alice_api, settings):
    settings.API_RATE = 1
    alice_api.get(ADDRESS)
    answer = alice_api.get(ADDRESS)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert 1 <= int(answer.headers["Retry-After"]) <= 60


def test_count_is_reset_each_minute(alice, settings):
    settings.API_RATE = 1
    bearer = Bearer(alice, alice.id, frozenset({"read"}))
    count_request(bearer, NOW)
    with pytest.raises(Refused) as refusal:
        count_request(bearer, NOW)
    assert refusal.value.retry_after == 40
    count_request(bearer, NOW + timedelta(seconds=40))


def test_requests_are_not_throttled_without_the_counter(alice, settings, monkeypatch):
    settings.API_RATE = 1

    def unavailable(*given, **more):
        raise RedisAway

    monkeypatch.setattr(caches["requests"], "add", unavailable)
    bearer = Bearer(alice, alice.id, frozenset({"read"}))
    count_request(bearer, NOW)
    count_request(bearer, NOW)
