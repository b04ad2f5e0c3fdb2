from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from redis import ConnectionError as RedisAway

from accounts.models import User
from accounts.tokens import Bearer
from api.auth import count_request
from api.problems import Refused
from tests.api.conftest import program

NOW = datetime(2026, 11, 21, 12, 0, 20, tzinfo=UTC)
ADDRESS = "/api/v1/account"


def test_each_token_has_a_minute_of_its_own(alice: User, settings: Any) -> None:
    settings.API_RATE = 2
    one, other = program(alice, "read"), program(alice, "read", "write")
    assert [one.get(ADDRESS).status_code for _ in range(3)] == [200, 200, 429]
    assert other.get(ADDRESS).status_code == 200


def test_it_says_when_to_come_back(alices: Client, settings: Any) -> None:
    settings.API_RATE = 1
    alices.get(ADDRESS)
    answer = alices.get(ADDRESS)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert 1 <= int(answer.headers["Retry-After"]) <= 60


def test_a_new_minute_begins_anew(alice: User, settings: Any) -> None:
    settings.API_RATE = 1
    bearer = Bearer(alice, alice.id, frozenset({"read"}))
    count_request(bearer, NOW)
    with pytest.raises(Refused) as refusal:
        count_request(bearer, NOW)
    assert refusal.value.retry_after == 40
    count_request(bearer, NOW + timedelta(seconds=40))


def test_nobody_is_refused_while_the_counter_is_away(
    alice: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.API_RATE = 1

    def away(*given: Any, **more: Any) -> None:
        raise RedisAway

    monkeypatch.setattr(caches["requests"], "add", away)
    bearer = Bearer(alice, alice.id, frozenset({"read"}))
    count_request(bearer, NOW)
    count_request(bearer, NOW)
