"""The places of a drawer, and a check of the stored counts of a palace."""

from django.db.models import Max, Min

from accounts.models import User
from memory.models import Closet, Drawer, Room, Wing
from memory.organize.places import Target


def wing_of(drawer: Drawer) -> Target:
    return Target("wing", drawer.wing_id)


def room_of(drawer: Drawer) -> Target:
    return Target("room", drawer.room_id)


def closet_of(drawer: Drawer) -> Target:
    return Target("closet", drawer.closet_id)


def check_counts(user: User) -> None:
    """The stored counts are those of the drawers outside the trash."""
    live = Drawer.objects.live().filter(user_id=user.id)
    for model, inner in ((Wing, "room"), (Room, "closet"), (Closet, "")):
        for place in model._default_manager.filter(user_id=user.id):
            found = live.filter(**{f"{model._meta.model_name}_id": place.id})
            assert place.drawers_held == found.count()
            if inner:
                held = found.values(f"{inner}_id").distinct().count()
                assert getattr(place, f"{inner}s_held") == held
    for wing in Wing.objects.filter(user_id=user.id):
        filled = wing.rooms.filter(drawers_held__gt=0)
        ends = filled.aggregate(first=Min("started_at"), last=Max("ended_at"))
        assert (wing.first_at, wing.last_at) == (ends["first"], ends["last"])
