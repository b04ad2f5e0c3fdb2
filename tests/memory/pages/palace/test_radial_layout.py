"""Places lie on rings, as many as there is room for."""

from itertools import combinations
from math import dist, hypot

from uuid_utils.compat import uuid7

from memory.pages.palace.map import MIDDLE, RINGS, Spot, rings, room_on


def spots(count: int, ring: str = "") -> list[Spot]:
    return [Spot(uuid7(), f"Subject {number}", "topic", number, "/", ring) for number in range(count)]


def test_every_kind_has_its_own_ring_and_larger_places_are_drawn_larger():
    drawn = rings([*spots(2, "person"), *spots(3, "topic")])
    assert len(drawn.radii) == 2
    far = [round(hypot(each.x - MIDDLE, each.y - MIDDLE)) for each in drawn.placed]
    assert far == [drawn.radii[0]] * 2 + [drawn.radii[1]] * 3
    few, many = rings(spots(2)).placed
    assert few.size < many.size
    drawn = rings([])
    assert (drawn.radii, drawn.placed, drawn.left) == ((), (), 0)


def test_what_does_not_fit_is_counted_and_marks_do_not_meet():
    room = sum(room_on(number) for number in range(RINGS))
    drawn = rings(spots(room + 7))
    assert (len(drawn.placed), drawn.left) == (room, 7)
    assert all(
        dist((one.x, one.y), (other.x, other.y)) > one.size + other.size
        for one, other in combinations(drawn.placed, 2)
    )


def test_the_drawing_is_cropped_to_what_it_shows():
    left, _, width, _ = (int(number) for number in rings(spots(3)).box.split())
    assert width < 2 * MIDDLE
    for each in rings(spots(3)).placed:
        assert left < each.x - each.size
        assert each.x + each.size < left + width
