from datetime import timedelta

import pytest

from memory.consolidation.planning import merge_changes, read_knowledge, same_words
from memory.models import Fact, FactLink
from memory.preferences import change_preferences
from tests.memory.consolidation.facts import add
from tests.memory.palaces import MONDAY


def groups(user):
    """Each remaining fact with the facts merged into it."""
    said = dict(Fact.objects.values_list("id", "statement"))
    return [
        (said[change.subject_id], [said[other] for other in change.others])
        for change in merge_changes(read_knowledge(user.id))
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Likes green tea.", "likes the Green Tea", True),
        ("The user likes tea!", "likes tea", True),
        ("Любит чай.", "любит чай", True),
        ("喜欢绿茶。", "喜欢绿茶", True),
        ("يحب القهوة.", "يحب القهوة", True),
        ("Loves 🍵.", "loves 🍵", True),
        ("Ｌikes tea", "Likes tea", True),
        ("Likes tea.", "Does not like tea.", False),
        ("Doesn't like tea.", "Does like tea.", False),
        ("Likes 4 teas.", "Likes 5 teas.", False),
        ("Ana loves Ben.", "Ben loves Ana.", False),
        ("Uses C.", "Uses C++.", False),
        ("喜欢绿茶。", "喜欢红茶。", False),
        ("Likes tea.", "Likes green tea.", False),
        ("Loves 🍵.", "Loves 🍺.", False),
        ("Code is 1.5", "Code is 15", False),
    ],
)
def test_only_facts_with_the_same_words_are_merged_in_any_script(as_alice, bread, one, other, same):
    add(bread[0], one, key="a" if same else "k")
    add(bread[1], other, key="b" if same else "k")
    assert groups(as_alice) == ([(one, [other])] if same else [])
    assert same_words("  …!  ") == ()


def test_facts_with_the_same_key_and_value_are_merged_despite_their_wording(as_alice, bread):
    given = {"key": "favourite_tea", "predicate": "prefers", "object": "jasmine", "value": "Jasmine"}
    add(bread[0], "The favourite tea is jasmine.", **given)
    add(bread[1], "Prefers jasmine tea.", **given)
    assert len(groups(as_alice)) == 1


def test_facts_with_different_details_or_not_active_are_not_merged(as_alice, bread):
    add(bread[0], "Likes tea.")
    for difference in (
        {"kind": "goal"},
        {"persons": ["Ana"]},
        {"location": "Porto"},
        {"event_time": MONDAY},
        {"status": Fact.Status.PENDING},
        {"valid_to": MONDAY + timedelta(days=1)},
        {"archived_at": MONDAY},
        {"single_valued": True},
    ):
        other = add(bread[1], "likes tea", **difference)
        assert groups(as_alice) == [], difference
        other.delete()


def link(one, other, similarity):
    first, second = sorted((one.id, other.id))
    FactLink.objects.create(
        user_id=one.user_id, fact_id=first, other_id=second, kind=FactLink.Kind.RELATED, similarity=similarity
    )


@pytest.mark.parametrize(
    ("statement", "thing", "similarity", "count"),
    [
        ("Is fond of tea.", "Tea", 0.95, 1),
        ("Is fond of tea.", "Tea", 0.9, 0),
        ("Is not fond of tea.", "tea", 0.99, 0),
        ("Is fond of 3 teas.", "tea", 0.99, 0),
        ("Is fond of chai.", "chai", 0.99, 0),
    ],
)
def test_similar_facts_are_merged_unless_they_differ_materially(
    as_alice, bread, statement, thing, similarity, count
):
    one = add(bread[0], "Likes tea.", object="tea", predicate="likes")
    other = add(bread[1], statement, object=thing, predicate="fond_of")
    link(one, other, similarity)
    assert len(groups(as_alice)) == count


def test_similarity_of_duplicates_is_configurable(as_alice, bread):
    one = add(bread[0], "Likes tea.", object="tea", predicate="likes")
    link(one, add(bread[1], "Is fond of tea.", object="Tea", predicate="fond_of"), 0.95)
    for similarity, count in ((0.96, 0), (0.8, 1)):
        change_preferences(as_alice.id, {"duplicate_similarity": similarity}, MONDAY)
        assert len(groups(as_alice)) == count


def test_events_on_different_days_are_not_merged(as_alice, bread):
    given = {"kind": "event", "memory_type": Fact.Memory.EPISODIC}
    add(bread[0], "Met Ana.", **given)
    add(bread[1], "met Ana", valid_from=MONDAY + timedelta(days=1), **given)
    assert groups(as_alice) == []
    add(bread[2], "MET ANA", **given)
    assert len(groups(as_alice)) == 1


def test_merging_keeps_the_fact_with_most_authority_and_confidence(as_alice, bread):
    add(bread[0], "likes tea", confidence=0.95, authority="tool")
    add(bread[1], "Likes tea.", confidence=0.7)
    add(bread[2], "LIKES TEA", confidence=0.8)
    assert groups(as_alice) == [("LIKES TEA", ["Likes tea.", "likes tea"])]
