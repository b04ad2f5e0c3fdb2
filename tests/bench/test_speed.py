"""Generated palaces resemble mined ones; figures of speed runs."""

from contextlib import nullcontext

import pytest
from django.utils import timezone

from bench import smoke, speed
from bench.made_up import Loader
from llm import current
from memory.models import Drawer, Lexeme, Palace, Room
from memory.search.embedding_backfill import waiting
from tests.drills.ledger import NOW
from tests.fake_gateway import FakeEmbedder


@pytest.fixture
def loaded(as_alice):
    with current.using(embedder=FakeEmbedder()):
        loader = Loader(NOW)
        loader.load(as_alice.id, 100)
        loader.load(as_alice.id, 40)
        yield as_alice


def test_loaded_palace_is_complete(loaded):
    assert Drawer.objects.count() == Palace.objects.get().drawers_indexed == 140
    assert waiting(loaded.id) == 0
    assert Lexeme.objects.filter(drawers__gt=0).exists()
    assert sum(Room.objects.values_list("drawers_made", flat=True)) == 140
    pointers = Drawer.objects.values_list("pointer_wing", "pointer_room", "pointer_drawer")
    assert len(set(pointers)) == 140


@pytest.mark.drill
@pytest.mark.django_db(transaction=True)
def test_smoke_run_finds_drawers_of_the_demo_palace(tmp_path, monkeypatch):
    monkeypatch.setattr(smoke, "MINED", 20)
    monkeypatch.setattr(smoke, "own_database", nullcontext)
    with current.using(embedder=FakeEmbedder()):
        scores = smoke.run(tmp_path, timezone.now(), lambda words: None)
    assert scores["recall_any@5"] >= smoke.LEAST_ANY_AT_5
    assert {"mining_to_20", "recall_at_20_mined", "disk_at_20"} == scores["figures"].keys()


@pytest.mark.django_db(transaction=True)
def test_figures_cover_sizes_other_users_and_clients(monkeypatch):
    monkeypatch.setattr(speed, "ASKED", 10)
    plan = speed.Plan(sizes=(40, 60), others=1, clients=2)
    with current.using(embedder=FakeEmbedder()):
        found = speed.figures(plan, NOW, lambda words: None)
    assert {"recall_at_40", "recall_at_60", "2_clients"} == found.keys()
    assert found["2_clients"]["recalls_per_second"] > 0
