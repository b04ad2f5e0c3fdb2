from datetime import UTC, datetime

import pytest

from bench.cases import BenchQuestion, BenchSession, BenchTurn
from bench.palaces import ingest, owner_of
from bench.rankings import BASELINES, Variant, ask
from llm import current
from tests.fake_gateway import FakeEmbedder

NOW = datetime(2026, 3, 1, tzinfo=UTC)


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
