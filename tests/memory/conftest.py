"""What tests of memory share: an embedder that needs no model."""

from collections.abc import Iterator

import pytest

from llm import current
from llm.fake_gateway import FakeEmbedder


@pytest.fixture
def embedder() -> Iterator[FakeEmbedder]:
    fake = FakeEmbedder()
    with current.using(embedder=fake):
        yield fake
