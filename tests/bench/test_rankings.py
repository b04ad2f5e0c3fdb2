from dataclasses import fields
from datetime import UTC, datetime

import pytest

from bench.cases import BenchmarkImpossible, BenchQuestion, BenchSession, BenchTurn
from bench.palaces import ingest, owner_of
from bench.rankings import BASELINES, Variant, ask
from llm import current
from memory.recall.presets import COMPLETE, DEFAULT
from tests.fake_gateway import FakeEmbedder

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_a_retriever_a_stage_a_weight_and_recency_can_be_left_out():
    settings = Variant(without=("words", COMPLETE, "room", "recency"), time_limit_ms=700).settings
    weights = settings.recipe.weights
    assert "words" not in settings.recipe.retrievers
    assert not settings.recipe.has(COMPLETE)
    assert (settings.recency, settings.patience_ms) == (0, 700)
    changed = {
        each.name
        for each in fields(weights)
        if getattr(weights, each.name) != getattr(DEFAULT.weights, each.name)
    }
    assert (changed, weights.room) == ({"room"}, 0)
    assert Variant().settings.recipe == DEFAULT
    with pytest.raises(BenchmarkImpossible, match="vectors"):
        _ = Variant(without=("magic",)).settings


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("only", BASELINES)
def test_one_retriever_can_rank_alone(only):
    owner = owner_of("baseline").id
    said = ("The heron lives by the quiet pond.", "A pond needs a pump.", "Bread rises slowly.")
    session = BenchSession("key", NOW, tuple(BenchTurn("user", words) for words in said), "one")
    question = BenchQuestion("q", "any", "Where does the heron by the pond live?", NOW)
    with current.using(embedder=FakeEmbedder()):
        ingest(owner, [session], NOW)
        ranking, block = ask(owner, question, [session], Variant(only=only))
    assert ranking.turns[0] == ("one", 0)
    assert (ranking.injected, block) == ((), "")
    assert len(ranking.turns) == {"words": 2, "vectors": 3}[only]
