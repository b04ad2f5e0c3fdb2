import numpy as np
import pytest

from bench.cache import CachingEmbedder
from bench.errors import BenchmarkImpossible
from llm.fake_gateway import FakeEmbedder


def test_what_was_embedded_once_comes_from_the_file(tmp_path):
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
    other = FakeEmbedder(name="other")
    with pytest.raises(BenchmarkImpossible, match="vectors of the model"):
        CachingEmbedder(other, path)
