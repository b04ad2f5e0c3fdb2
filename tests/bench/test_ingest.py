from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import User
from accounts.tenancy import tenant
from bench import ingest as ingesting
from bench.cases import BenchSession, BenchTurn
from bench.ingest import ingest, kept_sessions
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.models import Drawer

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def chat(key: str) -> BenchSession:
    turns = (BenchTurn("user", f"The {key} boat."), BenchTurn("assistant", "A fine\x00 one."))
    return BenchSession(key, NOW - timedelta(days=2), turns, key)


@pytest.mark.django_db(transaction=True)
def test_chats_are_mined_once_and_it_is_told_how_far_mining_is(monkeypatch):
    monkeypatch.setattr(ingesting, "A_WHILE", timedelta(0))
    monkeypatch.setattr(ingesting, "mine_person", _one_at_a_time(ingesting.mine_person))
    user = User.objects.create_user("ingest@example.org")
    told: list[str] = []
    with current.using(embedder=FakeEmbedder()):
        assert ingest(user.id, [chat("a"), chat("b"), chat("a")], NOW, told.append) == 4
        assert ingest(user.id, [chat("a"), chat("b")], NOW) == 0
    assert kept_sessions(user.id) == {"a", "b"}
    assert told[0] == "mined 2 of 4 messages"
    with tenant(user.id):
        assert Drawer.objects.filter(user_id=user.id).count() == 4


def _one_at_a_time(mine):
    """Mining that stops after each conversation, as if each took very long."""

    def slowly(user_id, clock, budget):
        times = iter([clock(), clock()])
        late = clock() + timedelta(hours=1)
        return mine(user_id, lambda: next(times, late), timedelta(minutes=1))

    return slowly
