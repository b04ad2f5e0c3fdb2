from datetime import date, timedelta
from itertools import combinations, pairwise
from uuid import UUID

import pytest

from accounts.tenancy import tenant
from memory.models import Entity
from memory.pages.graph.drawing import (
    MAX_DRAWN,
    GraphSelection,
    RelationData,
    Tie,
    drawing,
    months,
    read_relations,
)
from memory.pages.graph.layout import layout
from tests.memory.palaces import MONDAY, file, learn, relate

IDS = [UUID(int=number) for number in range(1, 13)]
CHAIN = [(IDS[0], each) for each in IDS[1:5]] + [(IDS[5], each) for each in IDS[6:9]]


@pytest.fixture
def drawer(as_alice):
    return file(as_alice.id, ["Ines moved from Porto to Lisbon, where Rui and Ana live."])[0]


def drawn(drawer, chosen=None):
    return drawing(drawer.user_id, read_relations(drawer.user_id), chosen or GraphSelection())


def test_connected_entities_are_placed_together_without_overlap():
    found = layout(dict.fromkeys(IDS, "Garden"), CHAIN)
    assert sorted(len(patch.members) for patch in found.patches) == [3, 4, 5]
    assert set(found.cells) == set(IDS)
    for (x, y), (other_x, other_y) in combinations(found.cells.values(), 2):
        assert abs(x - other_x) >= 2 or abs(y - other_y) >= 2
    for patch in found.patches:
        inside = [found.cells[key] for key in patch.members]
        assert all(0 <= x - patch.x < patch.wide and 0 <= y - patch.y < patch.high for x, y in inside)
    for one, other in combinations(found.patches, 2):
        beside = one.x + one.wide < other.x or other.x + other.wide < one.x
        assert beside or one.y + one.high < other.y or other.y + other.high < one.y
    assert layout({}, []).patches == []


def test_unconnected_entities_are_placed_by_group():
    found = layout({key: str(number % 2) for number, key in enumerate(IDS)}, [])
    assert [set(patch.members) for patch in found.patches] == [set(IDS[::2]), set(IDS[1::2])]


def test_positions_do_not_depend_on_the_order_of_entities_and_links():
    ring = list(pairwise([*IDS, IDS[0]]))
    found = layout(dict.fromkeys(IDS, "Garden"), ring)
    assert layout(dict.fromkeys(reversed(IDS), "Garden"), reversed(ring)).cells == found.cells


def test_only_live_relations_of_the_user_are_drawn_once_per_pair(drawer, bob):
    relation = relate(drawer, "Ines", "knows", "Rui")
    relate(drawer, "Rui", "works_with", "Ines", valid_from=MONDAY + timedelta(days=1))
    relate(drawer, "Rui", "lives_in", "Lisbon")
    with tenant(bob.id):
        relate(file(bob.id, ["Ines sings."])[0], "Ines", "knows", "Secret")
    Entity.objects.filter(name="Lisbon").update(type="place")
    found = drawn(drawer)
    assert {node.name for node in found.nodes} == {"Ines", "Rui", "Lisbon"}
    assert sorted(link.kind for link in found.links) == ["person", "place"]
    relation.deleted_at = MONDAY
    relation.save(update_fields=["deleted_at"])
    assert len(drawn(drawer).links) == 2


def test_positions_do_not_depend_on_the_selected_time(drawer):
    relate(drawer, "Ines", "knows", "Rui")
    relate(drawer, "Ines", "knows", "Ana", valid_from=MONDAY + timedelta(days=9))
    early, late = (drawn(drawer, GraphSelection(at=MONDAY + timedelta(days=day))) for day in (1, 20))
    assert [(node.name, node.x, node.y) for node in early.nodes] == [
        (node.name, node.x, node.y) for node in late.nodes
    ]
    assert [node.name for node in early.nodes if not node.shown] == ["Ana"]
    assert all(node.shown for node in late.nodes)


def test_a_large_graph_is_limited_to_the_best_connected_and_the_selected_entities(drawer):
    for number in range(MAX_DRAWN + 5):
        relate(drawer, "Ines", "knows", f"Guest {number} of a very long name")
    relate(drawer, "Zita", "knows", "Zoe")
    found = drawn(drawer)
    assert (found.shown, found.known) == (MAX_DRAWN, MAX_DRAWN + 8)
    assert found.nodes[0].name == "Ines"
    assert all(len(node.label) <= 16 for node in found.nodes)
    assert all(0 < node.x < found.width and 0 < node.y < found.height for node in found.nodes)
    zita = Entity.objects.get(user_id=drawer.user_id, name="Zita")
    assert {"Zita", "Zoe", "Ines"} <= {node.name for node in drawn(drawer, GraphSelection(zita)).nodes}
    assert {node.name for node in drawn(drawer, GraphSelection(zita, hops=1)).nodes} == {"Zita", "Zoe"}


def test_entities_connected_only_with_the_owner_are_grouped_by_kind_with_captions(as_alice):
    said = "Kim is my teacher, I know Bea, my friend Bea. I speak Thai, I like tea, I live in Rome."
    drawer = file(as_alice.id, [said])[0]
    for words, predicate, name, statement in (
        ("my teacher", "acquainted_with", "Kim", "Kim is the user's teacher."),
        ("my friend Bea", "friend_of", "Bea", "Bea is the user's friend."),
        ("I speak Thai", "speaks", "Thai", "The user speaks Thai."),
        ("I like tea", "likes", "tea", "The user likes tea."),
        ("I live in Rome", "lives_in", "Rome", "The user lives in Rome."),
    ):
        learn(drawer, words, statement, predicate=predicate, object=name, key=f"{predicate} {name}")
    later = drawer.said_at + timedelta(days=1)
    learn(
        drawer,
        "I know Bea",
        "The user knows Bea.",
        predicate="acquainted_with",
        object="Bea",
        key="knows Bea",
        valid_from=later,
        mined_by="model",
    )
    found = drawn(drawer)
    assert {node.name: node.words for node in found.nodes} == {
        "Kim": "your teacher",
        "Bea": "your friend",
        "Thai": "you speak it",
        "tea": "you like it",
        "Rome": "you live there",
    }
    assert {area.name for area in found.patches} == {"People", "Languages", "Topics", "Places"}
    assert found.links == ()


def test_months_count_starts_of_relations_with_older_ones_in_the_first():
    known = RelationData()
    for n, day in enumerate((date(2020, 1, 1), date(2026, 2, 27), date(2026, 2, 1)), start=1):
        known.add(Tie((str(IDS[0]), str(IDS[n])), day, None))
    found = months(known, date(2026, 2, 28))
    assert [day for day, _ in found][::11] == [date(2025, 3, 31), date(2026, 2, 28)]
    assert [count for _, count in found] == [1, *[0] * 10, 2]
