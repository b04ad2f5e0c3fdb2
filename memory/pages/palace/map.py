"""What the map of a page shows: the rings around a person, a wing, a room or a closet."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import cos, pi, sin, sqrt
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _

from memory.models import Wing

MIDDLE = 500
FIRST_RING = 150
NEXT_RING = 88
RINGS = 4
ROOM_FOR_ONE = 100
SMALLEST, LARGEST = 7.0, 24.0
LABEL = 18
MARGIN = 100


@dataclass(frozen=True, slots=True)
class Spot:
    """Something to draw: its name, what kind of mark it gets, how much it holds, where it leads."""

    id: UUID
    name: str
    kind: str
    drawers: int
    url: str
    ring: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A spot with its place: the middle of its mark, half its size, and its label."""

    spot: Spot
    x: float
    y: float
    size: float
    label: str
    label_x: float
    label_y: float

    @property
    def corner_x(self) -> float:
        """Where the square around the mark begins."""
        return round(self.x - self.size, 1)

    @property
    def corner_y(self) -> float:
        """Where the square around the mark begins."""
        return round(self.y - self.size, 1)

    @property
    def side(self) -> float:
        """The side of that square."""
        return round(2 * self.size, 1)


@dataclass(frozen=True, slots=True)
class Rings:
    """What is drawn: the radius of each ring, and what lies on them; `left` did not fit."""

    radii: tuple[int, ...]
    placed: tuple[Placed, ...]
    left: int

    @property
    def box(self) -> str:
        """The part of the drawing that is used, so that a few rings are not lost in it."""
        reach = min(MIDDLE, max(self.radii, default=0) + MARGIN)
        return f"{MIDDLE - reach} {MIDDLE - reach} {2 * reach} {2 * reach}"


def rings(spots: Sequence[Spot]) -> Rings:
    """The spots on rings, those that share a `ring` on one as far as there is room on it."""
    most = max((spot.drawers for spot in spots), default=1)
    radii, placed = [], []
    for number, group in enumerate(islice(_groups(spots), RINGS)):
        radius = FIRST_RING + number * NEXT_RING
        radii.append(radius)
        placed += [_place(spot, radius, turn, most) for spot, turn in _turns(group, number)]
    return Rings(tuple(radii), tuple(placed), len(spots) - len(placed))


def room_on(number: int) -> int:
    """How many marks with their labels fit on a ring, counted from the inside."""
    return int(2 * pi * (FIRST_RING + number * NEXT_RING) / ROOM_FOR_ONE)


def _groups(spots: Iterable[Spot]) -> Iterator[list[Spot]]:
    by_ring: dict[str, list[Spot]] = {}
    for spot in spots:
        by_ring.setdefault(spot.ring, []).append(spot)
    number = 0
    for group in by_ring.values():
        while group:
            yield group[: room_on(number)]
            group, number = group[room_on(number) :], number + 1


def _turns(group: Sequence[Spot], number: int) -> Iterator[tuple[Spot, float]]:
    """Each spot with its part of a full turn, beginning at the top, rings set off against another
    so that labels do not meet."""
    for place, spot in enumerate(group):
        yield spot, (place + 0.5 * (number % 2)) / len(group)


def _place(spot: Spot, radius: int, turn: float, most: int) -> Placed:
    x = MIDDLE + radius * sin(2 * pi * turn)
    y = MIDDLE - radius * cos(2 * pi * turn)
    size = SMALLEST + (LARGEST - SMALLEST) * sqrt(spot.drawers / max(1, most))
    return Placed(
        spot=spot,
        x=round(x, 1),
        y=round(y, 1),
        size=round(size, 1),
        label=spot.name if len(spot.name) <= LABEL else f"{spot.name[: LABEL - 1]}…",
        label_x=round(x, 1),
        label_y=round(y + size + 19, 1),
    )


KINDS = [kind.value for kind in Wing.Kind]


def drawn(context: Mapping[str, Any]) -> Rings:
    """The rings of the innermost place that is open: wings by kind around a person, rooms around
    their wing, closets around their room, drawers around their closet, those listed first inside."""
    keep = context["keep"]
    if context.get("closet"):
        return rings(list(_drawers(context)))
    if context.get("room"):
        return rings(list(_closets(context, keep)))
    if context.get("wing"):
        return rings(list(_rooms(context, keep)))
    return rings(_by_kind(list(_wings(context, keep))))


def _by_kind(spots: Sequence[Spot]) -> list[Spot]:
    return sorted(spots, key=lambda spot: KINDS.index(spot.kind))


def _wings(context: Mapping[str, Any], keep: str) -> Iterator[Spot]:
    for item in context["wings"].items:
        url = reverse("memory:wing", args=[item.id]) + keep
        yield Spot(item.id, item.name, item.kind, item.drawers, url, ring=item.kind)


def _rooms(context: Mapping[str, Any], keep: str) -> Iterator[Spot]:
    kind = context["wing"].kind
    for item in context["rooms"].items:
        url = reverse("memory:room", args=[item.wing_id, item.id]) + keep
        yield Spot(item.id, item.title or _("Untitled chat"), kind, item.drawers, url)


def _closets(context: Mapping[str, Any], keep: str) -> Iterator[Spot]:
    wing = context["wing"]
    for item in context["closets"].items:
        url = reverse("memory:closet", args=[wing.id, item.room_id, item.id]) + keep
        yield Spot(item.id, item.name, wing.kind, item.drawers, url)


def _drawers(context: Mapping[str, Any]) -> Iterator[Spot]:
    for item in context["drawers"].items:
        url = reverse("memory:drawer", args=[item.id])
        words = " ".join(item.excerpt.split())
        yield Spot(item.id, words or str(item.pointer), context["wing"].kind, 1, url)
