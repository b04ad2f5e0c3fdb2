"""Pages send little and ask little, however much a palace holds and in whatever script it is."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.models import User
from accounts.tenancy import tenant
from bench import loading
from bench.cases import BenchSession
from bench.corpus import sessions
from bench.errors import BenchmarkImpossible
from bench.loading import Loader
from bench.pages import benchmark
from bench.pages.benchmark import Plan, compared
from bench.pages.furnishing import LEAST, furnished
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.models import OWNER, Closet, Entity, RelationSource, Room, Wing
from memory.recall.types import RecallSettings
from memory.table_statistics import renew_statistics
from tests.drills.ledger import NOW

MOST_KB = 100
MOST_STATEMENTS = 45
RECALLS = re.compile("search|sandbox")
"""What recall asks for depends on how long the drawers are that it has found."""
LONG_NAME = "長い名前の棚" * 33
LONG_WORDS = "庭で鉢植えの世話をしてから、" * 200


@pytest.fixture(autouse=True)
def static_files(settings):
    """Names of static files as they are while somebody develops."""
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not leave an arm out: that changes what is asked."""
    monkeypatch.setattr(RecallSettings, "patience_ms", 60_000)


@pytest.mark.django_db(transaction=True)
def test_pages_are_as_light_in_a_larger_palace_and_in_a_wordy_one(
    monkeypatch: pytest.MonkeyPatch,
):
    """Asked outside of a transaction as a site's requests are: within one, recall needs savepoints."""
    now = timezone.now()
    with current.using(embedder=FakeEmbedder()):
        loader = Loader(now)
        small = furnished(loader, LEAST, now)
        monkeypatch.setattr(loading, "sessions", wordy_sessions)
        large = furnished(loader, LEAST + 520, now)
        name_at_length(large)
        renew_statistics()
        found = compared(small, large, 1, lambda words: None)

    heavy = {
        name: each["kB"] for name, each in found["pages"].items() if max(each["kB"]) >= MOST_KB
    }
    uneven = {
        name: each["statements"]
        for name, each in found["pages"].items()
        if len(set(each["statements"])) > 1 and not RECALLS.match(name)
    }
    assert heavy == {}
    assert uneven == {}
    assert found["worst"]["statements"] <= MOST_STATEMENTS
    assert len(found["pages"]) > 25


def wordy_sessions(*given: Any) -> Iterator[BenchSession]:
    """The usual chats, each message going on for long, with three bytes a letter."""
    for chat in sessions(*given):
        turns = (replace(turn, content=f"{turn.content[:120]} {LONG_WORDS}") for turn in chat.turns)
        yield replace(chat, turns=tuple(turns))


def name_at_length(user: User) -> None:
    """Give every place and everybody the longest name, and let relations rest on many words."""
    with tenant(user.id):
        Wing.objects.filter(user_id=user.id).update(name=LONG_NAME)
        Room.objects.filter(user_id=user.id).update(title=LONG_NAME)
        Closet.objects.filter(user_id=user.id).update(name=LONG_NAME)
        Entity.objects.filter(user_id=user.id).exclude(name__in=(OWNER, "Ana")).update(
            name=LONG_NAME
        )
        said = RelationSource.objects.filter(user_id=user.id)
        said.update(end=2_000)
        RelationSource.objects.bulk_create(twice(list(said)))


def twice(said: list[RelationSource]) -> list[RelationSource]:
    """The same again from other words of the same drawers."""
    for each in said:
        each.id, each.start = uuid7(), 1
    return said


def test_a_palace_too_small_to_fill_its_pages_is_refused():
    with pytest.raises(BenchmarkImpossible, match="1000 drawers"):
        benchmark.run(Plan(small=10), NOW, lambda words: None)
