"""Facts that contradict others wait for review."""

import pytest

from memory.facts.conflicts import CONFLICTING_RELATIONSHIP
from memory.models import Fact
from tests.memory.palaces import file, learn

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("predicate", "name", "given", "waits"),
    [
        ("parent_of", "tomás", {}, True),
        ("has_pet", "Tomás", {}, True),
        ("parent_of", "Rui", {}, False),
        ("engaged_to", "Tomás", {}, False),
        ("friend_of", "Tomás", {}, False),
        ("parent_of", "Tomás", {"mined_by": "model"}, False),
    ],
)
def test_second_relationship_to_the_same_person_waits(as_alice, predicate, name, given, waits):
    [drawer] = file(as_alice.id, ["Tomás cooks for Rui and tomás."])
    learn(drawer, "Tomás", "Tomás is the user's partner.", predicate="partner_of", kind="relationship")
    fact = learn(
        drawer, name, f"{name} is something else.", predicate=predicate, kind="relationship", **given
    )
    assert (fact.status == Fact.Status.PENDING, fact.review_reason) == (
        waits,
        CONFLICTING_RELATIONSHIP if waits else "",
    )
