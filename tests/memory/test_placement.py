"""Places are found before they are made, whatever the script and however many look at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection, transaction

from accounts.models import User
from accounts.tenancy import tenant
from memory.models import Room, Wing, WingName
from memory.placement import (
    Source,
    closet_for,
    find_wing,
    lock_palace,
    mint_pointers,
    room_for,
    room_of_source,
    wing_for,
)
from tests.drills.ledger import NOW


def source(**changes):
    given = {"kind": "conversation", "id": uuid4(), "title": "Chat", "started_at": NOW,
             "ended_at": NOW}  # fmt: skip
    return Source(**{**given, **changes})


def test_a_name_in_any_case_and_script_and_an_alias_are_the_same_wing(as_alice):
    palace = lock_palace(as_alice.id)
    names = {
        "Sailing": " SAILING ",
        "Café Münster": "café  münster",
        "上海": "上海",
        "北京": "北京",
        "Новосибирск": "новосибирск",
        "القاهرة": "القاهرة",
        "🦦": "🦦",
        "🎷": "🎷",
        "C": "c",
        "C++": "c++",
    }
    wings = {name: wing_for(palace, "topic", name) for name in names}
    assert [wing.ordinal for wing in wings.values()] == list(range(1, len(names) + 1))
    for name, again in names.items():
        assert wing_for(palace, "topic", again).id == wings[name].id == find_wing(as_alice.id, again).id
    given = {"slug": "olya", "name": "Olya", "is_alias": True}
    WingName.objects.create(user_id=as_alice.id, wing_id=wings["C"].id, **given)
    assert find_wing(as_alice.id, "OLYA").id == wings["C"].id


@pytest.mark.parametrize("name", ["", "  ", "x" * 5_000, "a\nb"])
def test_an_odd_name_still_makes_a_wing_a_room_and_a_closet(as_alice, name):
    wing = wing_for(lock_palace(as_alice.id), "topic", name)
    closet = closet_for(room_for(wing, source(title=name)), name)
    assert wing.name.strip()
    assert closet.name.strip()
    assert closet_for(closet.room, name).id == closet.id
    assert wing_for(lock_palace(as_alice.id), "topic", name).id == wing.id


def test_a_room_is_found_by_its_source_and_extended(as_alice):
    wing = wing_for(lock_palace(as_alice.id), "topic", "Sailing")
    first = source()
    room = room_for(wing, first)
    later = source(id=first.id, ended_at=NOW + timedelta(days=2))
    assert room_for(wing, later).id == room.id == room_of_source(as_alice.id, first).id
    assert Room.objects.get().ended_at == NOW + timedelta(days=2)
    assert room_of_source(as_alice.id, source()) is None


def test_pointers_are_never_minted_twice(as_alice):
    wing = wing_for(lock_palace(as_alice.id), "topic", "Sailing")
    one, two = room_for(wing, source()), room_for(wing, source())
    minted = [*mint_pointers(wing, one, 3), *mint_pointers(wing, two, 2), *mint_pointers(wing, one, 1)]
    assert [str(pointer) for pointer in minted] == [
        "§ W-001/R-01/D-001", "§ W-001/R-01/D-002", "§ W-001/R-01/D-003",
        "§ W-001/R-02/D-001", "§ W-001/R-02/D-002", "§ W-001/R-01/D-004",
    ]  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_many_writers_at_once_make_one_wing_and_unbroken_ordinals():
    user = User.objects.create_user("crowd@example.org")

    def write(number):
        try:
            with tenant(user.id):
                for step in range(5):
                    with transaction.atomic():
                        palace = lock_palace(user.id)
                        wing = wing_for(palace, "topic", "Shared" if step % 2 else f"{number} {step}")
                        mint_pointers(wing, room_for(wing, source()), 2)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as crowd:
        list(crowd.map(write, range(6)))
    with tenant(user.id):
        assert Wing.objects.filter(name="Shared").count() == 1
        ordinals = sorted(Wing.objects.values_list("ordinal", flat=True))
        assert ordinals == list(range(1, len(ordinals) + 1))
        shared = Wing.objects.get(name="Shared")
        rooms = sorted(shared.rooms.values_list("ordinal", flat=True))
        assert rooms == list(range(1, 13))
