"""Three drawers of Alice's, and an embedder that needs no model."""

from collections.abc import Iterator

import pytest

from accounts.models import User
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.models import Drawer
from tests.memory.palaces import file


@pytest.fixture(autouse=True)
def embedder() -> Iterator[FakeEmbedder]:
    fake = FakeEmbedder()
    with current.using(embedder=fake):
        yield fake


@pytest.fixture
def bread(as_alice: User) -> list[Drawer]:
    return file(as_alice.id, ["Tea for me.", "More tea, please.", "And some milk."])
