"""Drawers about a person with two names."""

import pytest

from memory.graph.relations import add_source, relation_source
from memory.graph.resolution import add_alias
from tests.memory.graph.people import DAY, entity
from tests.memory.palaces import MONDAY, file, relate


@pytest.fixture
def drawers(as_alice):
    """Relations of Robert and Bob, who are one person, to employers and acquaintances."""
    texts = [f"Line {number} of a chat about Bob." for number in range(8)]
    said = file(as_alice.id, texts)
    relate(said[0], "Robert", "works_at", "Acme", single_valued=True)
    relate(said[1], "Bob", "works_at", "Initech", single_valued=True, valid_from=MONDAY + 5 * DAY)
    relate(said[2], "Bob", "knows", "Ines")
    relate(said[3], "Ines", "knows", "Robert", valid_from=MONDAY + DAY)
    relate(said[4], "Ines", "knows", "Bob")
    relate(said[5], "Bob", "knows", "Robert")
    relate(said[6], "Bob", "works_at", "Acme", single_valued=True, valid_from=MONDAY - DAY)
    add_alias(entity(as_alice, "Bob"), "Bobby")
    ends = ("Bob", "person"), "knows", ("Ines", "person")
    add_source(relation_source(said[7], *ends, at=MONDAY + 9 * DAY, ends=True, confidence=0.9))
    return said
