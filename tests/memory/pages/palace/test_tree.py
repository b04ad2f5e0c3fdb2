"""The palace as a tree, as columns and as houses, and the lists it is made of."""

import itertools
from datetime import date, timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.owned import NotFound
from accounts.tenancy import tenant
from llm.errors import EmbedderUnavailable
from memory import paging
from memory.forgetting.trash import delete
from memory.models import Drawer, DrawerVector, Entity, MemoryPreferences, MiningProgress, Room, Wing
from memory.pages.forms import MONTHS, last_months
from memory.pages.palace import queries, tree
from memory.pages.palace.queries import search_names
from memory.pages.palace.tree import FLOORS, WINDOWS_PER_FLOOR, draw_bars, houses
from memory.sql import execute, fetch_value
from palace.postgres.base import as_owner
from tests.html import check_fragment, check_page, parse
from tests.memory.page_sizes import shorten, walk
from tests.memory.pages.forms import page, post, submit, undo_in, undo_of
from tests.memory.palaces import MONDAY, Spot, file, relate

State = MiningProgress.State


def links(html):
    return [e.attributes["href"] for e in parse(html).elements if e.tag == "a"]


def steps_to(drawer):
    """The pages on the way from the palace to a drawer."""
    place = [drawer.wing_id, drawer.room_id, drawer.closet_id]
    inside = [
        reverse(f"memory:{name}", args=place[:n]) for n, name in ((1, "wing"), (2, "room"), (3, "closet"))
    ]
    return [reverse("memory:palace"), *inside, reverse("memory:drawer", args=[drawer.id])]


def room_page(client, drawer):
    return check_page(client.get(steps_to(drawer)[2]))


def test_branches_open_in_place_and_are_labelled(alice_client, bread):
    url, found = reverse("memory:palace"), []
    for _ in range(3):
        elements = parse(alice_client.get(url).content.decode()).elements
        button = next(e for e in elements if "tree-toggle" in e.attributes.get("class", ""))
        assert button.attributes["aria-expanded"] == "false"
        assert "hidden" in button.attributes, "until the script runs"
        found.append(button)
        url = button.attributes["hx-get"]
    assert "Bakery" in found[0].attributes["aria-label"]
    assert found[0].attributes["hx-get"] == reverse("memory:room_list", args=[bread[0].wing_id])
    html = check_fragment(alice_client.get(url))
    drawers = [link for link in links(html) if "drawers" in link]
    assert drawers == [reverse("memory:drawer", args=[each.id]) for each in bread]


def test_rooms_show_their_time_zone_link_to_chats_and_are_listed_even_if_old(
    alice_client, as_alice, monkeypatch
):
    monkeypatch.setitem(tree.SIDEBAR_SIZES, "tree", 2)
    MemoryPreferences.objects.create(user_id=as_alice.id, time_zone="Pacific/Auckland")
    said = file(as_alice.id, ["said"], Spot(room="The oldest", start=MONDAY.replace(hour=23)))[0]
    noted = file(as_alice.id, ["noted"], Spot(source_kind="note", start=MONDAY + timedelta(days=1)))[0]
    for number in range(3):
        file(as_alice.id, ["lately"], Spot(room=f"Room {number}", start=MONDAY + timedelta(days=number + 2)))
    html = room_page(alice_client, said)
    current = [e for e in parse(html).elements if e.attributes.get("aria-current") == "page"]
    assert any("The oldest" in element.words for element in current)
    assert "7 May 2024, 11:00" in html
    assert reverse("chat:conversation", args=[said.source_id]) in html
    assert reverse("chat:conversation", args=[noted.source_id]) not in room_page(alice_client, noted)


def test_the_number_of_queries_does_not_depend_on_the_size_of_the_palace(
    alice_client, as_alice, django_assert_max_num_queries
):
    for number in range(12):
        file(as_alice.id, ["words"] * 6, Spot(wing=f"Wing {number % 4}", room=f"Room {number}"))
    drawer = Drawer.objects.filter(user_id=as_alice.id).first()
    branch = reverse("memory:drawer_list", args=[drawer.wing_id, drawer.room_id, drawer.closet_id])
    for url, most in zip([*steps_to(drawer)[:4], branch], (17, 14, 18, 18, 12), strict=True):
        with django_assert_max_num_queries(most):
            alice_client.get(url)


def test_dead_letters_can_be_retried_discarded_and_restored(alice_client, as_alice):
    mine = MiningProgress.objects.filter(user_id=as_alice.id)

    def give_up():
        given = {"source_kind": "conversation", "source_id": uuid4(), "state": State.DEAD}
        return MiningProgress.objects.create(user_id=as_alice.id, **given)

    first = give_up()
    give_up()
    assert "2 chats could not be saved to memory" in page(alice_client, "palace")
    post(alice_client, "retry")
    assert {progress.state for progress in mine} == {State.READY}
    mine.update(state=State.DEAD)
    post(alice_client, "discard")
    assert {progress.state for progress in mine.all()} == {State.DISCARDED}
    html = page(alice_client, "palace")
    assert "could not be saved to memory" not in html
    for _ in range(2):
        assert "2 chats could not be saved to memory" in submit(alice_client, undo_in(html, "/undo/"))
    assert {progress.state for progress in mine.all()} == {State.DEAD}
    post(alice_client, "discard")
    second = give_up()
    post(alice_client, "discard")
    alice_client.post(undo_of(second))
    states = (mine.get(id=first.id).state, mine.get(id=second.id).state)
    assert states == (State.DISCARDED, State.DEAD), "only what was discarded together"


def test_drawers_without_vectors_and_a_missing_embedder_are_reported(alice_client, bob_client, bread, bob):
    url = reverse("memory:waiting_drawers")
    assert alice_client.get(url).content.strip() == b""
    DrawerVector.objects.filter(drawer_id=bread[0].id).delete()
    assert "1 drawer is still being prepared" in check_fragment(alice_client.get(url))
    with tenant(bob.id):
        MemoryPreferences.objects.create(user_id=bob.id, embedding_model="gone")
    html = check_fragment(bob_client.get(url))
    assert "still found by their words" in html
    assert EmbedderUnavailable.__name__ not in html


@pytest.mark.parametrize("view", ["", "tree", "columns"])
def test_every_view_links_down_to_the_drawers_and_the_last_is_remembered(alice_client, bread, view):
    end = f"?view={view}" if view else ""
    *steps, last = steps_to(bread[0])
    for here, following in itertools.pairwise(steps):
        assert f"{following}{end}" in links(check_page(alice_client.get(f"{here}{end}")))
    assert last in links(check_page(alice_client.get(f"{steps[-1]}{end}")))
    assert ("miller" in page(alice_client, "palace")) == (view == "columns")
    assert ("miller" in page(alice_client, "palace", view="nonsense")) == (view == "columns")


def test_a_room_preview_shows_its_text_topics_and_mentioned_entities(alice_client, bread):
    relate(bread[0], "Ines", "bakes_with", "Rui")
    address = reverse("memory:room_preview", args=[bread[0].wing_id, bread[0].room_id])
    html = check_fragment(alice_client.get(address))
    assert reverse("memory:entity", args=[Entity.objects.get(name="Ines").id]) in html
    assert [each for each in steps_to(bread[0])[1:] if each not in html] == [steps_to(bread[0])[3]]
    assert address in check_fragment(alice_client.get(reverse("memory:room_list", args=[bread[0].wing_id])))
    wing = check_page(alice_client.get(steps_to(bread[0])[1]))
    assert "Rui" in wing
    assert bread[0].content[:20] in wing


def test_houses_are_filtered_by_kind_and_an_empty_palace_links_to_import_demo_and_chat(
    alice_client, as_alice
):
    html = page(alice_client, "palace")
    assert "Nothing here yet" in html
    assert [name for name in ("chat:import", "chat:demo", "chat:chat") if reverse(name) not in html] == []
    for name, kind in (("Ana", "person"), ("Garden", "topic")):
        file(as_alice.id, ["words"], Spot(wing=name, kind=kind))
    html = page(alice_client, "palace", kind="person")
    assert html.count('class="house ') == 1
    assert "Garden" not in html
    assert "No wing is of this kind" in page(alice_client, "palace", kind="agent")
    assert page(alice_client, "palace", kind="nonsense").count('class="house ') == 2
    found = last_months(date(2026, 2, 28))
    assert (len(found), found[0], found[-1]) == (MONTHS, date(2025, 3, 1), date(2026, 2, 1))


def test_windows_of_a_house_stand_for_messages_and_are_limited():
    garden, pans = (Wing(id=uuid7(), drawers_held=held) for held in (20, 2_000))
    by_month = {wing.id: (0,) * 9 + (2, 0, 7) for wing in (garden, pans)}
    window, (house,) = houses([garden], by_month)
    assert (window, house.windows, house.lit) == (8, 3, 2)
    assert (house.lit_path.count("M"), house.dark_path.count("M")) == (2, 1)
    window, (large, small) = houses([pans, garden], by_month)
    assert (window, large.windows, small.windows) == (140, WINDOWS_PER_FLOOR * FLOORS, 1)


def test_bars_of_a_wing_count_drawers_per_month(as_alice):
    now = timezone.now()
    file(as_alice.id, ["now", "and now"], Spot(start=now))
    file(as_alice.id, ["long ago"], Spot(room="Old", start=now - timedelta(days=800)))
    (wing,) = queries.wings(as_alice.id).items
    assert draw_bars(as_alice.id, [wing], now) == {wing.id: (0,) * 11 + (2,)}
    assert wing.bars.count("M") == MONTHS


def test_every_place_is_listed_once_with_its_counts_latest_first(
    as_alice, monkeypatch, django_assert_num_queries
):
    for listing in (queries.wings, queries.rooms, queries.closets):
        shorten(monkeypatch, listing, 2)
    source = uuid4()
    for number in range(5):
        file(as_alice.id, [f"text {number}"], Spot(room=f"Room {number}"))
        later = MONDAY + timedelta(hours=number)
        file(as_alice.id, ["a", "b", "c"], Spot(closet=f"Closet {number}", source_id=source, start=later))
    with django_assert_num_queries(1):
        wing = queries.wings(as_alice.id).items[0]
    assert (wing.rooms_held, wing.drawers_held, wing.kind) == (6, 20, "project")
    assert (wing.first_at, wing.last_at) == (MONDAY, MONDAY + timedelta(hours=4, minutes=2))
    for number in range(4):  # all at the same moment: the order must hold all the same
        file(as_alice.id, ["words"], Spot(wing=f"Wing {number}", start=MONDAY + timedelta(days=1)))
    room = Room.objects.get(user_id=as_alice.id, source_id=source)

    wings = walk(lambda after: queries.wings(as_alice.id, after))
    rooms = walk(lambda after: queries.rooms(as_alice.id, wing.id, after))
    closets = walk(lambda after: queries.closets(as_alice.id, room.id, after))
    assert sorted(item.name for item in wings[:4]) == [f"Wing {number}" for number in range(4)]
    assert [item.name for item in wings[4:]] == ["Bakery"]
    assert len(rooms) == len({item.id for item in rooms}) == 6
    assert [item.name for item in closets] == [f"Closet {number}" for number in range(5)]
    with pytest.raises(NotFound):
        queries.room(as_alice.id, room.id, wings[0].id)


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


def rows_read(run):
    """The most rows that any one step of the plans reads."""
    with CaptureQueriesContext(connection) as captured:
        run()
    read = [0.0]
    for query in captured.captured_queries:
        read += _rows(fetch_value("EXPLAIN (ANALYZE, FORMAT JSON) " + query["sql"])[0]["Plan"])
    return max(read)


def _rows(plan):
    below = [count for inner in plan.get("Plans", []) for count in _rows(inner)]
    discarded = plan.get("Rows Removed by Filter", 0)
    return [(plan["Actual Rows"] + discarded) * plan["Actual Loops"], *below]


def test_a_closet_of_thousands_is_read_a_page_at_a_time(as_alice):
    drawer = file(as_alice.id, ["the first of many"])[0]
    row = Drawer.objects.filter(id=drawer.id).values().get()
    Drawer.objects.bulk_create(  # filing each would take minutes
        Drawer(
            **row
            | {"id": uuid7(), "source_message_id": uuid7(), "source_sequence": number}
            | {"pointer_drawer": number, "said_at": drawer.said_at + timedelta(seconds=number)}
        )
        for number in range(2, 3_002)
    )
    with as_owner():
        execute("ANALYZE memory_drawer")
    middle = Drawer.objects.get(user_id=as_alice.id, source_sequence=1500)
    after = paging.after_moment(middle.said_at, middle.id)
    for read in (
        lambda: queries.drawers_of_closet(as_alice.id, drawer.closet_id),
        lambda: queries.drawers_of_closet(as_alice.id, drawer.closet_id, after),
        lambda: queries.drawers_of_room(as_alice.id, drawer.room_id, after),
    ):
        assert rows_read(read) <= 2 * queries.PAGE  # a batch of the incremental sort beyond the page


def test_search_names_finds_own_wings_and_rooms_by_all_words(as_alice, bob):
    file(as_alice.id, ["Bread rises."], Spot(wing="Sour Dough", room="Сало и хлеб"))
    assert [wing.name for wing in search_names(as_alice.id, "dough sour", 5).wings] == ["Sour Dough"]
    assert [room.title for room in search_names(as_alice.id, "хлеб", 5).rooms] == ["Сало и хлеб"]
    for words in ("dough rye", "  "):
        assert search_names(as_alice.id, words, 5).wings == ()
    with tenant(bob.id):
        assert search_names(bob.id, "dough", 5).wings == ()
