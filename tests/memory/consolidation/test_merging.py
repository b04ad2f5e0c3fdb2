from datetime import timedelta

import pytest

from accounts.models import User
from memory.consolidation.application import consolidate
from memory.consolidation.knowledge import read_knowledge
from memory.consolidation.merging import merged, same_words
from memory.facts import Statement, file_fact
from memory.models import Drawer, Fact, FactLink
from tests.memory.consolidation.facts import add
from tests.memory.palaces import MONDAY, learn


def groups(user: User) -> list[tuple[str, list[str]]]:
    """Each fact that stays with those it takes in."""
    knowledge = read_knowledge(user.id)
    said = {fact.id: fact.statement for fact in knowledge.facts}
    return [
        (said[change.subject_id], [said[other] for other in change.others])
        for change in merged(knowledge, knowledge.open_facts())
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Likes green tea.", "likes the Green Tea"),
        ("The user likes tea!", "likes tea"),
        ("Любит чай.", "любит чай"),
        ("喜欢绿茶。", "喜欢绿茶"),
        ("يحب القهوة.", "يحب القهوة"),
        ("Loves 🍵.", "loves 🍵"),
        ("Ｌikes tea", "Likes tea"),
    ],
)
def test_the_same_words_are_merged_in_any_script(as_alice: User, bread: list[Drawer], one: str, other: str):
    add(bread[0], one, key="a")
    add(bread[1], other, key="b")
    assert groups(as_alice) == [(one, [other])]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Likes tea.", "Does not like tea."),
        ("Doesn't like tea.", "Does like tea."),
        ("Likes 4 teas.", "Likes 5 teas."),
        ("Ana loves Ben.", "Ben loves Ana."),
        ("Uses C.", "Uses C++."),
        ("喜欢绿茶。", "喜欢红茶。"),
        ("Likes tea.", "Likes green tea."),
        ("Loves 🍵.", "Loves 🍺."),
        ("Code is 1.5", "Code is 15"),
    ],
)
def test_what_differs_in_a_word_stays_apart(as_alice: User, bread: list[Drawer], one: str, other: str):
    add(bread[0], one)
    add(bread[1], other)
    assert groups(as_alice) == []


def test_the_same_value_of_the_same_thing_is_merged_in_other_words(as_alice: User, bread: list[Drawer]):
    given = {
        "key": "favourite_tea",
        "predicate": "prefers",
        "object": "jasmine",
        "value": "Jasmine",
    }
    add(bread[0], "The favourite tea is jasmine.", **given)
    add(bread[1], "Prefers jasmine tea.", **given)
    assert len(groups(as_alice)) == 1


@pytest.mark.parametrize(
    "difference",
    [
        {"kind": "goal"},
        {"persons": ["Ana"]},
        {"location": "Porto"},
        {"event_time": MONDAY},
        {"status": Fact.Status.PENDING},
        {"valid_to": MONDAY + timedelta(days=1)},
        {"archived_at": MONDAY},
        {"single_valued": True},
    ],
)
def test_what_is_about_something_else_or_not_in_use_stays_apart(
    as_alice: User, bread: list[Drawer], difference: dict[str, object]
):
    add(bread[0], "Likes tea.")
    add(bread[1], "likes tea", **difference)
    assert groups(as_alice) == []


def link(one: Fact, other: Fact, likeness: float) -> None:
    first, second = sorted((one.id, other.id))
    FactLink.objects.create(
        user_id=one.user_id,
        fact_id=first,
        other_id=second,
        kind=FactLink.Kind.RELATED,
        likeness=likeness,
    )


@pytest.mark.parametrize(("likeness", "count"), [(0.95, 1), (0.9, 0), (0.75, 0)])
def test_what_means_the_same_by_its_vectors_is_merged(
    as_alice: User, bread: list[Drawer], likeness: float, count: int
):
    one = add(bread[0], "Likes tea.", object="tea", predicate="likes")
    other = add(bread[1], "Is fond of tea.", object="Tea", predicate="fond_of")
    link(one, other, likeness)
    assert len(groups(as_alice)) == count


@pytest.mark.parametrize(
    ("statement", "thing"),
    [("Is not fond of tea.", "tea"), ("Is fond of 3 teas.", "tea"), ("Is fond of chai.", "chai")],
)
def test_likeness_alone_merges_nothing_that_differs(
    as_alice: User, bread: list[Drawer], statement: str, thing: str
):
    one = add(bread[0], "Likes tea.", object="tea", predicate="likes")
    other = add(bread[1], statement, object=thing, predicate="fond_of")
    link(one, other, 0.99)
    assert groups(as_alice) == []


def test_a_merged_fact_that_is_said_again_counts_for_the_one_that_stayed(as_alice: User, bread: list[Drawer]):
    kept = learn(bread[0], "Tea", "Likes tea.", confidence=0.9, key="a")
    other = learn(bread[1], "tea", "likes the tea", confidence=0.6, key="b")
    consolidate(as_alice.id, MONDAY)
    other.refresh_from_db()
    assert other.merged_into_id == kept.id
    statement = Statement(
        kind=other.kind,
        key=other.key,
        value=other.value,
        statement="Likes the tea!",
        predicate=other.predicate,
        object=other.object,
        confidence=0.6,
        authority="user",
        valid_from=MONDAY + timedelta(days=9),
        drawer_id=bread[2].id,
        span=(0, 3),
    )
    assert file_fact(as_alice.id, statement) is None
    kept.refresh_from_db()
    assert kept.times_seen == 3
    assert kept.sources.count() == 3


def test_what_happened_on_two_days_happened_twice(as_alice: User, bread: list[Drawer]):
    given = {"kind": "event", "memory_type": Fact.Memory.EPISODIC}
    add(bread[0], "Met Ana.", **given)
    add(bread[1], "met Ana", valid_from=MONDAY + timedelta(days=1), **given)
    assert groups(as_alice) == []
    add(bread[2], "MET ANA", **given)
    assert len(groups(as_alice)) == 1


def test_the_one_with_most_authority_and_confidence_stays(as_alice: User, bread: list[Drawer]):
    add(bread[0], "likes tea", confidence=0.95, authority="tool")
    add(bread[1], "Likes tea.", confidence=0.7)
    add(bread[2], "LIKES TEA", confidence=0.8)
    assert groups(as_alice) == [("LIKES TEA", ["Likes tea.", "likes tea"])]


def test_nothing_is_left_of_a_statement_that_says_nothing():
    assert same_words("  …!  ") == ()
