"""Recall follows the settings of its owner and of the installation."""

from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest

from llm import current
from memory.models import MemoryPreferences
from memory.organize.notes import Note, save_note
from memory.recall.pipeline import recall
from memory.recall.retrieval import RETRIEVERS, UNAVAILABLE
from memory.recall.types import RecallRequest, RecallSettings, settings_from
from memory.recall.weights import RETRIEVER_LIMITS
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


def ask(user, **chosen):
    settings = RecallSettings(time_limit_ms=5_000, **chosen)
    return recall(RecallRequest(user.id, QUESTION, NOW, settings=settings))


def test_every_retriever_runs_and_has_a_message_for_its_failure(mined):
    assert set(RETRIEVER_LIMITS) == set(RETRIEVERS) == set(UNAVAILABLE)
    found = ask(mined)
    assert found.hits[0].text == BRUNO
    assert set(found.trace.retrievers) >= set(RETRIEVER_LIMITS)
    found = ask(mined, retrievers={"words": 5})
    assert set(found.trace.retrievers) == {
        "embedding",
        "meaning of words",
        "sentences",
        "judgements",
        "words",
    }
    assert found.hits[0].text == BRUNO


def test_a_model_reranks_only_if_the_user_enabled_it(mined):
    save_note(mined.id, Note("My dog Bruno likes the park."), NOW)
    with current.using(chat=FakeChat(['{"order": [2, 1]}'])):
        default, reranked = ask(mined), ask(mined, rerank=True)
    assert "rerank" not in default.trace.timings
    assert "rerank" in reranked.trace.timings


@pytest.mark.parametrize(("times", "limit"), [(1, 300), (4, 1_200)])
def test_recall_patience_extends_the_time_limit(settings, times, limit):
    settings.RECALL_PATIENCE = times
    assert settings_from(MemoryPreferences()).time_limit_ms == limit


def test_recall_settings_follow_the_users_preferences():
    chosen = settings_from(MemoryPreferences(top_k=7, recency=0.3, use_history=False))
    assert (chosen.top_k, chosen.several_k, chosen.recency, chosen.use_history) == (7, 14, 0.3, False)
    assert settings_from(MemoryPreferences()) == replace(RecallSettings(), time_limit_ms=chosen.time_limit_ms)


@pytest.mark.parametrize("name", ["Nowhere/Nothing", "", "../etc/passwd", "America", "a\x00b"])
def test_an_unknown_time_zone_is_utc(name):
    assert RecallSettings(timezone=name).zone == ZoneInfo("UTC")
