import itertools
import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from llm.errors import EmbedderUnavailable
from llm.fake_gateway import FakeEmbedder
from memory.models import Drawer, DrawerVector, MemoryPreferences, MiningProgress
from memory.pages.palace import queries, tree
from tests.html import check_fragment, check_page, parse
from tests.memory.page_sizes import shorten
from tests.memory.palaces import MONDAY, Spot, file


def links(html: str) -> list[str]:
    return [e.attributes["href"] for e in parse(html).elements if e.tag == "a"]


def test_an_empty_palace_teaches(alice_client: Client, alice: User):
    html = check_page(alice_client.get(reverse("memory:palace")))

    assert "Nothing here yet" in html
    assert reverse("chat:import") in html
    assert reverse("chat:demo") in html
    assert reverse("chat:chat") in links(html)


def test_plain_links_lead_from_the_palace_to_every_drawer(alice_client: Client, bread: list[Drawer]):
    drawer = bread[0]
    steps = [
        reverse("memory:palace"),
        reverse("memory:wing", args=[drawer.wing_id]),
        reverse("memory:room", args=[drawer.wing_id, drawer.room_id]),
        reverse("memory:closet", args=[drawer.wing_id, drawer.room_id, drawer.closet_id]),
        reverse("memory:drawer", args=[drawer.id]),
    ]
    for here, following in itertools.pairwise(steps):
        assert following in links(check_page(alice_client.get(here)))


def test_branches_lead_the_same_way_without_reloading(alice_client: Client, bread: list[Drawer]):
    drawer = bread[0]
    url, found = reverse("memory:palace"), []
    for _ in range(3):
        html = alice_client.get(url).content.decode()
        url = next(
            e.attributes["hx-get"]
            for e in parse(html).elements
            if "tree-toggle" in e.attributes.get("class", "")
        )
        found.append(url)
    html = check_fragment(alice_client.get(url))

    assert found[0] == reverse("memory:room_list", args=[drawer.wing_id])
    assert [link for link in links(html) if "drawers" in link] == [
        reverse("memory:drawer", args=[each.id]) for each in bread
    ]


def test_what_opens_a_branch_names_it_and_what_it_opens(alice_client: Client, bread: list[Drawer]):
    page = parse(check_page(alice_client.get(reverse("memory:palace"))))
    (button,) = [e for e in page.elements if "tree-toggle" in e.attributes.get("class", "")]

    assert button.attributes["aria-expanded"] == "false"
    assert "Bakery" in button.attributes["aria-label"]
    assert "hidden" in button.attributes  # until the script runs


def test_an_open_room_stands_open_in_the_tree_even_when_it_is_an_old_one(
    alice_client: Client, as_alice: User, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(tree.BESIDE, "tree", 2)
    old = file(as_alice.id, ["long ago"], Spot(room="The oldest"))[0]
    for number in range(3):
        start = MONDAY + timedelta(days=number + 1)
        file(as_alice.id, ["lately"], Spot(room=f"Room {number}", start=start))

    html = check_page(alice_client.get(reverse("memory:room", args=[old.wing_id, old.room_id])))

    page = parse(html)
    current = [e for e in page.elements if e.attributes.get("aria-current") == "page"]
    assert any("The oldest" in element.words for element in current)


def test_more_of_a_long_list_is_a_link_and_a_fragment(
    alice_client: Client, as_alice: User, monkeypatch: pytest.MonkeyPatch
):
    shorten(monkeypatch, queries.drawers_of_closet, 2)
    drawers = file(as_alice.id, [f"words {number}" for number in range(3)])
    place = [drawers[0].wing_id, drawers[0].room_id, drawers[0].closet_id]

    first = check_page(alice_client.get(reverse("memory:closet", args=place)))
    (following,) = [link for link in links(first) if "after=" in link]
    second = check_page(alice_client.get(reverse("memory:closet", args=place) + following))

    assert "words 1" in first
    assert "words 2" not in first
    assert "words 2" in second


def test_dates_follow_the_persons_own_clock(alice_client: Client, as_alice: User):
    MemoryPreferences.objects.create(user_id=as_alice.id, time_zone="Pacific/Auckland")
    late = MONDAY.replace(hour=23)
    drawer = file(as_alice.id, ["late"], Spot(start=late))[0]

    html = check_page(alice_client.get(reverse("memory:room", args=[drawer.wing_id, drawer.room_id])))

    assert "7 May 2024, 11:00" in html


def test_a_chat_is_linked_and_a_note_has_none(alice_client: Client, as_alice: User):
    said = file(as_alice.id, ["said"])[0]
    noted = file(as_alice.id, ["noted"], Spot(source_kind="note"))[0]

    def page(drawer: Drawer) -> str:
        return check_page(alice_client.get(reverse("memory:room", args=[drawer.wing_id, drawer.room_id])))

    assert reverse("chat:conversation", args=[said.source_id]) in page(said)
    assert reverse("chat:conversation", args=[noted.source_id]) not in page(noted)


def test_pages_ask_the_same_however_much_there_is(
    alice_client: Client, as_alice: User, django_assert_max_num_queries: DjangoAssertNumQueries
):
    for number in range(12):
        file(as_alice.id, ["words"] * 6, Spot(wing=f"Wing {number % 4}", room=f"Room {number}"))
    drawer = Drawer.objects.filter(user_id=as_alice.id).first()
    assert drawer is not None
    place = [drawer.wing_id, drawer.room_id, drawer.closet_id]
    for name, ids, most in (
        ("palace", [], 13),
        ("wing", place[:1], 10),
        ("room", place[:2], 16),
        ("closet", place, 18),
        ("drawer_list", place, 12),
    ):
        with django_assert_max_num_queries(most):
            alice_client.get(reverse(f"memory:{name}", args=ids))


def test_chats_that_could_not_be_mined_are_told_tried_again_and_let_go(alice_client: Client, as_alice: User):
    dead = MiningProgress.State.DEAD
    for _ in range(2):
        MiningProgress.objects.create(
            user_id=as_alice.id, source_kind="conversation", source_id=uuid4(), state=dead
        )
    mine = MiningProgress.objects.filter(user_id=as_alice.id)

    assert "2 chats could not be mined" in check_page(alice_client.get(reverse("memory:palace")))
    alice_client.post(reverse("memory:retry"))
    assert {progress.state for progress in mine} == {MiningProgress.State.READY}

    mine.update(state=dead)
    alice_client.post(reverse("memory:discard"))
    assert {progress.state for progress in mine} == {MiningProgress.State.DISCARDED}
    page = check_page(alice_client.get(reverse("memory:palace")))
    assert "could not be mined" not in page

    (undo,) = re.findall(r'action="(/memory/mining/discarded/[^"]+)"', page)
    for _ in range(2):
        back = check_page(alice_client.post(undo, follow=True))
        assert "2 chats could not be mined" in back
    assert {progress.state for progress in mine.all()} == {dead}


def test_only_what_was_let_go_at_once_is_taken_up_again(alice_client: Client, as_alice: User):
    dead, discarded = MiningProgress.State.DEAD, MiningProgress.State.DISCARDED

    def given_up() -> MiningProgress:
        return MiningProgress.objects.create(
            user_id=as_alice.id, source_kind="conversation", source_id=uuid4(), state=dead
        )

    first = given_up()
    alice_client.post(reverse("memory:discard"))
    second = given_up()
    alice_client.post(reverse("memory:discard"))
    alice_client.post(reverse("memory:take_up", args=[second.id]))
    for row in (first, second):
        row.refresh_from_db()
    assert (first.state, second.state) == (discarded, dead)


def test_drawers_without_vectors_are_told_in_words(
    alice_client: Client, bread: list[Drawer], embedder: FakeEmbedder
):
    url = reverse("memory:waiting_drawers")
    assert alice_client.get(url).content.strip() == b""

    DrawerVector.objects.filter(drawer_id=bread[0].id).delete()
    assert "1 drawer is still being prepared" in check_fragment(alice_client.get(url))


def test_a_missing_embedder_does_not_break_the_page(alice_client: Client, as_alice: User):
    MemoryPreferences.objects.create(user_id=as_alice.id, embedding_model="gone")

    html = check_fragment(alice_client.get(reverse("memory:waiting_drawers")))

    assert "still found by their words" in html
    assert EmbedderUnavailable.__name__ not in html


@pytest.mark.parametrize("view", ["columns", "map"])
def test_what_is_on_show_can_be_chosen_in_every_view(alice_client: Client, bread: list[Drawer], view: str):
    drawer = bread[0]
    ids = [drawer.wing_id, drawer.room_id, drawer.closet_id]
    expected = {
        reverse("memory:palace"): [f"wing:{ids[0]}"],
        reverse("memory:wing", args=ids[:1]): [f"room:{ids[1]}"],
        reverse("memory:room", args=ids[:2]): [f"closet:{ids[2]}"],
        reverse("memory:closet", args=ids): [f"drawer:{each.id}" for each in bread],
    }
    for address, values in expected.items():
        page = parse(check_page(alice_client.get(f"{address}?view={view}")))
        boxes = [e for e in page.elements if e.attributes.get("class") == "choose"]
        assert sorted(box.attributes["value"] for box in boxes) == sorted(values)
        forms = [e for e in page.elements if e.attributes.get("id") == "selection"]
        assert [form.attributes["action"] for form in forms] == [reverse("memory:selected")]

    given = {"action": "delete", "item": values, "back": f"{address}?view={view}"}
    html = check_page(alice_client.post(reverse("memory:selected"), given, follow=True))
    assert re.search(r"/memory/trash/[^/]+/undo/", html)
    assert not Drawer.objects.live().filter(id__in=[each.id for each in bread]).exists()


@pytest.mark.parametrize("view", ["tree", "columns", "map"])
def test_every_view_leads_down_to_the_drawers(alice_client: Client, bread: list[Drawer], view: str):
    drawer = bread[0]
    steps = [
        reverse("memory:palace"),
        reverse("memory:wing", args=[drawer.wing_id]),
        reverse("memory:room", args=[drawer.wing_id, drawer.room_id]),
        reverse("memory:closet", args=[drawer.wing_id, drawer.room_id, drawer.closet_id]),
    ]
    for here, following in itertools.pairwise(steps):
        found = links(check_page(alice_client.get(f"{here}?view={view}")))
        assert f"{following}?view={view}" in found
    last = links(check_page(alice_client.get(f"{steps[-1]}?view={view}")))
    assert reverse("memory:drawer", args=[drawer.id]) in last


def test_the_view_chosen_last_is_remembered(alice_client: Client, bread: list[Drawer]):
    url = reverse("memory:palace")
    alice_client.get(f"{url}?view=map")
    assert "map-drawing" in check_page(alice_client.get(url))
    assert "map-drawing" not in check_page(alice_client.get(f"{url}?view=columns"))
    assert "miller" in check_page(alice_client.get(f"{url}?view=nonsense"))


def test_the_map_draws_what_is_there_and_nothing_else(alice_client: Client, bread: list[Drawer]):
    page = parse(check_page(alice_client.get(f"{reverse('memory:palace')}?view=map")))
    spots = [e for e in page.elements if e.attributes.get("class") == "map-spot"]

    assert [e.attributes["aria-label"] for e in spots] == ["Bakery, 3 drawers"]


def test_a_place_of_somebody_else_leads_nowhere(
    alice_client: Client, bob_client: Client, bread: list[Drawer]
):
    drawer = bread[0]
    assert bob_client.get(reverse("memory:wing", args=[drawer.wing_id])).status_code == 404
    assert alice_client.get(reverse("memory:room", args=[uuid4(), drawer.room_id])).headers[
        "Location"
    ] == reverse("memory:room", args=[drawer.wing_id, drawer.room_id])


def test_the_map_is_drawn_with_numbers_that_every_browser_reads(
    alice_client: Client, bread: list[Drawer], settings: Any
):
    settings.LANGUAGES = [("en-gb", "English"), ("ar", "Arabic")]
    url = f"{reverse('memory:palace')}?view=map"
    html = check_page(alice_client.get(url, headers={"Accept-Language": "ar"}))
    assert 'dir="rtl"' in html
    places = {"x", "y", "cx", "cy", "r", "width", "height"}
    numbers = [
        element.attributes[name]
        for element in parse(html).elements
        if element.attributes.get("class", "").startswith("map-")
        for name in places & element.attributes.keys()
    ]
    assert len(numbers) > len(places)
    assert all(re.fullmatch(r"-?\d+(\.\d+)?", number) for number in numbers), numbers
    assert any("." in number for number in numbers)
