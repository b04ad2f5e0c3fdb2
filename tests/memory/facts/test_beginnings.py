"""A fact begins with the first of its words that still stand."""

from datetime import timedelta

import pytest

from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.erasure import delete, undo
from memory.models import Drawer, Fact
from tests.drills.ledger import NOW, converse, mine

BEGAN = NOW - timedelta(days=30)


@pytest.fixture(autouse=True)
def _embedder():
    with current.using(embedder=FakeEmbedder()):
        yield


@pytest.fixture
def said(as_alice):
    """The same said on three days, and something else between."""
    for day, words in ((0, "I live in Porto."), (2, "I live in Porto."), (5, "I live in Oslo.")):
        converse(as_alice.id, words, at=BEGAN + timedelta(days=day))
    mine(as_alice.id)
    return list(Drawer.objects.order_by("said_at"))


def homes():
    facts = Fact.objects.filter(key="home_city", deleted_at=None).order_by("valid_from")
    return [
        (fact.value, (fact.valid_from - BEGAN).days, fact.valid_to and (fact.valid_to - BEGAN).days)
        for fact in facts
    ]


def rows():
    return list(Fact.objects.order_by("id").values())


def test_without_its_first_words_it_begins_with_the_next(as_alice, said):
    assert homes() == [("Porto", 0, 5), ("Oslo", 5, None)]
    delete(as_alice.id, "drawer", said[0].id, NOW)
    assert homes() == [("Porto", 2, 5), ("Oslo", 5, None)]


def test_without_later_words_it_begins_where_it_did(as_alice, said):
    delete(as_alice.id, "drawer", said[1].id, NOW)
    assert homes() == [("Porto", 0, 5), ("Oslo", 5, None)]


def test_brought_back_it_is_as_it_was(as_alice, said):
    before = rows()
    deletion = delete(as_alice.id, "drawer", said[0].id, NOW)
    undo(as_alice.id, deletion.id, NOW)
    assert rows() == before


def test_in_whatever_order_they_come_back(as_alice, said):
    before = rows()
    first = delete(as_alice.id, "drawer", said[0].id, NOW)
    second = delete(as_alice.id, "drawer", said[1].id, NOW)
    assert homes() == [("Oslo", 5, None)]
    undo(as_alice.id, first.id, NOW)
    assert homes()[0] == ("Porto", 0, 5)
    undo(as_alice.id, second.id, NOW)
    assert rows() == before


def test_a_start_of_its_own_is_kept(as_alice, said):
    own = BEGAN - timedelta(days=900)
    Fact.objects.filter(value="Porto").update(valid_from=own)
    delete(as_alice.id, "drawer", said[0].id, NOW)
    assert Fact.objects.get(value="Porto").valid_from == own
