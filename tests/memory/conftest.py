"""Three drawers of Alice's."""

import pytest

from accounts.models import User
from llm.fake_gateway import FakeEmbedder
from memory.models import Drawer
from tests.memory.palaces import file


@pytest.fixture
def bread(as_alice: User, embedder: FakeEmbedder) -> list[Drawer]:
    return file(as_alice.id, ["Tea for me.", "More tea, please.", "And some milk."])
