import numpy as np
import pytest
from django.core.management import CommandError, call_command

from bench.embedding import CachingEmbedder
from llm import current, weights
from llm.local_embedder import LocalEmbedder
from tests.fake_gateway import FakeEmbedder


def test_vectors_are_cached_in_a_file(tmp_path):
    path = tmp_path / "deep" / "vectors.sqlite"
    behind = FakeEmbedder()
    first = CachingEmbedder(behind, path).embed_documents(["boat", "tea", "boat"]).vectors
    again = CachingEmbedder(behind, path).embed_documents(["tea", "rice", "boat"]).vectors
    assert behind.embedded == ["boat", "tea", "rice"]
    assert np.allclose(first[0], first[2])
    assert np.allclose(first[1], again[0])


def test_cache_is_separate_for_each_model(tmp_path):
    path, other = tmp_path / "vectors.sqlite", FakeEmbedder(name="other")
    CachingEmbedder(FakeEmbedder(), path).embed_documents(["tea"])
    CachingEmbedder(other, path).embed_documents(["tea"])
    assert other.embedded == ["tea"]


@pytest.mark.parametrize("benchmark", ["smoke", "languages", "figures", "longmemeval"])
def test_benchmarks_need_the_embedder(tmp_path, monkeypatch, benchmark):
    monkeypatch.setattr(weights, "CHECKOUT_MODELS", tmp_path)
    options = {"data": "any.json"} if benchmark == "longmemeval" else {}
    with (
        current.using(embedder=LocalEmbedder(tmp_path)),
        pytest.raises(CommandError, match="make install"),
    ):
        call_command("bench", benchmark, out=tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()
