from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

from django.urls import reverse

from memory.models import Drawer, Fact, RecallTrace, RelationSource
from memory.organize.notes import NOTE_LIMIT
from tests.html import check_fragment, check_page, parse
from tests.memory.pages.forms import HTMX, page
from tests.memory.palaces import MONDAY, Spot, file, learn, relate
from tests.memory.recall.asking import traced


def url_of(name, drawer):
    return reverse(f"memory:{name}", args=[drawer.id])


def test_a_drawer_shows_its_text_facts_relations_neighbours_and_uses(alice_client, bread):
    relate(bread[0], "Ines", "married_to", "Rui")
    hits = [{"drawer_id": str(bread[0].id), "reason": "The same words."}]
    trace = RecallTrace.objects.create(user_id=bread[0].user_id, trace={}, hits=hits)
    html = page(alice_client, "drawer", bread[0].id)
    assert "Feeds a rye starter every morning." in html
    assert "married to" in html
    assert "My sister Ines gave it to me in Porto." in html
    assert "§ W-001/R-01/D-001\n@p Ines\n@l Porto" in html
    assert reverse("chat:conversation", args=[bread[0].source_id]) in html
    assert "The same words." in html
    assert reverse("chat:reply_of", args=[trace.id]) in html
    assert "not used in any of your latest" in page(alice_client, "drawer", bread[1].id)
    (mark,) = [e for e in parse(html).elements if e.tag == "mark"]
    assert mark.words == "rye starter every morning"
    assert mark.ancestors[-1].attributes["href"] == reverse("memory:fact", args=[Fact.objects.get().id])


def test_text_is_shown_as_typed_with_overlapping_facts_marked(alice_client, as_alice):
    text = "  two spaces\n\n\ta tab & <b>bold</b>  \nend "
    plain, drawer = file(as_alice.id, [text, "I moved from Porto to Lisbon in May."])
    learn(drawer, "moved from Porto to Lisbon", "Moved from Porto to Lisbon.")
    learn(drawer, "Lisbon in May", "Is in Lisbon since May.")

    quotes = [
        e.words for e in parse(page(alice_client, "drawer", plain.id)).elements if e.tag == "blockquote"
    ]
    assert quotes[0] == text
    html = page(alice_client, "drawer", drawer.id)
    elements = parse(html).elements
    marked = [e.words for e in elements if e.tag == "mark"]
    assert "".join(marked) == "moved from Porto to Lisbon in May"
    quotes = [e.words for e in elements if e.tag == "blockquote"]
    assert "I moved from Porto to Lisbon1 in May2." in quotes
    assert 'href="#note-2"' in html
    assert 'id="note-2"' in html


def test_very_long_text_and_neighbours_are_shortened(alice_client, as_alice):
    before, drawer, _ = file(as_alice.id, ["b" * 5000, "ß" * 1_000_000, "after"])
    html = page(alice_client, "drawer", drawer.id)
    assert html.count("ß") == 10_000
    assert "990,000 more characters" in html
    assert page(alice_client, "drawer", drawer.id, all="1").count("ß") == 1_000_000
    assert html.count("b" * 140) == 1
    assert "b" * 160 not in html
    assert html.index("bbb") < html.index("ß") < html.index("after</q>")
    assert url_of("drawer", before) in html


def test_long_tool_output_is_folded_unless_facts_rest_on_it(alice_client, as_alice):
    short, long = file(as_alice.id, ["Sluice: open", "Sluice gate, page 1. " * 100], role="tool")
    folded = "<summary>Tool output, 2,100 characters</summary>"
    assert "<summary>Tool output" not in page(alice_client, "drawer", short.id)
    assert f"<details>{folded}" in page(alice_client, "drawer", long.id)
    learn(long, "Sluice gate", "Has a sluice gate.", authority="tool")
    assert f"<details open>{folded}" in page(alice_client, "drawer", long.id)


def test_tool_output_is_set_apart_wherever_drawers_are_shown(alice_client, as_alice):
    spot = Spot(source_id=uuid4())
    (result,) = file(as_alice.id, ["Ines and Rui: sluice gate open"], spot, role="tool")
    (said,) = file(as_alice.id, ["Is the sluice open?"], replace(spot, start=MONDAY + timedelta(hours=1)))
    fact = learn(result, "sluice gate open", "Has an open gate.", authority="tool")
    Fact.objects.update(status=Fact.Status.PENDING)
    ines = relate(result, "Ines", "friend_of", "Rui").subject_id
    RelationSource.objects.update(start=0, end=13)
    place = (said.wing_id, said.room_id)
    _, trace = traced(as_alice, "Is the sluice gate open?", now=MONDAY + timedelta(days=1))
    RecallTrace.objects.update(without_reply=True)
    pages = (
        check_page(alice_client.get(reverse("chat:recall", args=[trace.id]))),
        page(alice_client, "drawer", said.id),
        page(alice_client, "room", *place),
        check_fragment(alice_client.get(reverse("memory:room_preview", args=place))),
        page(alice_client, "closet", *place, said.closet_id),
        page(alice_client, "closet", *place, said.closet_id, view="columns"),
        check_fragment(alice_client.get(reverse("memory:drawer_list", args=[*place, said.closet_id]))),
        page(alice_client, "day", MONDAY.date()),
        page(alice_client, "search", q="sluice"),
        page(alice_client, "fact", fact.id),
        page(alice_client, "review"),
        page(alice_client, "entity", ines),
        page(alice_client, "graph", entity=ines),
        check_page(alice_client.get(reverse("forget:preview"), {"kind": "room", "id": said.room_id})),
    )
    assert ["said-tool" in html for html in pages] == [True] * len(pages)
    assert "Is the sluice open?</q>" in page(alice_client, "wing", said.wing_id, view="tree")
    alice_client.post(url_of("delete_drawer", result))
    assert "said-tool" in page(alice_client, "trash")


def test_a_drawer_can_be_pinned_and_made_sensitive_with_and_without_a_script(alice_client, bread):
    pin = url_of("pin", bread[0])
    assert alice_client.post(pin, {"on": "1"})["Location"] == url_of("drawer", bread[0])
    alice_client.post(url_of("sensitive", bread[0]), {"on": "1"})
    bread[0].refresh_from_db()
    assert (bread[0].pinned, bread[0].sensitive) == (True, True)
    assert "Never sent to a model" in page(alice_client, "drawer", bread[0].id)
    html = check_fragment(alice_client.post(pin, {"on": "0"}, headers=HTMX))
    assert html.lstrip().startswith('<div class="row" id="switches"')
    bread[0].refresh_from_db()
    assert not bread[0].pinned


def test_an_annotation_is_stored_beside_the_text_and_refused_when_too_long(alice_client, bread):
    url = url_of("annotate", bread[0])
    for given, kept in (("Since 2019.\r\nبالقمح", "Since 2019.\nبالقمح"), ("a\x00b", "ab")):
        alice_client.post(url, {"annotation": given})
        bread[0].refresh_from_db()
        assert bread[0].annotation.replace("\ufffd", "") == kept
    assert bread[0].content == "I feed my rye starter every morning at seven."

    html = check_page(alice_client.post(url, {"annotation": "x" * 10_001}), status=422)
    assert "at most 10000 characters; this has 10001" in html
    assert "x" * 10_001 in html, "what was typed is not lost"
    bread[0].refresh_from_db()
    assert len(bread[0].annotation) < 4


def test_deleting_offers_undo_and_leaves_no_text_on_the_page(alice_client, bread):
    for drawer, headers in ((bread[0], {}), (bread[1], HTMX)):
        response = alice_client.post(url_of("delete_drawer", drawer), headers=headers, follow=True)
        drawer.refresh_from_db()
        undo = reverse("memory:undo", args=[drawer.deletion_id])
        if headers:
            html = check_fragment(response)
            assert html.lstrip().startswith('<div class="page" id="drawer"')
            assert 'hx-swap-oob="beforeend:#toasts"' in html
            assert html.count(undo) == 2
        else:
            assert undo in check_page(response)
    html = page(alice_client, "drawer", bread[0].id)
    assert "This drawer is in the trash" in html
    assert "rye starter" not in html


def test_actions_in_another_window_report_that_the_drawer_was_deleted(alice_client, bread):
    alice_client.post(url_of("delete_drawer", bread[0]))
    for name in ("delete_drawer", "pin", "sensitive", "annotate"):
        url = url_of(name, bread[0])
        html = check_page(alice_client.post(url, {"on": "1", "annotation": "x"}, follow=True))
        assert "This drawer has been moved to the trash" in html
        by_script = alice_client.post(url, {"on": "1"}, headers=HTMX)
        assert by_script["HX-Redirect"] == url_of("drawer", bread[0])
    found = Drawer.objects.get(id=bread[0].id)
    assert (found.pinned, found.sensitive, found.annotation) == (False, False, "")


def test_a_pointer_redirects_to_its_drawer_even_if_moved_or_deleted(alice_client, bread):
    for url in ("/memory/p/W-001/R-01/D-002/", "/memory/p/W-1/R-1/D-2/"):
        assert alice_client.get(url)["Location"] == url_of("drawer", bread[1])
    alice_client.post(url_of("delete_drawer", bread[1]))
    html = check_page(alice_client.get("/memory/p/W-001/R-01/D-002/", follow=True))
    assert "This drawer is in the trash" in html

    other = file(bread[0].user_id, ["elsewhere"], Spot(wing="Other"))[0]
    Drawer.objects.filter(user_id=bread[0].user_id, id=bread[0].id).update(
        wing_id=other.wing_id, room_id=other.room_id, closet_id=other.closet_id
    )
    html = check_page(alice_client.get("/memory/p/W-001/R-01/D-001/", follow=True))
    assert "§ W-001/R-01/D-001" in html
    assert "Other" in html
    for number in (0, 2**31, 10**30):
        assert alice_client.get(f"/memory/p/W-{number}/R-1/D-1/").status_code == 404


def test_a_drawer_with_many_facts_takes_few_queries(alice_client, as_alice, django_assert_max_num_queries):
    words = [f"word{number}" for number in range(30)]
    drawer = file(as_alice.id, [" ".join(words)], Spot(start=MONDAY + timedelta(hours=1)))[0]
    for word in words:
        learn(drawer, word, f"Said {word} once.")
    with django_assert_max_num_queries(12):
        page(alice_client, "drawer", drawer.id)


def save(client, **given):
    return client.post(reverse("memory:note"), {"wing_kind": "topic"} | given)


def test_invalid_notes_are_refused_without_losing_their_text(alice_client, as_alice):
    refused = [{"text": ""}, {"text": " \n\t "}, {"text": "ж" * (NOTE_LIMIT + 1)}]
    refused += [{"text": "w", "wing": "x" * 201}, {"text": "w", "wing_kind": "planet"}]
    for given in (*refused, {"text": "w", "closet": "x" * 201}):
        html = check_page(save(alice_client, **given), status=422)
        assert given["text"].strip() in html
    assert not Drawer.objects.exists()
