"""A second embedding model that users can choose."""

import pytest

from llm import current
from tests.fake_gateway import FakeEmbedder


@pytest.fixture
def wide(embedder):
    """An embedder with longer vectors, beside the default one."""
    fake = FakeEmbedder(name="wide", dimensions=1536)
    with current.using(other_embedders=[fake]):
        yield fake
