"""Facts that contradict others wait for review."""

import pytest

from memory.facts.conflicts import CONFLICTING_RELATIONSHIP, UNDECIDED
from memory.models import Fact
from memory.text.kinship import names_relation
from tests.memory.palaces import file, learn, state

MET = "My son tomás, my dog Tomás and my friend Tomás met Rui."
BOND = {"kind": "relationship"}

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
    [drawer] = file(as_alice.id, [MET])
    learn(drawer, MET, "Tomás is the user's partner.", object="Tomás", predicate="partner_of", **BOND)
    found = {"object": name, "predicate": predicate, **BOND, **given}
    fact = learn(drawer, MET, f"{name} is something else.", **found)
    assert (fact.status == Fact.Status.PENDING, fact.review_reason) == (
        waits,
        CONFLICTING_RELATIONSHIP if waits else "",
    )


@pytest.mark.parametrize(
    ("predicate", "name", "given", "is_filed"),
    [
        ("parent_of", "Tomás", {}, False),
        ("friend_of", "tomás", {}, False),
        ("acquainted_with", "Tomás", {}, False),
        ("married_to", "Tomás", {}, True),
        ("friend_of", "Rui", {}, True),
        ("parent_of", "Tomás", {"mined_by": "model"}, True),
    ],
)
def test_a_relationship_guessed_of_a_known_person_is_dropped(as_alice, predicate, name, given, is_filed):
    said = "Tomás takes three spoons"
    [drawer] = file(as_alice.id, [said])
    learn(drawer, said, "Tomás is the user's partner.", object="Tomás", predicate="partner_of", **BOND)
    found = {"object": name, "predicate": predicate, **BOND, **given}
    assert (state(drawer, said, f"{name} is something else.", **found) is not None) is is_filed


@pytest.mark.parametrize(
    ("said", "predicate"),
    [
        ("My sons Tomás and Rui", "parent_of"),
        ("mis hermanos Juan y Pedro", "sibling_of"),
        ("Tomás is my brother-in-law", "relative_of"),
    ],
)
def test_plurals_and_words_for_in_laws_name_a_relationship(said, predicate):
    assert names_relation(said, predicate)


SAID = "I can't drink coffee before concerts, my bow shakes"
DOUBT = {"review_reason": "Unsure.", "mined_by": "reader"}


@pytest.mark.parametrize(
    ("statement", "given", "is_asked"),
    [
        ("The user said: “I can't drink coffee before concerts”", {"predicate": "habit"}, False),
        ("The user cannot drink coffee.", {"predicate": "cannot"}, False),
        ("The user has a bow.", {"predicate": "has", "object": "bow"}, True),
    ],
)
def test_nobody_is_asked_about_a_fact_that_reads_like_a_known_one(as_alice, statement, given, is_asked):
    [drawer] = file(as_alice.id, [SAID])
    for known in ("The user said: “my bow shakes”", "The user cannot drink coffee."):
        learn(drawer, SAID, known, predicate="cannot", kind="constraint", key=known)
    asked = state(drawer, SAID, statement, kind="behaviour", value="x", **DOUBT | given)
    assert (asked is not None) is is_asked
    assert Fact.objects.filter(status=Fact.Status.PENDING).exists() is is_asked


def test_a_repeated_statement_of_another_kind_is_a_source_of_the_known_fact(as_alice):
    first, second = file(as_alice.id, [SAID, f"As I said, {SAID}"])
    fact = learn(first, SAID, "The user cannot drink coffee.", predicate="cannot", kind="constraint")
    assert state(second, SAID, "The user cannot drink coffee.", kind="behaviour", **DOUBT) is None
    fact.refresh_from_db()
    assert (fact.times_seen, fact.sources.count(), fact.status) == (2, 2, Fact.Status.ACTIVE)


@pytest.mark.parametrize(("is_known", "reason"), [(True, UNDECIDED), (False, "")])
def test_a_name_that_nothing_introduces_waits_if_another_is_known(as_alice, is_known, reason):
    said = "My name is Alma. Wanjiru, Nakuru."
    [drawer] = file(as_alice.id, [said])
    if is_known:
        learn(drawer, said, "The user's name is Alma.", key="name", value="Alma", single_valued=True)
    name = {"key": "name", "value": "Wanjiru", "object": "Wanjiru", "predicate": "named"}
    fact = learn(drawer, said, "The user's name is Wanjiru.", **name, single_valued=False)
    assert fact.review_reason == reason
