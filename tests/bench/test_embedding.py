import numpy as np
import pytest
from django.core.management import CommandError, call_command

from bench.cases import BenchmarkImpossible
from bench.embedding import CachingEmbedder, UnavailableEmbedder
from llm import current, weights
from llm.errors import EmbedderUnavailable
from llm.local_embedder import LocalEmbedder
from tests.fake_gateway import FakeEmbedder


def test_texts_embedded_once_come_from_the_file(tmp_path):
    path = tmp_path / "deep" / "vectors.sqlite"
    behind = FakeEmbedder()
    first = CachingEmbedder(behind, path).embed_documents(["boat", "tea", "boat"]).vectors
    again = CachingEmbedder(behind, path).embed_documents(["tea", "rice", "boat"]).vectors
    assert behind.embedded == ["boat", "tea", "rice"]
    assert np.allclose(first[0], first[2])
    assert np.allclose(first[1], again[0])


def test_a_file_belongs_to_one_model(tmp_path):
    path = tmp_path / "vectors.sqlite"
    CachingEmbedder(FakeEmbedder(), path)
    with pytest.raises(BenchmarkImpossible, match="holds vectors of"):
        CachingEmbedder(FakeEmbedder(name="other"), path)


def test_a_run_without_an_embedder_has_one_that_fails():
    embedder = UnavailableEmbedder()
    assert embedder.probe().state == "down"
    for embed in (embedder.embed_query, embedder.embed_documents):
        with pytest.raises(EmbedderUnavailable):
            embed("boat")


@pytest.mark.parametrize("benchmark", ["smoke", "languages", "figures", "longmemeval"])
def test_nothing_is_measured_without_the_embedder_unless_asked_to(tmp_path, monkeypatch, benchmark):
    monkeypatch.setattr(weights, "CHECKOUT_MODELS", tmp_path)
    options = {"data": "any.json"} if benchmark == "longmemeval" else {}
    with (
        current.using(embedder=LocalEmbedder(tmp_path)),
        pytest.raises(CommandError, match="make install") as refused,
    ):
        call_command("bench", benchmark, out=tmp_path / "out", **options)
    assert ("--without-embedder" in str(refused.value)) == (benchmark == "longmemeval")
    assert not (tmp_path / "out").exists()
