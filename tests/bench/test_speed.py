"""Palaces that are loaded in bulk are like those that are mined, and are measured as told."""

import pytest

from accounts.tenancy import tenant
from bench.corpus import questions
from bench.loading import Loader
from bench.timing import Timed, scan, summary, time_recalls
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.answering import answering_of
from memory.backfill import waiting
from memory.models import Drawer, Lexeme, Palace, Room
from memory.searching import nearest
from tests.drills.ledger import NOW


@pytest.fixture
def loaded(as_alice):
    with current.using(embedder=FakeEmbedder()):
        loader = Loader(NOW)
        loader.load(as_alice.id, 100)
        loader.load(as_alice.id, 40)
        yield as_alice


def test_a_loaded_palace_is_whole(loaded):
    assert Drawer.objects.count() == Palace.objects.get().drawers_indexed == 140
    assert waiting(loaded.id) == 0
    assert Lexeme.objects.filter(drawers__gt=0).exists()
    assert sum(Room.objects.values_list("drawers_made", flat=True)) == 140
    pointers = Drawer.objects.values_list("pointer_wing", "pointer_room", "pointer_drawer")
    assert len(set(pointers)) == 140


def test_a_bare_scan_finds_what_search_finds(loaded):
    space = answering_of(loaded.id).space
    vector = current.embedder().embed_query("the balcony garden").vectors[0]
    near = nearest(loaded.id, space, vector, 20)
    assert {each.drawer_id for each in near} == set(scan(loaded.id, space, vector))


def test_recalls_are_timed_without_the_first(loaded):
    with tenant(loaded.id):
        timed = time_recalls(loaded.id, questions(8, 7), NOW)
    assert len(timed) == 3
    assert all(each.total > 0 and each.scan > 0 for each in timed)


def test_the_summary_tells_ratios_and_what_was_lacking():
    timed = [Timed(30, 10, 5, complete=True), Timed(30, 10, 5, complete=False)]
    found = summary(timed)
    assert (found["ratio_p50"], found["ratio_p95"], found["complete"]) == (2, 2, 0.5)
