from datetime import timedelta

import pytest

from accounts.models import User
from accounts.tenancy import tenant
from memory.models import Drawer, Entity
from memory.pages.graph.graph import HEIGHT, MOST_ENTITIES, WIDTH, Drawing, View, drawing
from tests.memory.palaces import MONDAY, file, relate

LATER = MONDAY + timedelta(days=30)


@pytest.fixture
def drawer(as_alice: User) -> Drawer:
    return file(as_alice.id, ["Ines moved from Porto to Lisbon, where Rui and Ana live."])[0]


def seen_from(drawer: Drawer, name: str, view: View) -> Drawing:
    return drawing(Entity.objects.get(user_id=drawer.user_id, name=name), view)


def names(found: Drawing) -> set[str]:
    return {node.name for node in found.nodes}


def test_only_what_is_near_live_and_ones_own_is_drawn(drawer, bob):
    relation = relate(drawer, "Ines", "knows", "Rui")
    relate(drawer, "Rui", "knows", "Ana")
    relate(drawer, "Ana", "knows", "Leo")
    with tenant(bob.id):
        relate(file(bob.id, ["Ines sings."])[0], "Ines", "knows", "Secret")

    assert names(seen_from(drawer, "Ines", View(1, LATER))) == {"Ines", "Rui"}
    assert names(seen_from(drawer, "Ines", View(2, LATER))) == {"Ines", "Rui", "Ana"}
    relation.deleted_at = LATER
    relation.save(update_fields=["deleted_at"])
    assert names(seen_from(drawer, "Ines", View(2, LATER))) == {"Ines"}


def test_everything_keeps_its_place_as_time_moves(drawer: Drawer):
    relate(drawer, "Ines", "knows", "Rui")
    relate(drawer, "Ines", "knows", "Ana", valid_from=MONDAY + timedelta(days=9))

    def places(day: int) -> dict[str, tuple[int, int]]:
        found = seen_from(drawer, "Ines", View(2, MONDAY + timedelta(days=day)))
        return {node.name: (node.x, node.y) for node in found.nodes}

    early, late = places(1), places(20)
    assert set(late) - set(early) == {"Ana"}
    assert early.items() <= late.items()


def test_several_relations_of_two_are_one_line(drawer: Drawer):
    relate(drawer, "Ines", "knows", "Rui")
    relate(drawer, "Rui", "works_with", "Ines", valid_from=MONDAY + timedelta(days=1))

    (link,) = seen_from(drawer, "Ines", View(2, LATER)).links
    assert [line.relation for line in link.lines] == ["works with", "knows"]


def test_a_crowd_is_cut_to_what_a_drawing_can_hold_and_stays_inside(drawer: Drawer):
    for number in range(MOST_ENTITIES + 5):
        relate(drawer, "Ines", "knows", f"Guest {number}")

    found = seen_from(drawer, "Ines", View(2, LATER))
    assert len(found.nodes) == MOST_ENTITIES
    assert not found.is_whole
    assert all(node.left > 0 and node.left + node.size < WIDTH for node in found.nodes)
    assert all(node.top > 0 and node.label < HEIGHT for node in found.nodes)
