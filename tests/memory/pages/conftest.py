"""Alice's palace."""

import pytest

from accounts.tenancy import tenant
from memory.aaak import Tags
from tests.memory.palaces import Spot, file, learn, relate


@pytest.fixture(autouse=True)
def bag_of_words(embedder):
    """Every test uses the bag-of-words embedder."""


@pytest.fixture
def bread(as_alice, embedder):
    """Three drawers about bread, with a fact and a relation."""
    drawers = file(
        as_alice.id,
        [
            "I feed my rye starter every morning at seven.",
            "My sister Ines gave it to me in Porto.",
            "The oven is always too hot at first.",
        ],
        tags=Tags(people=("Ines",), places=("Porto",)),
    )
    learn(drawers[0], "rye starter every morning", "Feeds a rye starter every morning.")
    relate(drawers[1], "user", "has_sister", "Ines")
    return drawers


@pytest.fixture
def bobs(bob, embedder):
    """Bob's one drawer, about Alice's subject."""
    with tenant(bob.id):
        return file(bob.id, ["Bob keeps his own rye starter in a blue jar."], Spot(wing="Jar"))
