from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from uuid_utils.compat import uuid7

from accounts.owned import NotFound
from accounts.tenancy import tenant
from memory import paging
from memory.forgetting.trash import delete
from memory.models import Closet, Drawer, Room
from memory.pages.palace import queries
from memory.pages.palace.queries import search_names
from palace.postgres.base import as_owner
from tests.memory.page_sizes import shorten, walk
from tests.memory.palaces import MONDAY, Spot, file

pytestmark = pytest.mark.usefixtures("embedder")


def many_drawers(drawer, count):
    """`count` more drawers in the same closet, as rows: filing each would take minutes."""
    fields = {
        field.attname: getattr(drawer, field.attname)
        for field in Drawer._meta.concrete_fields
        if field.attname != "pk"
    }
    Drawer.objects.bulk_create(
        Drawer(
            **fields
            | {
                "id": uuid7(),
                "source_message_id": uuid7(),
                "source_sequence": number,
                "said_at": drawer.said_at + timedelta(seconds=number),
                "pointer_drawer": number,
            }
        )
        for number in range(2, count + 2)
    )


def rows_read(run):
    """The most rows that any one step of the plans reads."""
    with CaptureQueriesContext(connection) as captured:
        run()
    most = 0.0
    for query in captured.captured_queries:
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + query["sql"].replace("%", "%%"))
            plan = cursor.fetchone()[0][0]["Plan"]
        most = max(most, *_rows(plan))
    return most


def _rows(plan):
    below = [count for inner in plan.get("Plans", []) for count in _rows(inner)]
    discarded = plan.get("Rows Removed by Filter", 0)
    return [(plan["Actual Rows"] + discarded) * plan["Actual Loops"], *below]


def test_wings_are_read_with_counts_latest_first_in_one_query(as_alice, django_assert_num_queries):
    file(as_alice.id, ["one", "two"], Spot(wing="Old", start=MONDAY))
    file(as_alice.id, ["three"], Spot(wing="New", start=MONDAY + timedelta(days=9)))
    file(as_alice.id, ["four"], Spot(wing="Old", room="Later", start=MONDAY + timedelta(days=3)))
    with django_assert_num_queries(1):
        new, old = queries.wings(as_alice.id).items
    assert (new.name, new.rooms_held, new.drawers_held) == ("New", 1, 1)
    assert (old.name, old.rooms_held, old.drawers_held, old.kind) == ("Old", 2, 3, "project")
    assert (old.first_at, old.last_at) == (MONDAY, MONDAY + timedelta(days=3))


def test_pages_list_every_wing_room_closet_and_drawer_once(as_alice, monkeypatch):
    for listing in (queries.wings, queries.rooms, queries.closets, queries.drawers_of_closet):
        shorten(monkeypatch, listing, 2)
    source = uuid4()
    for number in range(5):
        file(as_alice.id, [f"text {number}"], Spot(room=f"Room {number}"))
        later = MONDAY + timedelta(hours=number)
        file(as_alice.id, ["a", "b", "c"], Spot(closet=f"Closet {number}", source_id=source, start=later))
    wing = queries.wings(as_alice.id).items[0]
    for number in range(4):  # all at the same moment: the order must hold all the same
        file(as_alice.id, ["words"], Spot(wing=f"Wing {number}"))
    room = Room.objects.get(user_id=as_alice.id, source_id=source)
    closet = Closet.objects.get(user_id=as_alice.id, room_id=room.id, name="Closet 3")

    wings = walk(lambda after: queries.wings(as_alice.id, after))
    rooms = walk(lambda after: queries.rooms(as_alice.id, wing.id, after))
    closets = walk(lambda after: queries.closets(as_alice.id, room.id, after))
    said = walk(lambda after: queries.drawers_of_room(as_alice.id, room.id, after))
    kept = walk(lambda after: queries.drawers_of_closet(as_alice.id, closet.id, after))
    assert sorted(item.name for item in wings) == ["Bakery", *(f"Wing {number}" for number in range(4))]
    assert len(rooms) == len({item.id for item in rooms}) == 6
    assert [item.name for item in closets] == [f"Closet {number}" for number in range(5)]
    assert [item.pointer.drawer for item in said] == list(range(1, 16))
    assert [item.excerpt for item in kept] == ["a", "b", "c"]


def test_deleted_drawers_and_places_are_not_listed(as_alice):
    deleted_wing = file(as_alice.id, ["gone"], Spot(wing="Gone"))[0]
    kept, deleted = file(as_alice.id, ["kept", "thrown"], Spot(wing="Kept"))
    delete(as_alice.id, "wing", deleted_wing.wing_id, MONDAY)
    delete(as_alice.id, "drawer", deleted.id, MONDAY)

    (wing,) = queries.wings(as_alice.id).items
    (room,) = queries.rooms(as_alice.id, wing.id).items
    (closet,) = queries.closets(as_alice.id, room.id).items
    (drawer,) = queries.drawers_of_closet(as_alice.id, closet.id).items

    assert (wing.drawers_held, room.drawers_held, closet.drawers_held, drawer.id) == (1, 1, 1, kept.id)
    assert queries.wing(as_alice.id, deleted_wing.wing_id).drawers_held == 0
    assert queries.rooms(as_alice.id, deleted_wing.wing_id).items == ()


def test_a_room_of_another_wing_is_not_found(as_alice):
    (drawer,), (other,) = (file(as_alice.id, ["words"], Spot(wing=name)) for name in ("One", "Two"))
    with pytest.raises(NotFound):
        queries.room(as_alice.id, other.room_id, drawer.wing_id)


def test_a_closet_of_thousands_is_read_a_page_at_a_time(as_alice):
    drawer = file(as_alice.id, ["the first of many"])[0]
    many_drawers(drawer, 3000)
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("ANALYZE memory_drawer")
    middle = Drawer.objects.get(user_id=as_alice.id, source_sequence=1500)
    after = paging.after_moment(middle.said_at, middle.id)

    for place in ("", after):
        read = rows_read(lambda place=place: queries.drawers_of_closet(as_alice.id, drawer.closet_id, place))
        assert read <= 2 * queries.PAGE  # a batch of the incremental sort beyond the page
    read = rows_read(lambda: queries.drawers_of_room(as_alice.id, drawer.room_id, after))
    assert read <= 2 * queries.PAGE


def test_search_names_finds_own_wings_and_rooms_by_all_words(as_alice, bob):
    file(as_alice.id, ["Bread rises."], Spot(wing="Sour Dough", room="Сало и хлеб"))
    assert [wing.name for wing in search_names(as_alice.id, "dough sour", 5).wings] == ["Sour Dough"]
    assert [room.title for room in search_names(as_alice.id, "хлеб", 5).rooms] == ["Сало и хлеб"]
    for words in ("dough rye", "  "):
        assert search_names(as_alice.id, words, 5).wings == ()
    with tenant(bob.id):
        assert search_names(bob.id, "dough", 5).wings == ()
