"""Facts about Alice."""

from collections.abc import Callable

import pytest

from accounts.models import User
from memory.models import Fact
from tests.fake_gateway import FakeEmbedder
from tests.memory.palaces import file, learn

Know = Callable[..., Fact]


@pytest.fixture(autouse=True)
def bag_of_words(embedder: FakeEmbedder) -> None:
    """Every test does without a model."""


@pytest.fixture
def know(as_alice: User) -> Know:
    """Says something as Alice and files a fact that rests on it."""

    def make(predicate: str, value: str, statement: str, **given: object) -> Fact:
        (said,) = file(as_alice.id, [f"So it is: {value}"])
        fields = {"predicate": predicate, "value": value, "object": value, "key": predicate}
        return learn(said, value, statement, **(fields | given))

    return make


@pytest.fixture
def priya(know: Know) -> list[Fact]:
    """A handful of facts of most sections."""
    one = {"single_valued": True, "kind": "identity"}
    return [
        know("named", "Priya", "The user's name is Priya.", **one | {"key": "name"}),
        know("lives_in", "Zürich", "The user lives in Zürich.", **one | {"key": "home_city"}),
        know("works_as", "data engineer", "The user's occupation is data engineer.", **one),
        know("likes", "jazz", "The user likes jazz.", key="preference_jazz"),
        know("likes", "香菜", "The user likes 香菜.", key="preference_香菜"),
        know(
            "married_to",
            "Tom Baker",
            "Tom Baker is the user's husband.",
            **one | {"kind": "relationship", "key": "spouse"},
        ),
        know("allergic_to", "penicillin", "The user is allergic to penicillin.", kind="identity"),
    ]
