"""Three drawers of Alice's."""

import pytest

from tests.memory.palaces import file


@pytest.fixture
def bread(as_alice, embedder):
    return file(as_alice.id, ["Tea for me.", "More tea, please.", "And some milk."])
