"""Recipes are data, and recall does what the chosen one says."""

from dataclasses import replace
from datetime import UTC, date, datetime
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest

from llm import current
from memory.models import MemoryPreferences
from memory.organize.notes import Note, save_note
from memory.projections.corrections import write_own_words
from memory.recall.pipeline import recall
from memory.recall.presets import DEFAULT, FAST, READER, RECIPES, THOROUGH
from memory.recall.retrieval import FAILED, RETRIEVERS, SLOW
from memory.recall.settings import settings_from
from memory.recall.trace import trace_as_json
from memory.recall.types import RecallRequest, RecallSettings
from tests.drills.ledger import NOW, converse, mine
from tests.fake_gateway import FakeChat, FakeEmbedder

QUESTION = "What is my dog called?"
BRUNO = "My dog Bruno is a greyhound."


@pytest.fixture
def mined(as_alice):
    with current.using(embedder=FakeEmbedder()):
        converse(as_alice.id, BRUNO, "Splendid beasts.")
        mine(as_alice.id)
        yield as_alice


def ask(user, recipe, **chosen):
    settings = RecallSettings(recipe=recipe, time_limit_ms=5_000, **chosen)
    return recall(RecallRequest(user.id, QUESTION, NOW, settings=settings))


def test_every_recipe_asks_its_own_retrievers_and_no_others(mined):
    for recipe in RECIPES.values():
        assert set(recipe.retrievers) <= set(RETRIEVERS) == set(SLOW) == set(FAILED)
        found = ask(mined, recipe)
        assert found.hits[0].text == BRUNO
        assert set(found.trace.retrievers) >= set(recipe.retrievers)
        assert trace_as_json(found.trace)["preset"] == recipe.name
    found = ask(mined, replace(DEFAULT, retrievers={"words": 5}))
    assert set(found.trace.retrievers) == {
        "embedding",
        "meaning of words",
        "sentences",
        "judgements",
        "words",
    }
    assert found.hits[0].text == BRUNO


def test_stages_that_a_recipe_leaves_out_do_not_run(mined):
    save_note(mined.id, Note("My dog Bruno likes the park."), NOW)
    with current.using(chat=FakeChat(['{"order": [2, 1]}'])):
        quick = ask(mined, FAST, rerank=True)
        usual = ask(mined, DEFAULT, rerank=True)
    assert "rerank" not in quick.trace.timings
    assert "rerank" in usual.trace.timings
    assert "Splendid beasts." not in [hit.text for hit in quick.hits]

    write_own_words(mined.id, "I am Alice and I bake bread every single Sunday morning.", NOW)
    assert ask(mined, DEFAULT).profile
    assert ask(mined, replace(DEFAULT, stages=frozenset((READER,)))).profile == ""


def test_more_thorough_recipes_may_take_longer_and_find_more():
    assert FAST.time_limit_ms < DEFAULT.time_limit_ms == 300 < THOROUGH.time_limit_ms
    for arm, most in FAST.retrievers.items():
        assert most <= DEFAULT.retrievers[arm] <= THOROUGH.retrievers[arm]
    assert RecallSettings(recipe=FAST).patience_ms == FAST.time_limit_ms
    assert RecallSettings(recipe=FAST, time_limit_ms=7).patience_ms == 7


DRAWER = UUID("01890000-0000-7000-8000-000000000001")
ROOM = UUID("01890000-0000-7000-8000-000000000002")
SAID = datetime(2023, 3, 12, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(("times", "limits"), [(1, (300, 1_000)), (4, (1_200, 4_000))])
def test_a_slow_machine_may_take_longer_in_every_recipe(settings, times, limits):
    settings.RECALL_PATIENCE = times
    chosen = (MemoryPreferences(recipe=recipe) for recipe in ("default", "thorough"))
    assert tuple(settings_from(each).patience_ms for each in chosen) == limits


def test_recall_follows_what_its_owner_chose():
    chosen = settings_from(MemoryPreferences(top_k=7, recency=0.3, use_history=False))
    assert (chosen.top_k, chosen.several_k, chosen.recency, chosen.use_history) == (7, 14, 0.3, False)
    assert settings_from(MemoryPreferences()) == replace(RecallSettings(), time_limit_ms=chosen.patience_ms)


@pytest.mark.parametrize("name", ["Nowhere/Nothing", "", "../etc/passwd", "America", "a\x00b"])
def test_an_unknown_time_zone_is_utc(name):
    assert RecallSettings(timezone=name).zone == ZoneInfo("UTC")


def test_today_is_the_users_own_day():
    late = datetime(2023, 5, 31, 22, 30, tzinfo=UTC)
    settings = RecallSettings(timezone="Asia/Tokyo")
    assert RecallRequest(uuid4(), "hi", late, settings=settings).today == date(2023, 6, 1)
