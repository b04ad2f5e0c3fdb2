"""Snapshots of the rows of a palace, and the places of a drawer."""

from uuid import UUID

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
