"""The benchmarks of speed and of languages."""

import json
from contextlib import nullcontext

import pytest
from django.utils import timezone

from bench import languages, smoke, speed
from bench.languages import Plan, run, score, stories
from bench.made_up import Loader
from bench.rankings import Ranking
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


def ranking(ranked=0, given=0, *, gold=True):
    """A question whose drawer was ranked and injected at these places, from 1; 0 means not at all."""

    def row(place):
        return tuple(("stories", "gold" if n == place else f"other {n}") for n in range(1, place + 1))

    found = (("stories", "gold"),) if gold else ()
    return Ranking("?", "language", (), row(ranked), (), found, 1.0, 0, True, injected=row(given))


def test_hits_and_silence_are_counted_separately():
    several = [ranking(1, 1), ranking(5, 5), ranking(2, 6), ranking(1)]
    several += [ranking(gold=False), ranking(gold=False, given=1)]
    assert score(several) == {
        "top_5": 0.5,
        "top_1": 0.25,
        "ranked_top_5": 1.0,
        "ranked_top_1": 0.5,
        "wrongly_silent": 0.25,
        "rightly_silent": 0.5,
    }


@pytest.mark.django_db(transaction=True)
def test_each_language_is_measured_and_misses_are_listed(tmp_path, monkeypatch):
    few = tuple(story for story in stories("en") if story.asked)
    monkeypatch.setattr(languages, "stories", lambda language: (*few[:6], *few[-1:]))
    monkeypatch.setattr(languages, "own_database", nullcontext)
    shown: list[str] = []
    with current.using(embedder=FakeEmbedder()):
        scores = run(Plan(("en",), tmp_path, show_misses=True), lambda words: None, shown.append)
    found = scores["by_language"]["en"]
    assert (scores["questions"], found["ranked_top_5"]) == (7, 1.0)
    assert len(shown) == round(6 * (1 - found["top_5"]))
    assert json.loads((tmp_path / "scores.json").read_text()) == scores
