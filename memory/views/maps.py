"""What the map of a page shows: the rings around a person, a wing, a room or a closet."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from memory.models import Wing
from memory.rings import Rings, Spot, rings

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
