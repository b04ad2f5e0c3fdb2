"""A second model of embeddings, for those who choose it."""

from collections.abc import Iterator

import pytest

from llm import current
from tests.fake_gateway import FakeEmbedder


@pytest.fixture
def wide(embedder: FakeEmbedder) -> Iterator[FakeEmbedder]:
    """Beside the deployment's embedder, one with longer vectors."""
    fake = FakeEmbedder(name="wide", dimensions=1536)
    with current.using(other_embedders=[fake]):
        yield fake
