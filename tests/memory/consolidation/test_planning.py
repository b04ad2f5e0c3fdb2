"""Which facts consolidation merges, and which it archives."""

from datetime import timedelta

from memory.consolidation.planning import archive_changes, merge_changes, read_knowledge, same_words
from memory.facts.queries import current_facts, mark_recalled
from memory.models import Drawer, Fact, FactLink
from memory.preferences import change_preferences
from tests.memory.consolidation.facts import add
from tests.memory.palaces import MONDAY, learn, state

RETENTION = timedelta(days=100)
SECOND = timedelta(seconds=1)
LATER = MONDAY + timedelta(days=101)


def groups(user):
    """Each remaining fact with the facts merged into it."""
    said = dict(Fact.objects.values_list("id", "statement"))
    return [
        (said[change.subject_id], [said[other] for other in change.others])
        for change in merge_changes(read_knowledge(user.id))
    ]


def archived(user, now=LATER):
    changes = archive_changes(read_knowledge(user.id), retention=RETENTION, now=now)
    return [Fact.objects.get(id=change.subject_id).statement for change in changes]


SAME = [
    ("Likes green tea.", "likes the Green Tea"),
    ("The user likes tea!", "likes tea"),
    ("Любит чай.", "любит чай"),
    ("喜欢绿茶。", "喜欢绿茶"),
    ("يحب القهوة.", "يحب القهوة"),
    ("Loves 🍵.", "loves 🍵"),
    ("Ｌikes tea", "Likes tea"),
]
DIFFERENT = [
    ("Likes tea.", "Does not like tea."),
    ("Doesn't like tea.", "Does like tea."),
    ("Likes 4 teas.", "Likes 5 teas."),
    ("Ana loves Ben.", "Ben loves Ana."),
    ("Uses C.", "Uses C++."),
    ("喜欢绿茶。", "喜欢红茶。"),
    ("Likes tea.", "Likes green tea."),
    ("Loves 🍵.", "Loves 🍺."),
    ("Code is 1.5", "Code is 15"),
]


def test_only_facts_with_the_same_words_are_merged_in_any_script(as_alice, bread):
    for pairs, keys, count in ((SAME, "ab", 1), (DIFFERENT, "kk", 0)):
        for pair in pairs:
            Fact.objects.all().delete()
            for drawer, statement, key in zip(bread, pair, keys, strict=False):
                add(drawer, statement, key=key)
            assert groups(as_alice) == [(pair[0], [pair[1]])] * count, pair
    assert same_words("  …!  ") == ()


def test_facts_with_the_same_value_are_merged_into_the_one_with_most_authority_and_confidence(
    as_alice, bread
):
    given = {"key": "favourite_tea", "predicate": "prefers", "object": "jasmine", "value": "Jasmine"}
    add(bread[0], "The favourite tea is jasmine.", **given)
    add(bread[1], "Prefers jasmine tea.", **given)
    assert len(groups(as_alice)) == 1
    Fact.objects.all().delete()
    add(bread[0], "likes tea", confidence=0.95, authority="tool")
    add(bread[1], "Likes tea.", confidence=0.7)
    add(bread[2], "LIKES TEA", confidence=0.8)
    assert groups(as_alice) == [("LIKES TEA", ["Likes tea.", "likes tea"])]


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
    event = {"kind": "event", "memory_type": Fact.Memory.EPISODIC}
    add(bread[0], "Met Ana.", **event)
    add(bread[1], "met Ana", valid_from=MONDAY + timedelta(days=1), **event)
    assert groups(as_alice) == [], "on different days"
    add(bread[2], "MET ANA", **event)
    assert len(groups(as_alice)) == 1


def test_similar_facts_are_merged_unless_they_differ_materially(as_alice, bread):
    one = add(bread[0], "Likes tea.", object="tea", predicate="likes")

    def add_similar(statement, thing, similarity):
        other = add(bread[1], statement, object=thing, predicate="fond_of")
        first, second = sorted((one.id, other.id))
        ends = {"user_id": as_alice.id, "fact_id": first, "other_id": second}
        FactLink.objects.create(**ends, kind=FactLink.Kind.RELATED, similarity=similarity)
        return other

    for case in (
        ("Is fond of tea.", "Tea", 0.9),
        ("Is not fond of tea.", "tea", 0.99),
        ("Is fond of 3 teas.", "tea", 0.99),
        ("Is fond of chai.", "chai", 0.99),
    ):
        other = add_similar(*case)
        assert groups(as_alice) == [], case
        other.delete()
    add_similar("Is fond of tea.", "Tea", 0.95)
    assert len(groups(as_alice)) == 1
    for similarity, count in ((0.96, 0), (0.8, 1)):
        change_preferences(as_alice.id, {"duplicate_similarity": similarity}, MONDAY)
        assert len(groups(as_alice)) == count


def test_repetition_importance_and_recall_delay_archiving(as_alice, bread):
    repeated = [
        ({"times_seen": times}, factor) for times, factor in ((1, 1.0), (2, 1.5), (3, 2.0), (50, 4.0))
    ]
    important = [({"importance": share}, share + 0.5) for share in (0.0, 0.5, 1.0)]
    for given, factor in (*repeated, *important):
        made = add(bread[0], "Liked ships.", **given)
        end = MONDAY + RETENTION * factor
        assert (archived(as_alice, end), archived(as_alice, end + SECOND)) == ([], ["Liked ships."]), given
        mark_recalled(as_alice.id, [made.id], LATER)
        assert archived(as_alice, end + SECOND) == []
        made.delete()
    made = add(bread[0], "Liked ships.")
    mark_recalled(as_alice.id, [made.id], LATER)
    end = LATER + RETENTION * 1.5
    assert (archived(as_alice, end), archived(as_alice, end + SECOND)) == ([], ["Liked ships."])


def test_personal_pinned_approved_recent_and_unused_facts_are_never_archived(as_alice, bread):
    for kind in ("identity", "relationship", "constraint", "instruction"):
        add(bread[0], f"Is called Alice ({kind}).", kind=kind)
    add(bread[0], "Liked ships.", review_reason="Not sure.")
    add(bread[0], "Liked boats.", version=2)
    add(bread[0], "Liked canoes.", valid_from=MONDAY - timedelta(days=999), recorded_at=LATER)
    add(bread[0], "Liked trams.", status=Fact.Status.PENDING)
    add(bread[0], "Liked cars.", status=Fact.Status.REJECTED)
    add(bread[0], "Liked bikes.", archived_at=MONDAY)
    add(bread[1], "Liked kites.")
    Drawer.objects.filter(id=bread[1].id).update(pinned=True)
    assert archived(as_alice) == []
    add(bread[0], "Is said to be called Al.", kind="identity", authority="tool")
    assert archived(as_alice) == ["Is said to be called Al."]


def test_an_archived_fact_stays_current_and_is_unarchived_when_said_again(as_alice, bread):
    made = learn(bread[0], "Tea", "Likes tea.")
    Fact.objects.filter(id=made.id).update(archived_at=LATER)
    assert list(current_facts(as_alice.id)) == list(current_facts(as_alice.id, LATER)) == [made]
    assert not current_facts(as_alice.id).filter(archived_at=None).exists()
    given = {"key": made.key, "value": made.value, "object": made.object, "valid_from": LATER}
    assert state(bread[1], "More", "likes tea", **given) is None
    made.refresh_from_db()
    assert (made.archived_at, made.times_seen) == (None, 2)
