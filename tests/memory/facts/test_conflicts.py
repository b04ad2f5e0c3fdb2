"""Facts that contradict others wait for review."""

import pytest

from memory.facts.conflicts import CONFLICTING_RELATIONSHIP, UNDECIDED, YEAR, contradicted_by
from memory.models import Fact
from memory.text import kinship
from memory.text.kinship import names_relation
from memory.text.patterns import table_of
from tests.memory.palaces import file, learn, state

MET = "My son tomás, my dog Tomás and my friend Tomás met Rui."
GUESSED = "Tomás takes three spoons"

pytestmark = pytest.mark.django_db


FILED = (Fact.Status.ACTIVE, "")
WAITS = (Fact.Status.PENDING, CONFLICTING_RELATIONSHIP)


@pytest.mark.parametrize(
    ("said", "predicate", "name", "mined_by", "outcome"),
    [
        (MET, "parent_of", "tomás", "reader", WAITS),
        (MET, "has_pet", "Tomás", "reader", WAITS),
        (MET, "parent_of", "Rui", "reader", FILED),
        (MET, "engaged_to", "Tomás", "reader", FILED),
        (MET, "friend_of", "Tomás", "reader", FILED),
        (MET, "parent_of", "Tomás", "model", FILED),
        (GUESSED, "parent_of", "Tomás", "reader", None),
        (GUESSED, "friend_of", "tomás", "reader", None),
        (GUESSED, "acquainted_with", "Tomás", "reader", None),
        (GUESSED, "married_to", "Tomás", "reader", FILED),
        (GUESSED, "friend_of", "Rui", "reader", FILED),
        (GUESSED, "parent_of", "Tomás", "model", FILED),
    ],
)
def test_second_relationship_to_a_person_waits_or_is_dropped_if_no_word_names_it(
    as_alice, said, predicate, name, mined_by, outcome
):
    [drawer] = file(as_alice.id, [said])
    bond = {"kind": "relationship", "predicate": "partner_of", "object": "Tomás"}
    partner = learn(drawer, said, "Tomás is the user's partner.", **bond)
    found = bond | {"object": name, "predicate": predicate, "mined_by": mined_by}
    fact = state(drawer, said, f"{name} is something else.", **found)
    assert (fact and (fact.status, fact.review_reason)) == outcome
    if fact:
        assert contradicted_by(fact) == (partner if outcome == WAITS and name != "Rui" else None)


@pytest.mark.parametrize(
    ("known", "word", "given", "is_filed"),
    [
        ("Felix", "frère", {}, False),
        ("Felix", "Jonas", {}, True),
        ("", "frère", {}, True),
        ("", "frère", {"review_reason": "Unsure."}, False),
        ("", "Felix", {"review_reason": "Unsure."}, True),
    ],
)
def test_a_word_for_a_relative_known_by_name_is_no_fact_and_nobody_is_asked_about_one(
    as_alice, known, word, given, is_filed
):
    [drawer] = file(as_alice.id, [MET])
    brother = {"kind": "relationship", "predicate": "sibling_of"}
    if known:
        learn(drawer, MET, f"{known} is the user's brother.", key="brother_felix", object=known, **brother)
    key = f"brother_{word.casefold()}"
    fact = state(drawer, MET, "The user has a brother.", key=key, object=word, **brother, **given)
    assert bool(fact) is is_filed


def test_the_name_of_a_father_is_not_that_of_the_mother(as_alice):
    [drawer] = file(as_alice.id, [MET])
    parent = {"kind": "relationship", "predicate": "child_of"}
    learn(drawer, MET, "Felix is the user's father.", key="father", object="Felix", **parent)
    learn(drawer, MET, "The user has a mother.", key="mother", object="mother", **parent)


def test_plurals_and_words_for_in_laws_name_a_relationship():
    assert names_relation("My sons Tomás and Rui", "parent_of")
    assert names_relation("mis hermanos Juan y Pedro", "sibling_of")
    assert names_relation("Tomás is my brother-in-law", "relative_of")


def test_a_word_means_one_kind_of_relative():
    listed = [
        (column[:2], word)
        for row in table_of(kinship.__file__)["kin"]
        for column in row.keys() - {"label", "predicate", "key"}
        for word in row[column].split(", ")
    ]
    assert len(listed) == len(set(listed)) > 1000


SAID = "I can't drink coffee before concerts, my bow shakes"
CANNOT = {"predicate": "cannot", "kind": "constraint"}
DOUBT = {"review_reason": "Unsure.", "kind": "behaviour"}


@pytest.mark.parametrize(
    ("statement", "predicate", "given", "is_asked"),
    [
        ("The user said: “I can't drink coffee before concerts”", "habit", {}, False),
        ("The user cannot drink coffee.", "cannot", {}, False),
        ("The user has a bow.", "has", {"object": "bow"}, True),
    ],
)
def test_nobody_is_asked_about_a_fact_that_reads_like_a_known_one(
    as_alice, statement, predicate, given, is_asked
):
    [drawer] = file(as_alice.id, [SAID])
    for known in ("The user said: “my bow shakes”", "The user cannot drink coffee."):
        learn(drawer, SAID, known, key=known, **CANNOT)
    asked = state(drawer, SAID, statement, value="x", predicate=predicate, **DOUBT, **given)
    assert (asked is not None) is is_asked
    assert Fact.objects.filter(status=Fact.Status.PENDING).exists() is is_asked


def test_a_repeated_statement_of_another_kind_is_a_source_of_the_known_fact(as_alice):
    first, second = file(as_alice.id, [SAID, f"As I said, {SAID}"])
    fact = learn(first, SAID, "The user cannot drink coffee.", **CANNOT)
    assert state(second, SAID, "The user cannot drink coffee.", **DOUBT) is None
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
    assert bool(contradicted_by(fact)) == is_known


AGE = {"key": "age", "predicate": "aged", "single_valued": True}


def grow(drawer, age, years):
    """The fact that the owner has this age, stated some years after the drawer."""
    stated = {"object": age, "value": age, "valid_from": drawer.said_at + years * YEAR}
    return learn(drawer, drawer.content, f"The user is {age} years old.", **AGE, **stated)


@pytest.mark.parametrize(
    ("age", "reason"), [("35", ""), ("36", ""), ("58", UNDECIDED), ("31", UNDECIDED), ("forty", "")]
)
def test_an_age_that_does_not_fit_the_known_one_waits(as_alice, age, reason):
    [drawer] = file(as_alice.id, ["I am 34, or so"])
    grow(drawer, "34", 0)
    assert grow(drawer, age, 1).review_reason == reason


def test_two_ages_that_fit_outweigh_one(as_alice):
    [drawer] = file(as_alice.id, ["I am 71, or so"])
    grow(drawer, "71", 0)
    assert [grow(drawer, "37", 1).review_reason, grow(drawer, "38", 2).review_reason] == [UNDECIDED, ""]
