import itertools
import re
from datetime import date, timedelta
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.tenancy import tenant
from llm.errors import EmbedderUnavailable
from memory.models import Drawer, DrawerVector, Entity, MemoryPreferences, MiningProgress, Wing
from memory.pages.forms import MONTHS, last_months
from memory.pages.palace import queries, tree
from memory.pages.palace.tree import FLOORS, WINDOWS_PER_FLOOR, draw_bars, houses
from tests.html import check_fragment, check_page, parse
from tests.memory.pages.forms import page, undo_in
from tests.memory.palaces import MONDAY, Spot, file, relate


def links(html):
    return [e.attributes["href"] for e in parse(html).elements if e.tag == "a"]


def steps_to(drawer):
    """The pages on the way from the palace to a drawer."""
    place = [drawer.wing_id, drawer.room_id, drawer.closet_id]
    inside = [
        reverse(f"memory:{name}", args=place[: n + 1]) for n, name in enumerate(("wing", "room", "closet"))
    ]
    return [reverse("memory:palace"), *inside, reverse("memory:drawer", args=[drawer.id])]


def room_page(client, drawer):
    return check_page(client.get(steps_to(drawer)[2]))


def test_an_empty_palace_links_to_import_demo_and_chat(alice_client, alice):
    html = page(alice_client, "palace")
    assert "Nothing here yet" in html
    assert all(reverse(name) in html for name in ("chat:import", "chat:demo", "chat:chat"))


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


def test_the_current_room_is_shown_in_the_tree_even_if_old(alice_client, as_alice, monkeypatch):
    monkeypatch.setitem(tree.SIDEBAR_SIZES, "tree", 2)
    old = file(as_alice.id, ["long ago"], Spot(room="The oldest"))[0]
    for number in range(3):
        start = MONDAY + timedelta(days=number + 1)
        file(as_alice.id, ["lately"], Spot(room=f"Room {number}", start=start))
    elements = parse(room_page(alice_client, old)).elements
    current = [e for e in elements if e.attributes.get("aria-current") == "page"]
    assert any("The oldest" in element.words for element in current)


def test_rooms_show_times_in_the_users_time_zone_and_link_to_chats(alice_client, as_alice):
    MemoryPreferences.objects.create(user_id=as_alice.id, time_zone="Pacific/Auckland")
    said = file(as_alice.id, ["said"], Spot(start=MONDAY.replace(hour=23)))[0]
    noted = file(as_alice.id, ["noted"], Spot(source_kind="note"))[0]
    html = room_page(alice_client, said)
    assert "7 May 2024, 11:00" in html
    assert reverse("chat:conversation", args=[said.source_id]) in html
    assert reverse("chat:conversation", args=[noted.source_id]) not in room_page(alice_client, noted)


def test_the_number_of_queries_does_not_depend_on_the_size_of_the_palace(
    alice_client, as_alice, django_assert_max_num_queries
):
    for number in range(12):
        file(as_alice.id, ["words"] * 6, Spot(wing=f"Wing {number % 4}", room=f"Room {number}"))
    drawer = Drawer.objects.filter(user_id=as_alice.id).first()
    urls = [*steps_to(drawer)[:4], reverse("memory:drawer_list", args=steps_to(drawer)[3].split("/")[3:8:2])]
    for url, most in zip(urls, (17, 14, 18, 18, 12), strict=True):
        with django_assert_max_num_queries(most):
            alice_client.get(url)


def test_dead_letters_can_be_retried_discarded_and_restored(alice_client, as_alice):
    dead, discarded = MiningProgress.State.DEAD, MiningProgress.State.DISCARDED
    mine = MiningProgress.objects.filter(user_id=as_alice.id)

    def give_up():
        given = {"source_kind": "conversation", "source_id": uuid4(), "state": dead}
        return MiningProgress.objects.create(user_id=as_alice.id, **given)

    first = give_up()
    give_up()
    assert "2 chats could not be saved to memory" in page(alice_client, "palace")
    alice_client.post(reverse("memory:retry"))
    assert {progress.state for progress in mine} == {MiningProgress.State.READY}

    mine.update(state=dead)
    alice_client.post(reverse("memory:discard"))
    assert {progress.state for progress in mine.all()} == {discarded}
    html = page(alice_client, "palace")
    assert "could not be saved to memory" not in html
    undo = undo_in(html, "/undo/")
    for _ in range(2):
        back = check_page(alice_client.post(undo, follow=True))
        assert "2 chats could not be saved to memory" in back
    assert {progress.state for progress in mine.all()} == {dead}

    alice_client.post(reverse("memory:discard"))
    second = give_up()
    alice_client.post(reverse("memory:discard"))
    alice_client.post(reverse("memory:undo", args=[second.id]))
    states = (mine.get(id=first.id).state, mine.get(id=second.id).state)
    assert states == (discarded, dead), "only what was discarded together"


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


def test_items_can_be_selected_and_deleted_in_columns(alice_client, bread):
    drawer = bread[0]
    kinds = {"wing": drawer.wing_id, "room": drawer.room_id, "closet": drawer.closet_id}
    expected = [[f"{kind}:{each}"] for kind, each in kinds.items()]
    values = [f"drawer:{each.id}" for each in bread]
    for address, shown in zip(steps_to(drawer)[:4], [*expected, values], strict=True):
        elements = parse(check_page(alice_client.get(f"{address}?view=columns"))).elements
        boxes = [e for e in elements if e.attributes.get("class") == "choose"]
        assert sorted(box.attributes["value"] for box in boxes) == sorted(shown)
        forms = [e for e in elements if e.attributes.get("id") == "selection"]
        assert [form.attributes["action"] for form in forms] == [reverse("memory:delete_selected")]

    given = {"item": values, "back": f"{address}?view=columns"}
    html = check_page(alice_client.post(reverse("memory:delete_selected"), given, follow=True))
    assert re.search(r"/memory/undo/[^/]+/", html)
    assert not Drawer.objects.live().exists()


@pytest.mark.parametrize("view", ["", "tree", "columns"])
def test_every_view_links_down_to_the_drawers(alice_client, bread, view):
    end = f"?view={view}" if view else ""
    *steps, last = steps_to(bread[0])
    for here, following in itertools.pairwise(steps):
        assert f"{following}{end}" in links(check_page(alice_client.get(f"{here}{end}")))
    assert last in links(check_page(alice_client.get(f"{steps[-1]}{end}")))


def test_the_last_view_is_remembered(alice_client, bread):
    url = reverse("memory:palace")
    alice_client.get(f"{url}?view=columns")
    assert "miller" in check_page(alice_client.get(url))
    assert "miller" not in check_page(alice_client.get(f"{url}?view=tree"))
    assert "miller" not in check_page(alice_client.get(f"{url}?view=nonsense"))


def test_a_room_in_the_wrong_wing_redirects_to_the_right_one(alice_client, bread):
    wrong = reverse("memory:room", args=[uuid4(), bread[0].room_id])
    assert alice_client.get(wrong).headers["Location"] == steps_to(bread[0])[2]


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


def test_houses_can_be_filtered_by_kind(alice_client, as_alice):
    for name, kind in (("Ana", "person"), ("Garden", "topic")):
        file(as_alice.id, ["words"], Spot(wing=name, kind=kind))
    url = reverse("memory:palace")
    html = check_page(alice_client.get(f"{url}?kind=person"))
    assert html.count('class="house ') == 1
    assert "Garden" not in html
    assert "No wing is of this kind" in check_page(alice_client.get(f"{url}?kind=agent"))
    assert check_page(alice_client.get(f"{url}?kind=nonsense")).count('class="house ') == 2


GARDEN, PANS = (Wing(id=uuid7(), drawers_held=held) for held in (20, 2_000))
MONTHS_OF = {wing.id: (0,) * 9 + (2, 0, 7) for wing in (GARDEN, PANS)}


def test_windows_of_a_house_stand_for_messages_and_are_limited():
    window, (house,) = houses([GARDEN], MONTHS_OF)
    assert (window, house.windows, house.lit) == (8, 3, 2)
    assert house.lit_path.count("M") == 2
    assert house.dark_path.count("M") == 1
    window, (large, small) = houses([PANS, GARDEN], MONTHS_OF)
    assert window == 140
    assert (large.windows, small.windows) == (WINDOWS_PER_FLOOR * FLOORS, 1)
    assert large.height > small.height
    assert houses([], {}) == (8, [])


def test_last_months_cross_the_turn_of_the_year():
    months = last_months(date(2026, 2, 28))
    assert len(months) == MONTHS
    assert [(each.year, each.month) for each in (months[0], months[-1])] == [(2025, 3), (2026, 2)]


def test_bars_of_a_wing_count_drawers_per_month(alice):
    now = timezone.now()
    with tenant(alice.id):
        file(alice.id, ["now", "and now"], Spot(wing="Garden", start=now))
        file(alice.id, ["long ago"], Spot(wing="Garden", room="Old", start=now - timedelta(days=800)))
        assert Drawer.objects.count() == 3
        (garden,) = queries.wings(alice.id).items
        assert draw_bars(alice.id, [garden], now) == {garden.id: (0,) * 11 + (2,)}
    assert garden.bars.count("M") == MONTHS
