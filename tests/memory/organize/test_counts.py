"""The database counts the drawers of places as they are filed, deleted, restored and moved."""

from django.db.models import Count, Max, Min, Q
from django.utils import timezone

from accounts.models import User
from memory.forgetting import trash
from memory.models import Closet, Drawer, Room, Wing
from tests.memory.palaces import MONDAY, Spot, file


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


def test_drawers_are_counted_when_filed_deleted_restored_and_erased(as_alice: User):
    one, _ = file(as_alice.id, ["one", "two"])
    three = file(as_alice.id, ["three"], Spot(room="Rye", closet="Flour", start=MONDAY.replace(year=2025)))[0]
    wing = Wing.objects.get(user_id=as_alice.id)
    assert (wing.rooms_held, wing.drawers_held) == (2, 3)
    assert Closet.objects.get(id=three.closet_id).drawers_held == 1
    check_counts(as_alice)

    deletion = trash.delete(as_alice.id, "drawer", one.id, timezone.now())
    check_counts(as_alice)
    assert Room.objects.get(id=one.room_id).drawers_held == 1
    trash.undo(as_alice.id, deletion.id, timezone.now())
    check_counts(as_alice)
    assert Room.objects.get(id=one.room_id).drawers_held == 2
    trash.delete(as_alice.id, "room", one.room_id, timezone.now())
    check_counts(as_alice)
    assert Wing.objects.get().first_at == MONDAY.replace(year=2025)

    Drawer.objects.filter(id=three.id).delete()
    check_counts(as_alice)
    Room.objects.filter(user_id=as_alice.id).delete()
    assert Wing.objects.get(user_id=as_alice.id).drawers_held == 0
