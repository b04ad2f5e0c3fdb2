"""The page of a drawer, notes, and the forms that change, move and delete drawers and places."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

from django.urls import reverse

from memory.models import Drawer, Fact, RecallTrace, Relation, RelationSource
from memory.organize.notes import NOTE_LIMIT
from tests.html import check_fragment, check_page, parse
from tests.memory.pages.forms import HTMX, page, post, submit, undo_in
from tests.memory.palaces import MONDAY, Spot, file, learn, refreshed, relate
from tests.memory.recall.asking import traced


def url_of(name, drawer):
    return reverse(f"memory:{name}", args=[drawer.id])


def quotes_of(html):
    return [e.words for e in parse(html).elements if e.tag == "blockquote"]


def test_a_drawer_shows_its_text_facts_relations_neighbours_and_uses(alice_client, bread):
    relate(bread[0], "Ines", "married_to", "Rui")
    hits = [{"drawer_id": str(bread[0].id), "reason": "The same words."}]
    trace = RecallTrace.objects.create(user_id=bread[0].user_id, trace={}, hits=hits)
    html = page(alice_client, "drawer", bread[0].id)
    for words in (
        "Feeds a rye starter every morning.",
        "married to",
        "My sister Ines gave it to me in Porto.",
        "§ W-001/R-01/D-001\n@p Ines\n@l Porto",
        reverse("chat:conversation", args=[bread[0].source_id]),
        "The same words.",
        reverse("chat:reply_of", args=[trace.id]),
    ):
        assert words in html
    assert "not used in any of your latest" in page(alice_client, "drawer", bread[1].id)
    (mark,) = [e for e in parse(html).elements if e.tag == "mark"]
    assert mark.words == "rye starter every morning"
    assert mark.ancestors[-1].attributes["href"] == url_of("fact", Fact.objects.get())


def test_text_is_shown_as_typed_with_overlapping_facts_marked(
    alice_client, as_alice, django_assert_max_num_queries
):
    text = "  two spaces\n\n\ta tab & <b>bold</b>  \nend "
    said = "I moved from Porto to Lisbon in May."
    plain, drawer, wordy = file(as_alice.id, [text, said, " ".join(f"word{n}" for n in range(30))])
    learn(drawer, "moved from Porto to Lisbon", "Moved from Porto to Lisbon.")
    learn(drawer, "Lisbon in May", "Is in Lisbon since May.")
    assert quotes_of(page(alice_client, "drawer", plain.id))[0] == text
    html = page(alice_client, "drawer", drawer.id)
    marked = [e.words for e in parse(html).elements if e.tag == "mark"]
    assert "".join(marked) == "moved from Porto to Lisbon in May"
    assert "I moved from Porto to Lisbon1 in May2." in quotes_of(html)
    assert 'href="#note-2"' in html
    assert 'id="note-2"' in html
    for number in range(30):
        learn(wordy, f"word{number}", f"Said {number} once.")
    with django_assert_max_num_queries(12):
        page(alice_client, "drawer", wordy.id)


def test_long_text_is_shortened_and_tool_output_folded_unless_a_fact_rests_on_it(alice_client, as_alice):
    before, drawer, _ = file(as_alice.id, ["b" * 5000, "ß" * 1_000_000, "after"])
    html = page(alice_client, "drawer", drawer.id)
    assert html.count("ß") == 10_000
    assert "990,000 more characters" in html
    assert page(alice_client, "drawer", drawer.id, all="1").count("ß") == 1_000_000
    assert html.count("b" * 140) == 1
    assert "b" * 160 not in html
    assert html.index("bbb") < html.index("ß") < html.index("after</q>")
    assert url_of("drawer", before) in html

    short, long = file(as_alice.id, ["Sluice: open", "Sluice gate, page 1. " * 100], role="tool")
    folded = "<summary>Tool output, 2,100 characters</summary>"
    assert "<summary>Tool output" not in page(alice_client, "drawer", short.id)
    assert f"<details>{folded}" in page(alice_client, "drawer", long.id)
    learn(long, "Sluice gate", "Has a sluice gate.", authority="tool")
    assert f"<details open>{folded}" in page(alice_client, "drawer", long.id), "a fact rests on it"


def test_tool_output_is_set_apart_wherever_drawers_are_shown(alice_client, as_alice):
    spot = Spot(source_id=uuid4())
    (result,) = file(as_alice.id, ["Ines and Rui: sluice gate open"], spot, role="tool")
    (said,) = file(as_alice.id, ["Is the sluice open?"], replace(spot, start=MONDAY + timedelta(hours=1)))
    fact = learn(result, "sluice gate open", "Has an open gate.", authority="tool")
    Fact.objects.update(status=Fact.Status.PENDING)
    ines = relate(result, "Ines", "friend_of", "Rui").subject_id
    RelationSource.objects.update(start=0, end=13)
    wing, room, closet = said.wing_id, said.room_id, said.closet_id
    _, trace = traced(as_alice, "Is the sluice gate open?", now=MONDAY + timedelta(days=1))
    RecallTrace.objects.update(without_reply=True)
    columns = f"{reverse('memory:closet', args=[wing, room, closet])}?view=columns"
    forgetting = reverse("forget:preview", query={"kind": "room", "id": room})
    for url in (
        *(forgetting, reverse("chat:recall", args=[trace.id]), url_of("drawer", said)),
        *(reverse(f"memory:{name}", args=[wing, room]) for name in ("room", "room_preview")),
        *(reverse(f"memory:{name}", args=[wing, room, closet]) for name in ("closet", "drawer_list")),
        *(reverse("memory:day", args=[MONDAY.date()]), reverse("memory:search", query={"q": "sluice"})),
        *(url_of("fact", fact), reverse("memory:review"), reverse("memory:entity", args=[ines])),
        *(reverse("memory:graph", query={"entity": ines}), columns),
    ):
        assert "said-tool" in alice_client.get(url).text, url
    assert "Is the sluice open?</q>" in page(alice_client, "wing", said.wing_id, view="tree")
    post(alice_client, "delete_drawer", result.id)
    assert "said-tool" in page(alice_client, "trash")


def test_a_drawer_is_pinned_made_sensitive_and_annotated_without_changing_it(alice_client, bread):
    drawer = bread[0]
    assert post(alice_client, "pin", drawer.id, on="1")["Location"] == url_of("drawer", drawer)
    post(alice_client, "sensitive", drawer.id, on="1")
    assert (refreshed(drawer).pinned, drawer.sensitive) == (True, True)
    assert "Never sent to a model" in page(alice_client, "drawer", drawer.id)
    html = check_fragment(alice_client.post(url_of("pin", drawer), {"on": "0"}, headers=HTMX))
    assert html.lstrip().startswith('<div class="row" id="switches"')
    assert not refreshed(drawer).pinned
    for given, kept in (("Since 2019.\r\nبالقمح", "Since 2019.\nبالقمح"), ("a\x00b", "ab")):
        post(alice_client, "annotate", drawer.id, annotation=given)
        assert refreshed(drawer).annotation.replace("\ufffd", "") == kept
    assert drawer.content == "I feed my rye starter every morning at seven."
    html = submit(alice_client, url_of("annotate", drawer), 422, annotation="x" * 10_001)
    assert "at most 10000 characters; this has 10001" in html
    assert "x" * 10_001 in html, "what was typed is not lost"
    assert len(refreshed(drawer).annotation) < 4


def test_a_deleted_drawer_offers_undo_shows_no_text_and_cannot_be_changed(alice_client, bread):
    drawer, other = bread[:2]
    html = submit(alice_client, url_of("delete_drawer", drawer))
    assert reverse("memory:undo", args=[refreshed(drawer).deletion_id]) in html
    html = check_fragment(alice_client.post(url_of("delete_drawer", other), headers=HTMX))
    assert html.lstrip().startswith('<div class="page" id="drawer"')
    assert 'hx-swap-oob="beforeend:#toasts"' in html
    assert html.count(reverse("memory:undo", args=[refreshed(other).deletion_id])) == 2
    html = page(alice_client, "drawer", drawer.id)
    assert "This drawer is in the trash" in html
    assert "rye starter" not in html
    for name in ("delete_drawer", "pin", "sensitive", "annotate"):
        url = url_of(name, drawer)
        html = submit(alice_client, url, on="1", annotation="x")
        assert "This drawer has been moved to the trash" in html
        by_script = alice_client.post(url, {"on": "1"}, headers=HTMX)
        assert by_script["HX-Redirect"] == url_of("drawer", drawer)
    assert (refreshed(drawer).pinned, drawer.sensitive, drawer.annotation) == (False, False, "")


def test_a_pointer_redirects_to_its_drawer_even_if_deleted(alice_client, bread):
    for url in ("/memory/p/W-001/R-01/D-002/", "/memory/p/W-1/R-1/D-2/"):
        assert alice_client.get(url)["Location"] == url_of("drawer", bread[1])
    post(alice_client, "delete_drawer", bread[1].id)
    html = check_page(alice_client.get("/memory/p/W-001/R-01/D-002/", follow=True))
    assert "This drawer is in the trash" in html
    for number in (0, 2**31, 10**30):
        assert alice_client.get(f"/memory/p/W-{number}/R-1/D-1/").status_code == 404


def test_a_moved_drawer_keeps_its_pointer(alice_client, bread):
    rye = file(bread[0].user_id, ["Rye is sour."], Spot(wing="Rye"))[0]
    url = url_of("move_drawer", bread[0])
    assert "Rye" in check_page(alice_client.get(url, {"q": "rye"}))
    assert "Select one first." in submit(alice_client, url, 422)
    for message in ("Moved.", "It is already there."):
        assert message in submit(alice_client, url, into=rye.wing_id, closet="Crust")
    assert Drawer.objects.get(closet__name="Crust").wing_id == rye.wing_id
    html = check_page(alice_client.get("/memory/p/W-001/R-01/D-001/", follow=True))
    assert "§ W-001/R-01/D-001" in html


def test_invalid_notes_are_refused_without_losing_their_text(alice_client, as_alice):
    wrong = [{"text": ""}, {"text": " \n\t "}, {"text": "ж" * (NOTE_LIMIT + 1)}]
    wrong += [{"text": "w", "wing": "x" * 201}, {"text": "w", "wing_kind": "planet"}]
    for given in (*wrong, {"text": "w", "closet": "x" * 201}):
        html = submit(alice_client, reverse("memory:note"), 422, **{"wing_kind": "topic"} | given)
        assert given["text"].strip() in html
    assert not Drawer.objects.exists()


def change(scope, place_id):
    return reverse("memory:change_place", args=[scope, place_id])


def test_a_merged_wing_redirects_to_the_other_and_impossible_choices_are_refused(alice_client, bread):
    start = MONDAY + timedelta(days=1)
    (rye,) = file(bread[0].user_id, ["Rye is sour."], Spot(wing="Rye", room="Rye", start=start))
    wing, room = bread[0].wing_id, bread[0].room_id
    for given, status in (
        ({"action": "merge"}, 422),
        ({"action": "merge", "other": "x"}, 404),
        ({"action": "explode"}, 404),
    ):
        assert alice_client.post(change("room", room), given).status_code == status
    assert alice_client.get(change("palace", room)).status_code == 404
    assert "Rye" in check_page(alice_client.get(change("wing", wing)))
    alice_client.post(change("wing", wing), {"action": "merge", "other": rye.wing_id})
    for name, old, new in (
        ("wing", [rye.wing_id], [wing]),
        ("room", [rye.wing_id, rye.room_id], [wing, rye.room_id]),
        ("room", [uuid4(), room], [wing, room]),
    ):
        response = alice_client.get(reverse(f"memory:{name}", args=old))
        assert response["Location"] == reverse(f"memory:{name}", args=new)
    assert "Undo" in check_page(alice_client.get(change("wing", wing)))


def test_a_place_is_deleted_after_confirmation_and_restored_unless_it_is_empty(alice_client, bread):
    other = file(bread[0].user_id, ["Something else."], Spot(wing="Other"))[0]
    place = [bread[0].wing_id, bread[0].room_id, bread[0].closet_id]
    for depth, scope in enumerate(("wing", "room", "closet"), start=1):
        url = reverse(f"memory:delete_{scope}", args=place[:depth])
        assert "3 drawers move to the trash" in check_page(alice_client.get(url))
        assert Drawer.objects.live().count() == 4
        done = submit(alice_client, url)
        assert list(Drawer.objects.live()) == [other]
        assert not Fact.objects.filter(deleted_at=None).exists()
        alice_client.post(undo_in(done, "/undo/"))
        assert Drawer.objects.live().count() == 4
        assert Fact.objects.filter(deleted_at=None).count() == 1
        assert Relation.objects.filter(deleted_at=None).count() == 1

    url = reverse("memory:delete_wing", args=place[:1])
    alice_client.post(url)
    assert alice_client.post(url).status_code == 404, "it is empty"
    assert "is in the trash" in page(alice_client, "wing", place[0])
    html = page(alice_client, "delete_closet", *place)
    assert "Everything that was here is already in the trash." in html
    assert reverse("memory:trash") in html
    assert [words for words in ("0 drawers", "button-danger") if words in html] == []


def test_every_column_offers_its_items_for_selection_and_deletes_them(alice_client, bread):
    drawer, selected = bread[0], reverse("memory:delete_selected")
    place = [drawer.wing_id, drawer.room_id, drawer.closet_id]
    shown = [[f"{kind}:{key}"] for kind, key in zip(("wing", "room", "closet"), place, strict=True)]
    shown.append([f"drawer:{each.id}" for each in bread])
    for depth, name in enumerate(("palace", "wing", "room", "closet")):
        elements = parse(page(alice_client, name, *place[:depth], view="columns")).elements
        boxes = [e.attributes["value"] for e in elements if e.attributes.get("class") == "choose"]
        assert sorted(boxes) == sorted(shown[depth])
        (form,) = (e.attributes for e in elements if e.attributes.get("id") == "selection")
        assert form["action"] == selected

    for items in ([], ["y", "drawer:y", f"palace:{drawer.id}"]):
        assert "There was nothing to delete." in submit(alice_client, selected, item=items)
    closet = reverse("memory:closet", args=place)
    assert "/memory/undo/" in submit(alice_client, selected, item=shown[3], back=f"{closet}?view=columns")
    assert not Drawer.objects.live().exists()
    away = {"item": shown[3][0], "back": "https://example.org/"}
    assert alice_client.post(selected, away)["Location"] == reverse("memory:palace")
