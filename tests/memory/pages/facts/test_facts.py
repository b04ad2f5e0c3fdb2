from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from memory.models import Drawer, Fact
from memory.pages.facts import queries
from tests.html import check_page, parse
from tests.memory.page_sizes import shorten
from tests.memory.palaces import MONDAY, Spot, file, learn


def listed(client: Client, status: str) -> str:
    return check_page(client.get(reverse("memory:facts", query={"status": status})))


def test_facts_stand_with_the_words_they_rest_on(alice_client: Client, bread: list[Drawer]):
    html = listed(alice_client, "active")

    assert "Feeds a rye starter every morning." in html
    assert '<blockquote dir="auto">rye starter every morning</blockquote>' in html
    assert reverse("memory:drawer", args=[bread[0].id]) in html
    assert "90 % sure" in html


def test_words_in_the_trash_are_not_quoted(alice_client: Client, as_alice: User):
    first, second = file(as_alice.id, ["I like rye bread.", "Truly, I like rye bread."])
    fact = learn(first, "I like rye", "Likes rye.")
    assert fact.sources.create(user_id=as_alice.id, drawer_id=second.id, start=7, end=17)
    alice_client.post(reverse("memory:delete_drawer", args=[second.id]))

    html = listed(alice_client, "active")

    assert html.count("<blockquote") == 1


def test_an_unknown_status_is_not_there(alice_client: Client, alice: User):
    for query in ({"status": "nonsense"}, {"kind": "nonsense"}, {"wing": str(uuid4())}):
        response = alice_client.get(reverse("memory:facts", query=query))

        assert response.status_code == 404


def test_facts_are_chosen_by_kind_wing_and_day(alice_client: Client, bread: list[Drawer]):
    learn(bread[1], "Porto", "Was in Porto.", kind="experience")
    other = file(bread[0].user_id, ["I sing."], Spot(wing="Choir"))[0]
    learn(other, "sing", "Sings.", kind="skill", valid_from=MONDAY + timedelta(days=30))

    def found(**query: str) -> set[str]:
        html = check_page(alice_client.get(reverse("memory:facts", query=query)))
        told = ("Feeds a rye starter every morning.", "Was in Porto.", "Sings.")
        return {each for each in told if each in html}

    assert len(found()) == 3
    assert found(kind="experience") == {"Was in Porto."}
    assert found(wing=str(other.wing_id)) == {"Sings."}
    assert "Sings." not in found(at="2024-05-20")
    assert len(found(at="2024-05-20")) == 2
    assert found(at="2020-01-01") == set()
    assert "Give a day" in check_page(alice_client.get(reverse("memory:facts") + "?at=x"))


def test_a_fact_shows_its_words_in_their_place(alice_client: Client, bread: list[Drawer]):
    fact = Fact.objects.get()
    html = check_page(alice_client.get(reverse("memory:fact", args=[fact.id])))

    assert "I feed my <mark>rye starter every morning</mark> at seven." in html
    assert reverse("memory:drawer", args=[bread[0].id]) in html


def test_a_fact_shows_what_came_before_and_what_it_was(alice_client: Client, bread: list[Drawer]):
    single = {"key": "home_city", "single_valued": True}
    first = learn(bread[0], "rye", "Lives in Rye.", **single)
    learn(bread[1], "Porto", "Lives in Porto.", **single)
    edit = reverse("memory:edit_fact", args=[first.id])
    words = {"statement": "Lived in Rye.", "kind": "identity", "value": "Rye"}
    assert alice_client.post(edit, words)["Location"] == reverse("memory:fact", args=[first.id])

    html = check_page(alice_client.get(reverse("memory:fact", args=[first.id])))

    assert "Lived in Rye." in html
    assert "Lives in Rye." in html
    assert "Lives in Porto." in html


def test_an_edit_keeps_the_start_unless_another_day_is_given(alice_client: Client, bread: list[Drawer]):
    fact = Fact.objects.get()
    url = reverse("memory:edit_fact", args=[fact.id])
    page = check_page(alice_client.get(url))
    assert 'value="2024-05-06"' in page
    words = {"statement": "Feeds the rye.", "kind": "behaviour", "value": "rye"}

    alice_client.post(url, words | {"since": "2024-05-06"})
    fact.refresh_from_db()
    assert (fact.valid_from, fact.memory_type) == (MONDAY, "reflective")

    alice_client.post(url, words | {"since": "2023-01-01"})
    fact.refresh_from_db()
    assert fact.valid_from == datetime(2023, 1, 1, tzinfo=UTC)


def test_an_edit_that_repeats_another_fact_offers_to_merge(alice_client: Client, bread: list[Drawer]):
    fact = Fact.objects.get()
    other = learn(bread[1], "Porto", "Was in Porto.")
    words = {"statement": "Was in Porto.", "kind": other.kind, "value": "Porto"}
    response = alice_client.post(reverse("memory:edit_fact", args=[fact.id]), words)

    assert response.status_code == 422
    assert str(other.id) in check_page(response, status=422)


def test_an_edit_never_writes_over_one_made_in_another_window(alice_client: Client, bread: list[Drawer]):
    fact = Fact.objects.get()
    url = reverse("memory:edit_fact", args=[fact.id])
    elements = parse(check_page(alice_client.get(url))).elements
    (seen,) = (e.attributes["value"] for e in elements if e.attributes.get("name") == "seen")
    first = {"statement": "Feeds the rye.", "kind": "behaviour", "value": "rye", "seen": seen}
    alice_client.post(url, first)

    second = first | {"statement": "Feeds the spelt.", "value": "spelt"}
    html = check_page(alice_client.post(url, second), status=422)
    assert "changed in another window meanwhile" in html
    assert "Feeds the rye." in html
    assert "Feeds the spelt." in html
    fact.refresh_from_db()
    assert fact.statement == "Feeds the rye."

    elements = parse(html).elements
    (seen,) = (e.attributes["value"] for e in elements if e.attributes.get("name") == "seen")
    assert alice_client.post(url, second | {"seen": seen}).status_code == 302
    fact.refresh_from_db()
    assert fact.statement == "Feeds the spelt."


def test_too_few_words_are_refused(alice_client: Client, bread: list[Drawer]):
    fact = Fact.objects.get()
    response = alice_client.post(reverse("memory:edit_fact", args=[fact.id]), {"statement": "x"})

    assert response.status_code == 422


def test_a_fact_ends_on_a_day(alice_client: Client, bread: list[Drawer]):
    fact = Fact.objects.get()
    end = reverse("memory:end_fact", args=[fact.id])
    assert alice_client.post(end, {"day": "no day"}).status_code == 422
    alice_client.post(end, {"day": "2024-06-01"})

    fact.refresh_from_db()
    assert (fact.status, fact.valid_to) == ("superseded", datetime(2024, 6, 1, tzinfo=UTC))


def test_a_deleted_fact_comes_back_by_the_button(alice_client: Client, bread: list[Drawer]):
    fact = Fact.objects.get()
    response = alice_client.post(reverse("memory:delete_fact", args=[fact.id]), follow=True)
    html = check_page(response)
    assert alice_client.get(reverse("memory:fact", args=[fact.id])).status_code == 404
    undo = [e.attributes["action"] for e in parse(html).elements if e.tag == "form"]
    (url,) = [each for each in undo if "/decisions/" in each]

    assert alice_client.post(url)["Location"] == reverse("memory:fact", args=[fact.id])
    check_page(alice_client.get(reverse("memory:fact", args=[fact.id])))


def test_a_fact_by_hand(alice_client: Client, as_alice: User):
    url = reverse("memory:add_fact")
    check_page(alice_client.get(url))
    home = {"statement": "I live in Porto.", "kind": "identity", "about": "home_city"}
    assert alice_client.post(url, home).status_code == 422

    response = alice_client.post(url, home | {"value": "Porto", "since": "2020-02-01"})
    fact = Fact.objects.get()
    assert response["Location"] == reverse("memory:fact", args=[fact.id])
    assert (fact.key, fact.valid_from) == ("home_city", datetime(2020, 2, 1, tzinfo=UTC))
    assert "by you" in check_page(alice_client.get(response["Location"]))

    again = alice_client.post(url, home | {"value": "Porto"}, follow=True)
    assert "known already" in check_page(again)


def test_long_lists_go_on(
    alice_client: Client,
    as_alice: User,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_max_num_queries: DjangoAssertNumQueries,
):
    shorten(monkeypatch, queries.facts_chosen, 2)
    drawer = file(as_alice.id, ["one two three four five"])[0]
    for word in drawer.content.split():
        learn(drawer, word, f"Said {word} once.")

    seen, query = [], "?status=active"
    with django_assert_max_num_queries(30):
        while query:
            page = parse(check_page(alice_client.get(reverse("memory:facts") + query)))
            seen += [e.words for e in page.elements if e.tag == "blockquote"]
            following = [e for e in page.elements if e.attributes.get("rel") == "next"]
            query = following[0].attributes["href"] if following else ""

    assert sorted(seen) == sorted(drawer.content.split())
