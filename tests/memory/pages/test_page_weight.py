"""The size and number of statements of a page stay low, whatever the size and script of a palace."""

from dataclasses import replace

import pytest
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.tenancy import tenant
from bench import made_up
from memory.models import OWNER, Closet, Entity, RelationSource, Room, Wing
from memory.recall import pipeline
from memory.search.index import analyze_changed_tables
from memory.search.time_limit import TimeLimit
from tests.drills.page_weight import KINDS_HELD, MINIMUM, compared, furnished

MAX_KB = 100
MAX_STATEMENTS = 45
MAX_DIFFERENCE = len(KINDS_HELD)
"""How many statements depend on what a list holds, such as one for each kind of facts; none is sent per
row."""
LONG_NAME = "長い名前の棚" * 33
LONG_WORDS = "庭で鉢植えの世話をしてから、" * 200

original_sessions = made_up.sessions


@pytest.mark.drill
@pytest.mark.django_db(transaction=True)
def test_page_weight_does_not_grow_with_the_size_and_texts_of_a_palace(monkeypatch):
    """Outside of a transaction, as a site's requests are: inside one, recall needs savepoints."""
    monkeypatch.setattr(pipeline, "TimeLimit", lambda milliseconds: TimeLimit(60_000))
    now = timezone.now()
    loader = made_up.Loader(now)
    small = furnished(loader, MINIMUM, now)
    monkeypatch.setattr(made_up, "sessions", wordy_sessions)
    large = furnished(loader, MINIMUM + 520, now)
    name_at_length(large)
    analyze_changed_tables()
    found = compared(small, large, 1, lambda words: None)

    statements = {name: each["statements"] for name, each in found.items()}
    assert {name: each["kB"] for name, each in found.items() if max(each["kB"]) >= MAX_KB} == {}
    assert {name: each for name, each in statements.items() if max(each) > MAX_STATEMENTS} == {}
    different = {name: each for name, each in statements.items() if max(each) - min(each) > MAX_DIFFERENCE}
    recalls = {name for name in different if name.startswith("search")}
    assert different.keys() - recalls == set(), "those of recall depend on the length of what it found"
    assert len(found) > 25


def wordy_sessions(*given):
    """The usual chats with very long messages, at three bytes a letter."""
    for chat in original_sessions(*given):
        turns = (replace(turn, content=f"{turn.content[:120]} {LONG_WORDS}") for turn in chat.turns)
        yield replace(chat, turns=tuple(turns))


def name_at_length(user):
    """Give every place and entity the longest name, and relations long sources."""
    with tenant(user.id):
        for model, name in ((Wing, "name"), (Room, "title"), (Closet, "name")):
            model.objects.filter(user_id=user.id).update(**{name: LONG_NAME})
        Entity.objects.filter(user_id=user.id).exclude(name__in=(OWNER, "Ana")).update(name=LONG_NAME)
        said = RelationSource.objects.filter(user_id=user.id)
        said.update(end=2_000)
        again = list(said)
        for each in again:
            each.id, each.start = uuid7(), 1
        RelationSource.objects.bulk_create(again)
