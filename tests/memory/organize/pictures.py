"""Snapshots of the rows of a palace, the places of a drawer, and a check of stored counts."""

from uuid import UUID

from django.db.models import Count, Max, Min, Q

from accounts.models import User
from memory.models import Closet, Drawer, DrawerWords, Room, Wing, WingName
from memory.organize.places import Target

TABLES = (Wing, WingName, Room, Closet, Drawer, DrawerWords)
GROWING = {"rooms_made", "drawers_made"}


def snapshot(user: User) -> dict[str, dict[UUID, dict[str, object]]]:
    """Every row of the palace by table and id, without counters that only ever grow."""
    return {
        model.__name__: {
            row["id"]: {name: value for name, value in row.items() if name not in GROWING}
            for row in model._default_manager.filter(user_id=user.id).values()
        }
        for model in TABLES
    }


def wing_of(drawer: Drawer) -> Target:
    return Target("wing", drawer.wing_id)


def room_of(drawer: Drawer) -> Target:
    return Target("room", drawer.room_id)


def closet_of(drawer: Drawer) -> Target:
    return Target("closet", drawer.closet_id)


def refreshed(drawer: Drawer) -> Drawer:
    drawer.refresh_from_db()
    return drawer


def check_counts(user: User) -> None:
    """The stored counts are those of the drawers outside the trash."""
    live = Q(drawers__deleted_at=None, drawers__id__isnull=False)
    for wing in Wing.objects.filter(user_id=user.id).annotate(
        held=Count("drawers", filter=live),
        rooms_with=Count("drawers__room_id", filter=live, distinct=True),
        first=Min("rooms__started_at", filter=Q(rooms__drawers_held__gt=0)),
        last=Max("rooms__started_at", filter=Q(rooms__drawers_held__gt=0)),
    ):
        found = Drawer.objects.live().filter(user_id=user.id, wing_id=wing.id)
        assert wing.drawers_held == found.count()
        assert wing.rooms_held == found.values("room_id").distinct().count()
        assert (wing.first_at, wing.last_at) == (wing.first, wing.last)
    for room in Room.objects.filter(user_id=user.id):
        found = Drawer.objects.live().filter(user_id=user.id, room_id=room.id)
        assert room.drawers_held == found.count()
        assert room.closets_held == found.values("closet_id").distinct().count()
    for closet in Closet.objects.filter(user_id=user.id):
        found = Drawer.objects.live().filter(user_id=user.id, closet_id=closet.id)
        assert closet.drawers_held == found.count()
