"""Three drawers of Alice's."""

import pytest

from accounts.models import User
from memory.models import Drawer
from tests.fake_gateway import FakeEmbedder
from tests.memory.palaces import file


@pytest.fixture
def bread(as_alice: User, embedder: FakeEmbedder) -> list[Drawer]:
    return file(as_alice.id, ["Tea for me.", "More tea, please.", "And some milk."])
