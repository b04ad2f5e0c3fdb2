"""Two chats about bread, each with its drawers."""

from datetime import timedelta

import pytest

from tests.memory.palaces import MONDAY, Spot, file


@pytest.fixture
def bread(as_alice):
    return file(as_alice.id, ["Feed it daily.", "It rose."])


@pytest.fixture
def rye(as_alice):
    start = MONDAY + timedelta(days=1)
    return file(
        as_alice.id,
        ["Rye is sour.", "It sank."],
        Spot(wing="Rye bread", kind="topic", room="Rye", start=start),
    )
