import threading

import pytest
from django.db import connection

from accounts.tenancy import tenant
from llm import current
from llm.errors import EmbedderUnavailable
from llm.fake_gateway import FakeEmbedder
from memory.backfill import backfill, waiting
from memory.models import ActivityEvent, Drawer, DrawerVector, MemoryPreferences, WideVector
from tests.drills.ledger import NOW, converse, mine
from tests.drills.rows import differences, rows_of


@pytest.fixture(autouse=True)
def embedder():
    fake = FakeEmbedder()
    with current.using(embedder=fake):
        yield fake


def test_an_outage_of_the_embedder_is_repaired_and_changes_nothing_else(as_alice, embedder):
    words = [f"I met heron number {n} by the lake." for n in range(40)]
    converse(as_alice.id, *words)
    embedder.fail_with(EmbedderUnavailable("Away."))
    mine(as_alice.id)
    assert not DrawerVector.objects.exists()
    notes = ActivityEvent.objects.filter(kind="memory_mined").first().details["notes"]
    assert any("by meaning" in note for note in notes)
    before = rows_of(as_alice.id)
    with pytest.raises(EmbedderUnavailable):
        backfill(as_alice.id, 10, NOW)
    embedder.fail_with(None)
    assert waiting(as_alice.id) == 40
    assert backfill(as_alice.id, 33, NOW) == 33
    assert backfill(as_alice.id, 100, NOW) == 7
    assert backfill(as_alice.id, 100, NOW) == waiting(as_alice.id) == 0
    after = rows_of(as_alice.id)
    assert len(after.pop("vectors")) == 40
    before.pop("vectors")
    assert differences(before, after) == []


def test_vectors_made_later_are_those_mining_makes(alice, bob, embedder):
    found = {}
    for user, early in ((alice, True), (bob, False)):
        with tenant(user.id):
            converse(user.id, "I met a heron.", "A long story. " * 100)
            embedder.fail_with(None if early else EmbedderUnavailable("Away."))
            mine(user.id)
            embedder.fail_with(None)
            backfill(user.id, 100, NOW)
            found[early] = rows_of(user.id)["vectors"]
    assert found[True] == found[False] != []


def test_a_drawer_deleted_while_its_vector_is_made_gets_none(as_alice, embedder):
    converse(as_alice.id, "I met a heron.", "And?")
    embedder.fail_with(EmbedderUnavailable("Away."))
    mine(as_alice.id)
    embedder.fail_with(None)
    made = embedder.embed_documents

    def slow(texts):
        Drawer.objects.filter(content="And?").update(deleted_at=NOW)
        return made(texts)

    embedder.embed_documents = slow
    backfill(as_alice.id, 10, NOW)
    assert DrawerVector.objects.count() == 1


def test_another_model_gets_vectors_of_its_own_and_the_old_ones_stay(as_alice, embedder):
    converse(as_alice.id, "I met a heron.", "And?")
    mine(as_alice.id)
    wide = FakeEmbedder(name="wide", dimensions=1536)
    MemoryPreferences.objects.create(user_id=as_alice.id, embedding_model="wide")
    with current.using(other_embedders=[wide]):
        assert waiting(as_alice.id) == 2
        assert backfill(as_alice.id, 10, NOW) == 2
        assert waiting(as_alice.id) == 0
    assert DrawerVector.objects.count() == 4
    assert WideVector.objects.count() == 2


def test_drawers_in_the_trash_wait_for_nothing(as_alice, embedder):
    converse(as_alice.id, "I met a heron.", "And?")
    embedder.fail_with(EmbedderUnavailable("Away."))
    mine(as_alice.id)
    embedder.fail_with(None)
    Drawer.objects.filter(content="And?").update(deleted_at=NOW)
    assert waiting(as_alice.id) == 1


@pytest.mark.django_db(transaction=True)
def test_two_workers_never_pay_twice(alice, embedder):
    with tenant(alice.id):
        converse(alice.id, "I met a heron.", "And?")
        embedder.fail_with(EmbedderUnavailable("Away."))
        mine(alice.id)
        embedder.fail_with(None)
    asked, go_on = threading.Event(), threading.Event()
    made = embedder.embed_documents

    def slow(texts):
        asked.set()
        assert go_on.wait(60)
        return made(texts)

    def work():
        with tenant(alice.id):
            done.append(backfill(alice.id, 10, NOW))
        connection.close()

    embedder.embed_documents, done = slow, []
    first = threading.Thread(target=work)
    first.start()
    assert asked.wait(60)
    with tenant(alice.id):
        assert backfill(alice.id, 10, NOW) == 0
    go_on.set()
    first.join(60)
    assert done == [2]
    assert sorted(embedder.embedded)[:2] == ["And?", "I met a heron."]
    assert embedder.embedded.count("And?") == 1
