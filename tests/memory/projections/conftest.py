"""Facts about Alice."""

import pytest

from memory.models import Fact
from tests.memory.palaces import file, learn


@pytest.fixture(autouse=True)
def bag_of_words(embedder):
    """Every test uses the bag-of-words embedder."""


@pytest.fixture
def add_fact(as_alice):
    """Files a message of Alice and a fact with that message as its source."""

    def make(predicate: str, value: str, statement: str, **given: object) -> Fact:
        (said,) = file(as_alice.id, [f"So it is: {value}"])
        fields = {"predicate": predicate, "value": value, "object": value, "key": predicate}
        return learn(said, value, statement, **(fields | given))

    return make


@pytest.fixture
def priya(add_fact):
    """A few facts from most sections of the profile."""
    one = {"single_valued": True, "kind": "identity"}
    husband = one | {"kind": "relationship", "key": "spouse"}
    return [
        add_fact("named", "Priya", "The user's name is Priya.", **one | {"key": "name"}),
        add_fact("lives_in", "Zürich", "The user lives in Zürich.", **one | {"key": "home_city"}),
        add_fact("works_as", "data engineer", "The user's occupation is data engineer.", **one),
        add_fact("likes", "jazz", "The user likes jazz.", key="preference_jazz"),
        add_fact("likes", "香菜", "The user likes 香菜.", key="preference_香菜"),
        add_fact("married_to", "Tom Baker", "Tom Baker is the user's husband.", **husband),
        add_fact("allergic_to", "penicillin", "The user is allergic to penicillin.", kind="identity"),
    ]
