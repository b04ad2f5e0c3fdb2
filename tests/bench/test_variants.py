from dataclasses import fields
from datetime import UTC, datetime

import pytest

from accounts.models import User
from accounts.tenancy import tenant
from bench.baselines import by_arm
from bench.cases import BenchSession, BenchTurn
from bench.errors import BenchmarkImpossible
from bench.ingest import ingest
from bench.variants import SIGNALS, Variant
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.recall.recipes import COMPLETE, DEFAULT
from memory.recall.types import RecallRequest

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_an_arm_a_stage_and_a_signal_can_be_left_out():
    settings = Variant(without=("words", COMPLETE, "recency"), time_limit_ms=700).settings
    assert "words" not in settings.recipe.arms
    assert not settings.recipe.has(COMPLETE)
    assert settings.recency == 0
    assert settings.patience_ms == 700
    assert Variant().settings.recipe == DEFAULT


def test_what_nobody_can_leave_out_is_refused_with_what_can():
    with pytest.raises(BenchmarkImpossible, match="vectors"):
        _ = Variant(without=("magic",)).settings


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("arm", ["words", "vectors"])
def test_one_arm_ranks_by_its_own_measure(arm):
    user = User.objects.create_user("arm@example.org")
    said = ("The heron lives by the quiet pond.", "A pond needs a pump.", "Bread rises slowly.")
    turns = tuple(BenchTurn("user", words) for words in said)
    with current.using(embedder=FakeEmbedder()), tenant(user.id):
        ingest(user.id, [BenchSession("one", NOW, turns, "one")], NOW)
        request = RecallRequest(user.id, "Where does the heron by the pond live?", NOW)
        ranked, found = by_arm(request, arm)
    measure = {"words": "words", "vectors": "cosine"}[arm]
    measures = [candidate.scores[measure] for candidate in ranked]
    assert measures == sorted(measures, reverse=True)
    assert len(ranked) >= 2
    assert arm in found.arms
    assert not {"words", "vectors"} - {arm} & set(found.arms)


@pytest.mark.parametrize("signal", SIGNALS)
def test_a_signal_is_left_out_by_its_weights(signal):
    weights = Variant(without=(signal,)).settings.recipe.weights
    changed = {
        field.name
        for field in fields(weights)
        if getattr(weights, field.name) != getattr(DEFAULT.weights, field.name)
    }
    assert changed == set(SIGNALS[signal])
    assert not any(getattr(weights, name) for name in changed)
