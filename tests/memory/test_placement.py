"""Places are created once, in any script and under concurrency, and drawers are found in them."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.db import transaction

from accounts.models import User
from accounts.tenancy import tenant
from memory.aaak import Pointer, Tags
from memory.drawers import file_drawers, find_by_pointer, new_drawer, placed
from memory.models import Drawer, DrawerWords, Room, Wing, WingName
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
from memory.search.queries import matching
from memory.text.tokenization import query_words
from tests.at_once import at_once
from tests.drills.ledger import NOW


def source(**changes):
    given = {"kind": "conversation", "id": uuid4(), "title": "Chat", "started_at": NOW, "ended_at": NOW}
    return Source(**given | changes)


def test_wing_names_match_by_alias_in_any_case_and_script_and_may_be_blank_long_or_multiline(as_alice):
    palace = lock_palace(as_alice.id)
    names = ("Sailing", "Café Münster", "上海", "北京", "Новосибирск", "القاهرة", "🦦", "🎷", "C", "C++")
    wings = {name: wing_for(palace, "topic", name) for name in names}
    assert [wing.ordinal for wing in wings.values()] == list(range(1, len(names) + 1))
    for name, wing in wings.items():
        again = f" {name.upper().replace(' ', '  ')} "
        assert wing_for(palace, "topic", again).id == wing.id == find_wing(as_alice.id, again).id
    given = {"slug": "olya", "name": "Olya", "is_alias": True}
    WingName.objects.create(user_id=as_alice.id, wing_id=wings["C"].id, **given)
    assert find_wing(as_alice.id, "OLYA").id == wings["C"].id
    for name in ("", "  ", "x" * 5_000, "a\nb"):
        wing = wing_for(palace, "topic", name)
        closet = closet_for(room_for(wing, source(title=name)), name)
        assert wing.name.strip()
        assert closet.name.strip()
        assert closet_for(closet.room, name).id == closet.id
        assert wing_for(palace, "topic", name).id == wing.id


def test_a_room_is_found_by_its_source_and_extended_and_mints_each_pointer_once(as_alice):
    wing = wing_for(lock_palace(as_alice.id), "topic", "Sailing")
    first = source()
    one, end = room_for(wing, first), NOW + timedelta(days=2)
    assert room_for(wing, source(id=first.id, ended_at=end)).id == one.id
    assert room_of_source(as_alice.id, first).id == one.id
    assert Room.objects.get().ended_at == end
    assert room_of_source(as_alice.id, source()) is None
    one, two = Room.objects.get(), room_for(wing, source())
    minted = [*mint_pointers(wing, one, 3), *mint_pointers(wing, two, 2), *mint_pointers(wing, one, 1)]
    drawers = [(pointer.room, pointer.drawer) for pointer in minted]
    assert drawers == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (1, 4)]
    assert str(minted[0]) == "§ W-001/R-01/D-001"


@pytest.mark.django_db(transaction=True)
def test_concurrent_writers_create_one_wing_and_gapless_ordinals():
    user = User.objects.create_user("crowd@example.org")

    def write(number):
        with tenant(user.id):
            for step in range(5):
                with transaction.atomic():
                    palace = lock_palace(user.id)
                    wing = wing_for(palace, "topic", "Shared" if step % 2 else f"{number} {step}")
                    mint_pointers(wing, room_for(wing, source()), 2)

    at_once(write, 6)
    with tenant(user.id):
        assert Wing.objects.filter(name="Shared").count() == 1
        ordinals = sorted(Wing.objects.values_list("ordinal", flat=True))
        assert ordinals == list(range(1, len(ordinals) + 1))
        shared = Wing.objects.get(name="Shared")
        rooms = sorted(shared.rooms.values_list("ordinal", flat=True))
        assert rooms == list(range(1, 13))


@pytest.fixture
def filed(as_alice):
    wing = wing_for(lock_palace(as_alice.id), "topic", "Sailing")
    room = room_for(wing, source())
    (pointer,) = mint_pointers(wing, room, 1)

    def file(content, **changes):
        given = {"role": "user", "said_at": NOW, "source_kind": "conversation", "source_id": uuid4()}
        given |= {"source_message_id": uuid4(), "source_sequence": 1}
        drawer = new_drawer(as_alice.id, content, **given | changes)
        return file_drawers(as_alice.id, [placed(drawer, room, closet_for(room, "T"), pointer)])[0]

    return file


def test_a_drawer_is_stored_exactly_and_indexed_by_words_tags_and_speaker(as_alice, filed):
    at = datetime(1, 1, 2, tzinfo=UTC)
    tags = Tags(people=("Wang Min",), places=("上海",), items=("~tilde~",), times=("next May",))
    made = filed("  Ahoy\n😀  ", tags=tags, speaker="Olga", said_at=at)
    kept = Drawer.objects.get()
    assert (kept.id, kept.content, kept.speaker, kept.said_at) == (made.id, "  Ahoy\n😀  ", "Olga", at)
    assert (kept.tags, kept.pointer) == (tags, Pointer(1, 1, 1))
    assert kept.token_count > 0
    for query in ("ahoy", "Wang Min", "上海", "Olga"):
        assert len(matching(as_alice.id, query_words(query), 5)) == 1
    assert find_by_pointer(as_alice.id, Pointer(1, 1, 1)) == made
    for pointer in (Pointer(1, 1, 2), Pointer(2, 1, 1), Pointer(999_999_999, 1, 1)):
        assert find_by_pointer(as_alice.id, pointer) is None


@pytest.mark.parametrize(
    "content", ["w" * 1_000_000, "слово " * 200_000, "字" * 400_000, "a1 " * 300_000, "\u0301" * 9]
)
def test_very_long_content_can_be_indexed(filed, content):
    with transaction.atomic():
        filed(content)
    assert Drawer.objects.get().content == content
    assert DrawerWords.objects.get().length >= 1
