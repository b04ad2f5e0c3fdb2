"""Vectors of models that nobody will ask again."""

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
def small():
    fake = FakeEmbedder()
    wide = FakeEmbedder(name="wide", dimensions=1536)
    with current.using(embedder=fake, other_embedders=[wide]):
        yield fake


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


def test_one_model_leaves_nothing_to_remove(user):
    assert not removal_is_due(user.id, LATER)
    assert remove_stale_vectors(user.id, LATER) == 0


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


def test_what_a_model_read_before_the_person_turned_back_goes_too(user, small):
    choose(user, "wide")
    backfill(user.id, 2, NOW)
    choose(user, "")
    assert answering_of(user.id).mixed
    assert remove_stale_vectors(user.id, LATER) >= 2
    assert spaces() == {small.model.name}
    assert not answering_of(user.id).mixed


def test_nothing_goes_while_the_chosen_model_is_not_offered(user):
    choose(user, "wide")
    backfill(user.id, 2, NOW)
    choose(user, "gone")
    assert not removal_is_due(user.id, LATER)
