"""The addresses of what is looked at in a palace, by name."""

from collections.abc import Iterator
from datetime import date
from uuid import UUID

from django.urls import reverse

from memory.browsing import wings
from memory.cursors import after_moment
from memory.drawer_lists import drawers_of_room
from memory.knowledge import RelationChoice, entities_named, relations_at
from memory.models import Closet, Room, Wing

VIEWS = ("tree", "columns", "map")
QUESTION = "What did I do with the balcony garden when Ana was in Lisbon?"


def sights(user_id: UUID) -> Iterator[tuple[str, str]]:
    """Every kind of tree node, column, map, search page and graph view, with its address: in the
    wing of most rooms, in its room of most drawers, and far down in every list."""
    wing = Wing.objects.filter(user_id=user_id).order_by("-rooms_held", "id")[0]
    room = Room.objects.filter(user_id=user_id, wing_id=wing.id).order_by("-drawers_held", "id")[0]
    closet = Closet.objects.get(user_id=user_id, room_id=room.id)
    places = {
        "palace": reverse("memory:palace"),
        "wing": reverse("memory:wing", args=[wing.id]),
        "room": reverse("memory:room", args=[wing.id, room.id]),
        "closet": reverse("memory:closet", args=[wing.id, room.id, closet.id]),
    }
    for name, address in places.items():
        for view in VIEWS:
            yield f"{name}, {view}", f"{address}?view={view}"
    yield from _branches(user_id, wing, room, closet)
    yield from _searches(wing)
    yield from _graphs(user_id)


def _branches(user_id: UUID, wing: Wing, room: Room, closet: Closet) -> Iterator[tuple[str, str]]:
    lists = {
        "rooms": reverse("memory:room_list", args=[wing.id]),
        "closets": reverse("memory:closet_list", args=[wing.id, room.id]),
        "drawers": reverse("memory:drawer_list", args=[wing.id, room.id, closet.id]),
    }
    for name, address in lists.items():
        yield f"branch of {name}", address
    held = Room.objects.filter(user_id=user_id, wing_id=wing.id, drawers_held__gt=0)
    tenth = held.order_by("-started_at", "id")[10]
    yield "rooms further down", f"{lists['rooms']}?after={after_moment(tenth.started_at, tenth.id)}"
    yield "wings further down", f"{reverse('memory:wing_list')}?after={wings(user_id).after}"
    after = drawers_of_room(user_id, room.id).after
    yield "drawers further down", f"{reverse('memory:room', args=[wing.id, room.id])}?after={after}"
    drawer = drawers_of_room(user_id, room.id).items[1]
    yield "drawer", reverse("memory:drawer", args=[drawer.id])
    yield "change of a wing", reverse("memory:change_place", args=["wing", wing.id])


def _searches(wing: Wing) -> Iterator[tuple[str, str]]:
    for name, more in {
        "search": {"k": "10"},
        "search, most hits": {"k": "15"},
        "search, second page": {"k": "10", "page": "2"},
        "search in one wing": {"k": "10", "wing": str(wing.id)},
        "search between days": {"k": "10", "role": "user", "until": "2099-01-01"},
    }.items():
        yield name, reverse("memory:search", query={"q": QUESTION, **more})
    yield "sandbox", reverse("memory:sandbox", query={"message": QUESTION})


def _graphs(user_id: UUID) -> Iterator[tuple[str, str]]:
    address = reverse("memory:graph")
    friend = entities_named(user_id, "Ana").items[0]
    yield "graph", address
    yield "graph, two steps", f"{address}?hops=2"
    yield "graph of a friend", f"{address}?entity={friend.id}"
    yield "graph on a day", f"{address}?at={_day(user_id)}"
    yield "entity", reverse("memory:entity", args=[friend.id])


def _day(user_id: UUID) -> date:
    """A day before which there were many relations, and after which a few came."""
    return relations_at(user_id, RelationChoice()).items[-1].valid_from.date()
