"""What is another value now: the old one is kept with its time, and the newer one holds."""

from datetime import timedelta

import pytest

from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.models import Drawer, Fact
from tests.drills.ledger import NOW, converse, mine

FIRST, LATER = NOW - timedelta(days=60), NOW - timedelta(days=20)

UPDATES = [
    ("I live in Leeds.", "We live in Bristol now.", "Leeds", "Bristol"),
    ("I work at Opel.", "I work at Bosch now.", "Opel", "Bosch"),
    ("My budget for the garden is 300 euros.", "My budget for the garden is 450 euros.", "300", "450"),
]


@pytest.fixture(autouse=True)
def embedder():
    with current.using(embedder=FakeEmbedder()):
        yield


@pytest.mark.parametrize(("first", "later", "old", "new"), UPDATES)
def test_the_newer_value_holds_and_the_older_keeps_its_time(as_alice, first, later, old, new):
    converse(as_alice.id, first, at=FIRST)
    converse(as_alice.id, later, at=LATER)
    mine(as_alice.id)
    before, now = Fact.objects.filter(user_id=as_alice.id).order_by("valid_from")
    assert old in before.value
    assert new in now.value
    assert before.status == Fact.Status.SUPERSEDED
    assert before.valid_to == now.valid_from == LATER
    assert now.status == Fact.Status.ACTIVE
    assert now.valid_to is None
    kept = Drawer.objects.filter(user_id=as_alice.id).values_list("content", flat=True)
    assert {first, later} <= set(kept)
