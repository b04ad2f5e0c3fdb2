from datetime import timedelta

from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from memory.models import Drawer, Fact, RecallTrace
from tests.html import check_fragment, check_page, parse
from tests.memory.palaces import MONDAY, Spot, file, learn, relate

HTMX = {"HX-Request": "true"}


def page_of(client: Client, drawer: Drawer, **query: str) -> str:
    return check_page(client.get(reverse("memory:drawer", args=[drawer.id], query=query)))


def test_a_drawer_shows_its_words_with_all_that_belongs_to_them(alice_client: Client, bread: list[Drawer]):
    html = page_of(alice_client, bread[0])

    assert "<mark>rye starter every morning</mark>" in html
    assert "Feeds a rye starter every morning." in html
    assert "My sister Ines gave it to me in Porto." in html
    assert "§ W-001/R-01/D-001\n@p Ines\n@l Porto" in html
    assert reverse("chat:conversation", args=[bread[0].source_id]) in html


def test_words_are_shown_as_they_were_typed(alice_client: Client, as_alice: User):
    text = "  two spaces\n\n\ta tab & <b>bold</b>  \nend "
    drawer = file(as_alice.id, [text])[0]

    quotes = [e for e in parse(page_of(alice_client, drawer)).elements if e.tag == "blockquote"]

    assert [quote.words for quote in quotes] == [text]


def test_facts_whose_words_overlap_are_all_marked(alice_client: Client, as_alice: User):
    drawer = file(as_alice.id, ["I moved from Porto to Lisbon in May."])[0]
    learn(drawer, "moved from Porto to Lisbon", "Moved from Porto to Lisbon.")
    learn(drawer, "Lisbon in May", "Is in Lisbon since May.")

    html = page_of(alice_client, drawer)
    page = parse(html)
    marked = [e.words for e in page.elements if e.tag == "mark"]
    quote = next(e for e in page.elements if e.tag == "blockquote")

    assert "".join(marked) == "moved from Porto to Lisbon in May"
    assert quote.words == "I moved from Porto to Lisbon1 in May2."
    assert 'href="#note-2"' in html
    assert 'id="note-2"' in html


def test_relations_stand_by_their_words(alice_client: Client, as_alice: User):
    drawer = file(as_alice.id, ["Ines is married to Rui."])[0]
    relate(drawer, "Ines", "married_to", "Rui")

    assert "married to" in page_of(alice_client, drawer)


def test_a_million_characters_stay_readable(alice_client: Client, as_alice: User):
    drawer = file(as_alice.id, ["ß" * 1_000_000])[0]

    html = page_of(alice_client, drawer)
    whole = page_of(alice_client, drawer, all="1")

    assert html.count("ß") == 10_000
    assert "990000 more characters" in html
    assert whole.count("ß") == 1_000_000


def test_neighbours_are_shown_in_short(alice_client: Client, as_alice: User):
    before, drawer, _ = file(as_alice.id, ["b" * 5000, "here", "after"])

    html = page_of(alice_client, drawer)

    assert "Just before" in html
    assert "Just after" in html
    assert html.count("b" * 300) == 1
    assert "b" * 1000 not in html
    assert reverse("memory:drawer", args=[before.id]) in html


def test_pinning_works_with_and_without_a_script(alice_client: Client, bread: list[Drawer]):
    url = reverse("memory:pin", args=[bread[0].id])

    plain = alice_client.post(url, {"on": "1"})
    bread[0].refresh_from_db()
    assert plain["Location"] == reverse("memory:drawer", args=[bread[0].id])
    assert bread[0].pinned

    html = check_fragment(alice_client.post(url, {"on": "0"}, headers=HTMX))
    bread[0].refresh_from_db()
    assert html.lstrip().startswith('<div class="row" id="switches"')
    assert not bread[0].pinned


def test_sensitive_drawers_say_so(alice_client: Client, bread: list[Drawer]):
    alice_client.post(reverse("memory:sensitive", args=[bread[0].id]), {"on": "1"})

    bread[0].refresh_from_db()
    assert bread[0].sensitive
    assert "Never shown to a model" in page_of(alice_client, bread[0])


def test_a_remark_is_kept_beside_the_words(alice_client: Client, bread: list[Drawer]):
    url = reverse("memory:annotate", args=[bread[0].id])
    alice_client.post(url, {"annotation": "Since 2019.\r\nبالقمح"})

    bread[0].refresh_from_db()
    assert bread[0].annotation == "Since 2019.\nبالقمح"
    assert bread[0].content == "I feed my rye starter every morning at seven."


def test_a_remark_that_is_too_long_is_refused_and_kept_on_the_page(alice_client: Client, bread: list[Drawer]):
    url = reverse("memory:annotate", args=[bread[0].id])

    html = check_page(alice_client.post(url, {"annotation": "x" * 10_001}), status=422)

    bread[0].refresh_from_db()
    assert bread[0].annotation == ""
    assert "at most 10000 characters; it has 10001" in html
    assert "x" * 10_001 in html


def test_a_remark_with_what_cannot_be_stored_is_stored_without_it(alice_client: Client, bread: list[Drawer]):
    alice_client.post(reverse("memory:annotate", args=[bread[0].id]), {"annotation": "a\x00b"})

    bread[0].refresh_from_db()
    assert bread[0].annotation.replace("\ufffd", "") == "ab"


def test_deleting_leads_to_the_way_back(alice_client: Client, bread: list[Drawer]):
    response = alice_client.post(reverse("memory:delete_drawer", args=[bread[0].id]), follow=True)

    html = check_page(response)
    bread[0].refresh_from_db()
    assert bread[0].deleted_at is not None
    assert reverse("memory:undo", args=[bread[0].deletion_id]) in html


def test_deleting_by_script_swaps_the_drawer_and_offers_undo(alice_client: Client, bread: list[Drawer]):
    response = alice_client.post(reverse("memory:delete_drawer", args=[bread[0].id]), headers=HTMX)

    html = check_fragment(response)
    bread[0].refresh_from_db()
    assert html.lstrip().startswith('<div class="page" id="drawer"')
    assert 'hx-swap-oob="beforeend:#toasts"' in html
    assert html.count(reverse("memory:undo", args=[bread[0].deletion_id])) == 2


def test_a_second_window_is_told_that_a_drawer_went_away(alice_client: Client, bread: list[Drawer]):
    url = reverse("memory:delete_drawer", args=[bread[0].id])
    alice_client.post(url)

    for name in ("delete_drawer", "pin", "sensitive", "annotate"):
        url = reverse(f"memory:{name}", args=[bread[0].id])
        html = check_page(alice_client.post(url, {"on": "1", "annotation": "x"}, follow=True))
        assert "Meanwhile this drawer went into the trash" in html
        by_htmx = alice_client.post(url, {"on": "1"}, headers={"HX-Request": "true"})
        assert by_htmx["HX-Redirect"] == reverse("memory:drawer", args=[bread[0].id])
    found = Drawer.objects.get(id=bread[0].id)
    assert (found.pinned, found.sensitive, found.annotation) == (False, False, "")


def test_a_second_window_is_told_what_the_first_did(alice_client: Client, bread: list[Drawer]):
    url = reverse("memory:pin", args=[bread[0].id])
    alice_client.post(url, {"on": "1"})
    html = alice_client.post(url, {"on": "1"}, headers={"HX-Request": "true"}).content.decode()
    assert "It was pinned already." in html

    page = page_of(alice_client, bread[0])
    seen = next(e.attributes["value"] for e in parse(page).elements if e.attributes.get("name") == "seen")
    remark = reverse("memory:annotate", args=[bread[0].id])
    first = alice_client.post(remark, {"annotation": "first", "seen": seen}, follow=True)
    second = alice_client.post(remark, {"annotation": "second", "seen": seen})
    assert "Undo" in first.content.decode()
    assert second.status_code == 422
    assert "first" in second.content.decode()
    assert "second" in second.content.decode()
    assert Drawer.objects.get(id=bread[0].id).annotation == "first"


def test_the_words_of_a_fact_lead_to_it(alice_client: Client, bread: list[Drawer]):
    fact = Fact.objects.get(user_id=bread[0].user_id)
    marked = [e for e in parse(page_of(alice_client, bread[0])).elements if e.tag == "mark"]

    assert [e.words for e in marked] == ["rye starter every morning"]
    assert marked[0].ancestors[-1].attributes["href"] == reverse("memory:fact", args=[fact.id])


def test_a_drawer_tells_when_it_was_used(alice_client: Client, bread: list[Drawer]):
    hits = [{"drawer_id": str(bread[0].id), "reason": "The same words."}]
    trace = RecallTrace.objects.create(user_id=bread[0].user_id, trace={}, hits=hits)

    assert "The same words." in page_of(alice_client, bread[0])
    assert reverse("chat:reply_of", args=[trace.id]) in page_of(alice_client, bread[0])
    assert "not recalled for any of your latest" in page_of(alice_client, bread[1])


def test_a_drawer_in_the_trash_says_so_without_its_words(alice_client: Client, bread: list[Drawer]):
    alice_client.post(reverse("memory:delete_drawer", args=[bread[0].id]))

    html = page_of(alice_client, bread[0])

    assert "This drawer is in the trash" in html
    assert "rye starter" not in html


def test_a_pointer_leads_to_its_drawer_even_from_the_trash(alice_client: Client, bread: list[Drawer]):
    for url in ("/memory/p/W-001/R-01/D-002/", "/memory/p/W-1/R-1/D-2/"):
        response = alice_client.get(url)
        assert response["Location"] == reverse("memory:drawer", args=[bread[1].id])

    alice_client.post(reverse("memory:delete_drawer", args=[bread[1].id]))
    html = check_page(alice_client.get("/memory/p/W-001/R-01/D-002/", follow=True))
    assert "This drawer is in the trash" in html


def test_a_pointer_leads_to_where_its_drawer_was_moved(alice_client: Client, bread: list[Drawer]):
    other = file(bread[0].user_id, ["elsewhere"], Spot(wing="Other"))[0]
    Drawer.objects.filter(user_id=bread[0].user_id, id=bread[0].id).update(
        wing_id=other.wing_id, room_id=other.room_id, closet_id=other.closet_id
    )

    html = check_page(alice_client.get("/memory/p/W-001/R-01/D-001/", follow=True))

    assert "§ W-001/R-01/D-001" in html
    assert "Other" in html


def test_numbers_beyond_any_pointer_are_not_there(alice_client: Client, bread: list[Drawer]):
    for number in (0, 2**31, 10**30):
        assert alice_client.get(f"/memory/p/W-{number}/R-1/D-1/").status_code == 404


def test_a_drawer_asks_the_same_however_many_facts_it_has(
    alice_client: Client, as_alice: User, django_assert_max_num_queries: DjangoAssertNumQueries
):
    words = [f"word{number}" for number in range(30)]
    spot = Spot(start=MONDAY + timedelta(hours=1))
    drawer = file(as_alice.id, [" ".join(words)], spot)[0]
    for word in words:
        learn(drawer, word, f"Said {word} once.")

    with django_assert_max_num_queries(11):
        page_of(alice_client, drawer)
