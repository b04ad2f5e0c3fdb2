"""Vectors of models that nobody will ask again are removed."""

from datetime import timedelta

import pytest

from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.models import DrawerVector, FactVector, MemoryPreferences, WideVector
from memory.search.active_embedding import answering_of
from memory.search.embedding_backfill import STALE_AFTER, backfill, removal_is_due, remove_stale_vectors
from tests.drills.ledger import NOW, converse, mine
from tests.drills.rows import rows_of

LATER = NOW + STALE_AFTER + timedelta(seconds=1)


@pytest.fixture
def small(embedder):
    with current.using(other_embedders=[FakeEmbedder(name="wide", dimensions=1536)]):
        yield embedder


@pytest.fixture
def user(as_alice, small):
    converse(as_alice.id, "I live in Tartu.", "Nice.", "I love herons.", "Why?")
    mine(as_alice.id)
    return as_alice


def choose(user, name):
    MemoryPreferences.objects.update_or_create(user_id=user.id, defaults={"embedding_model": name})


def spaces():
    found = set()
    for model in (DrawerVector, WideVector, FactVector):
        found |= set(model.objects.values_list("space__name", flat=True))
    return found


def test_nothing_is_removed_with_one_model_or_while_the_chosen_one_is_missing(user):
    assert not removal_is_due(user.id, LATER)
    assert remove_stale_vectors(user.id, LATER) == 0
    choose(user, "wide")
    backfill(user.id, 2, NOW)
    choose(user, "gone")
    assert not removal_is_due(user.id, LATER)


def test_old_vectors_go_some_time_after_the_new_model_answers(user, small):
    assert FactVector.objects.exists()
    choose(user, "wide")
    backfill(user.id, 2, NOW)
    assert not removal_is_due(user.id, LATER)
    backfill(user.id, 100, NOW)
    assert not removal_is_due(user.id, NOW)
    assert spaces() == {"wide", small.model.name}
    assert removal_is_due(user.id, LATER)
    before = rows_of(user.id)
    assert remove_stale_vectors(user.id, LATER) >= 4
    assert spaces() == {"wide"}
    assert not removal_is_due(user.id, LATER)
    after = rows_of(user.id)
    for name in ("vectors", "fact vectors"):
        before.pop(name)
        after.pop(name)
    assert before == after


def test_vectors_of_a_reverted_switch_are_removed_too(user, small):
    choose(user, "wide")
    backfill(user.id, 2, NOW)
    choose(user, "")
    assert answering_of(user.id).mixed
    assert remove_stale_vectors(user.id, LATER) >= 2
    assert spaces() == {small.model.name}
    assert not answering_of(user.id).mixed
