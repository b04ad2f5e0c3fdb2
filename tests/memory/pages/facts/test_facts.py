import re
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memory.models import Fact, FactLink, MemoryPreferences
from memory.organize.arranging import merge
from memory.organize.places import Target
from memory.pages.facts import listing
from memory.pages.facts.queries import MAX_SHOWN, similar_facts_of
from tests.html import check_fragment, check_page, parse
from tests.memory.pages.forms import HTMX, page, undo_in, value_of
from tests.memory.palaces import MONDAY, Spot, file, learn


def test_facts_are_shown_with_their_sources_except_those_in_the_trash(alice_client, bread):
    again = file(bread[0].user_id, ["Truly, a rye starter every morning."])[0]
    fact = Fact.objects.get()
    assert fact.sources.create(user_id=again.user_id, drawer_id=again.id, start=9, end=20)
    alice_client.post(reverse("memory:delete_drawer", args=[again.id]))
    html = page(alice_client, "facts", status="active")
    assert "Feeds a rye starter every morning." in html
    assert '<span class="sure">certain' in html
    more = check_fragment(alice_client.get(reverse("memory:fact", args=[fact.id]), headers=HTMX))
    assert "I feed my <mark>rye starter every morning</mark> at seven." in more
    assert more.count("<blockquote") == 1
    assert reverse("memory:drawer", args=[bread[0].id]) in more

    html = page(alice_client, "fact", fact.id)
    assert "I feed my <mark>rye starter every morning</mark> at seven." in html
    assert reverse("memory:drawer", args=[bread[0].id]) in html


def test_a_status_has_the_same_name_in_the_list_and_on_the_page_of_a_fact(alice_client, bread):
    fact = Fact.objects.get()
    for status, name in (("active", "Current"), ("superseded", "Past"), ("rejected", "Rejected")):
        Fact.objects.update(status=status)
        assert re.search(rf'aria-current="page">{name} <', page(alice_client, "facts", status=status))
        assert f'<span class="chip">{name}</span>' in page(alice_client, "fact", fact.id)


def test_the_context_of_a_quotation_is_cut_between_words(alice_client, bread):
    long = " ".join(["kittiwake"] * 20)
    drawer = file(bread[0].user_id, [f"{long} I like rye {long}"])[0]
    fact = learn(drawer, "I like rye", "The user likes rye.")
    more = check_fragment(alice_client.get(reverse("memory:fact", args=[fact.id]), headers=HTMX))
    around = " ".join(["kittiwake"] * 5)
    assert f">…{around} <mark>I like rye</mark> {around}…<" in more


def test_facts_are_filtered_by_kind_wing_day_and_words(alice_client, bread):
    learn(bread[1], "Porto", "Was in Porto.", kind="experience")
    other = file(bread[0].user_id, ["I sing."], Spot(wing="Choir"))[0]
    learn(other, "sing", "Sings.", kind="skill", valid_from=MONDAY + timedelta(days=30))

    def found(**query):
        html = page(alice_client, "facts", **query)
        statements = ("Feeds a rye starter every morning.", "Was in Porto.", "Sings.")
        return {each for each in statements if each in html}

    assert len(found()) == 3
    assert found(kind="experience") == {"Was in Porto."}
    assert found(wing=str(other.wing_id)) == {"Sings."}
    assert "Sings." not in found(at="2024-05-20")
    assert len(found(at="2024-05-20")) == 2
    assert found(at="2020-01-01") == set()
    assert "Enter a date" in page(alice_client, "facts", at="x")
    assert found(certainty="unsure") == set()
    assert found(q="was STARTER, rye") == {"Feeds a rye starter every morning."}
    assert found(q="you porto") == {"Was in Porto."}
    assert "mentions “&lt;b&gt;%_”" in page(alice_client, "facts", q="<b>%_")
    assert "May 2024" in page(alice_client, "facts", sort="newest")
    part = check_fragment(alice_client.get(reverse("memory:facts", query={"q": "sings"}), headers=HTMX))
    assert parse(part).elements[0].attributes["id"] == "facts"
    for query in ({"status": "nonsense"}, {"kind": "nonsense"}, {"wing": str(uuid4())}, {"after": "x.1_2"}):
        assert alice_client.get(reverse("memory:facts", query=query)).status_code == 404


def test_facts_are_found_by_the_words_of_their_source(alice_client, bread):
    home = file(bread[0].user_id, ["Busy week. I have moved to Porto! The cat is fine."], Spot(wing="Home"))[
        0
    ]
    learn(home, "I have moved to Porto!", "The user lives in Porto.", value="Porto", kind="identity")

    def found(words):
        return "You live in Porto." in page(alice_client, "facts", q=words)

    assert all(map(found, ("moved", "MOV", "lives moved porto")))
    assert not any(map(found, ("cat", "week", "moved rye", "m_ved")))
    assert "rye starter" not in page(alice_client, "facts", q="moved")
    alice_client.post(reverse("memory:delete_drawer", args=[home.id]))
    assert not any(map(found, ("moved", "lives")))


@pytest.mark.parametrize("told", ["I don’t play Fußball", "I don't play Fußball"])
@pytest.mark.parametrize("words", ["Fußball", "FUßBALL, don’t", "don't", "‘don’t’"])
def test_facts_are_found_whatever_their_case_and_apostrophes(alice_client, bread, told, words):
    (said,) = file(bread[0].user_id, [told])
    fact = learn(said, told, "The user dislikes a game.", value="game")
    assert f'id="fact-{fact.id}"' in page(alice_client, "facts", q=words)


def test_wings_without_drawers_are_offered_only_when_chosen(alice_client, bread):
    bakery = Target("wing", bread[0].wing_id)
    away, merged = (file(bread[0].user_id, ["Hm."], Spot(wing=name))[0] for name in ("Away", "Merged"))
    merge(bread[0].user_id, bakery, Target("wing", merged.wing_id), MONDAY)
    alice_client.post(reverse("memory:delete_drawer", args=[away.id]))

    def offered(**query):
        options = [
            each for each in parse(page(alice_client, "facts", **query)).elements if each.tag == "option"
        ]
        ids = {each.attributes.get("value") for each in options}
        assert str(bakery.id) in ids
        return bool(ids & {str(away.wing_id), str(merged.wing_id)})

    assert not offered()
    assert offered(wing=str(away.wing_id))


def test_facts_that_are_gone_take_no_place_among_similar_ones(bread):
    (said,) = file(bread[0].user_id, ["I bake loaves."])
    fact, near, *gone = (
        learn(said, "loaves", f"Bakes {number} loaves.", value=str(number)) for number in range(MAX_SHOWN + 2)
    )
    FactLink.objects.filter(user_id=said.user_id).delete()
    Fact.objects.filter(id__in=[each.id for each in gone]).update(status=Fact.Status.REJECTED)
    for number, other in enumerate((near, *gone)):
        one, two = sorted((fact.id, other.id))
        same = {"kind": FactLink.Kind.RELATED, "similarity": 0.8 + number / 1_000}
        FactLink.objects.create(user_id=said.user_id, fact_id=one, other_id=two, **same)
    assert [each.fact for each in similar_facts_of(fact)] == [near]


def test_sources_are_searched_once_for_rare_words(alice_client, bread, monkeypatch):
    with CaptureQueriesContext(connection) as sent:
        rare = page(alice_client, "facts", q="starter")
    assert sum("UPPER" in each["sql"] for each in sent) == 1
    monkeypatch.setattr(listing, "MAX_IDS", 0)
    common = page(alice_client, "facts", q="starter")
    assert "Feeds a rye starter every morning." in rare
    assert "Feeds a rye starter every morning." in common


def test_only_a_stated_start_is_shown_as_since(alice_client, bread):
    learn(bread[1], "Porto", "The user lives in Porto.", valid_from=datetime(2023, 7, 1, tzinfo=UTC))
    told = {
        words for words in ("since", "said") if f"{words} <time" in page(alice_client, "facts", q="Porto")
    }
    assert told == {"since"}
    assert 'said <time datetime="2024-05-06">May 2024' in page(alice_client, "facts", q="rye")
    rye = Fact.objects.get(value__startswith="rye")
    assert 'said <time datetime="2024-05-06">6 May 2024' in page(alice_client, "fact", rye.id)
    fact = Fact.objects.get(value="Porto")
    assert fact.start_is_stated
    again = file(bread[0].user_id, ["I have been in Porto for ages."], Spot(start=fact.valid_from))[0]
    assert fact.sources.create(user_id=again.user_id, drawer_id=again.id, start=15, end=20)
    assert not Fact.objects.get(id=fact.id).start_is_stated
    assert 'said <time datetime="2023-07-01">Jul 2023' in page(alice_client, "facts", q="Porto")


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Asia/Tokyo"])
def test_stated_dates_are_shown_as_stated_in_every_time_zone(alice_client, alice, bread, zone):
    MemoryPreferences.objects.create(user=alice, time_zone=zone)
    july = datetime(2023, 7, 1, tzinfo=UTC)
    home = learn(bread[1], "Porto", "The user lives in Porto.", valid_from=july)
    fair = learn(bread[2], "oven", "The user has a fair.", kind="event", event_time=july.replace(hour=15))
    since = 'since <time datetime="2023-07-01">Jul 2023'
    html = page(alice_client, "facts", q="Porto", sort="newest")
    assert (since in html, "July 2023" in html, "June 2023" in html) == (True, True, False)
    assert 'since <time datetime="2023-07-01">1 Jul 2023' in page(alice_client, "fact", home.id)
    assert '<time datetime="2023-07-01">1 Jul 2023' in page(alice_client, "facts", q="fair")
    assert "1 Jul 2023, 15:00" in page(alice_client, "fact", fair.id)
    assert value_of(page(alice_client, "edit_fact", home.id), "since") == "2023-07-01"


def test_a_fact_shows_its_earlier_version_and_its_replacement(alice_client, bread):
    single = {"key": "home_city", "single_valued": True}
    first = learn(bread[0], "rye", "Lives in Rye.", **single)
    learn(bread[1], "Porto", "Lives in Porto.", **single)
    edit = reverse("memory:edit_fact", args=[first.id])
    words = {"statement": "Lived in Rye.", "kind": "identity", "value": "Rye"}
    assert alice_client.post(edit, words)["Location"] == reverse("memory:fact", args=[first.id])
    html = page(alice_client, "fact", first.id)
    assert all(words in html for words in ("Lived in Rye.", "Lives in Rye.", "Lives in Porto."))


def test_an_edit_keeps_the_start_unless_another_day_is_given(alice_client, bread):
    fact = Fact.objects.get()
    url = reverse("memory:edit_fact", args=[fact.id])
    assert 'name="since" value' not in check_page(alice_client.get(url)), "nobody stated it"
    words = {"statement": "Feeds the rye.", "kind": "behaviour", "value": "rye"}
    for since, expected in (
        ("2024-05-06", MONDAY),
        ("", MONDAY),
        ("2023-01-01", datetime(2023, 1, 1, tzinfo=UTC)),
    ):
        alice_client.post(url, words | {"since": since})
        fact.refresh_from_db()
        assert (fact.valid_from, fact.memory_type) == (expected, "reflective")


def test_an_edit_never_overwrites_one_made_in_another_window(alice_client, bread):
    fact = Fact.objects.get()
    url = reverse("memory:edit_fact", args=[fact.id])
    seen = value_of(check_page(alice_client.get(url)), "seen")
    first = {"statement": "Feeds the rye.", "kind": "behaviour", "value": "rye", "seen": seen}
    alice_client.post(url, first)

    second = first | {"statement": "Feeds the spelt.", "value": "spelt"}
    html = check_page(alice_client.post(url, second), status=422)
    assert "changed in another window, so your edit was not saved" in html
    assert "Feeds the rye." in html
    assert "Feeds the spelt." in html
    fact.refresh_from_db()
    assert fact.statement == "Feeds the rye."
    assert alice_client.post(url, second | {"seen": value_of(html, "seen")}).status_code == 302
    fact.refresh_from_db()
    assert fact.statement == "Feeds the spelt."


def test_incomplete_and_duplicate_edits_are_refused_with_an_offer_to_merge(alice_client, bread):
    fact = Fact.objects.get()
    other = learn(bread[1], "Porto", "Was in Porto.")
    url = reverse("memory:edit_fact", args=[fact.id])
    assert alice_client.post(url, {"statement": "x"}).status_code == 422
    words = {"statement": "Was in Porto.", "kind": other.kind, "value": "Porto"}
    assert str(other.id) in check_page(alice_client.post(url, words), status=422)


def test_a_fact_is_edited_in_its_row_in_the_second_person(alice_client, as_alice):
    drawer = file(as_alice.id, ["I live in Leeds."])[0]
    fact = learn(drawer, "Leeds", "The user lives in Leeds.", predicate="lives_in", mined_by="reader")
    url = reverse("memory:edit_fact", args=[fact.id])
    for shown in (alice_client.get(url), alice_client.get(url, headers=HTMX)):
        assert "You live in Leeds." in shown.text
        assert "The user" not in shown.text
    seen = value_of(check_page(alice_client.get(url)), "seen")

    def save(statement, status=200):
        answer = alice_client.post(url, {"statement": statement, "seen": seen}, headers=HTMX)
        return check_fragment(answer, status=status)

    save("You", status=422)
    assert "You live in York." in save("You live in York.")
    fact.refresh_from_db()
    assert (fact.statement, fact.value, fact.kind) == ("The user lives in York.", "York", fact.kind)
    assert "was not saved" in save("You live in Hull.", status=422)
    row = check_fragment(alice_client.get(reverse("memory:fact", args=[fact.id]) + "?row", headers=HTMX))
    assert parse(row).elements[0].attributes["id"] == f"fact-{fact.id}"


def test_editing_a_quoted_fact_updates_its_value_and_object(alice_client, as_alice):
    drawer = file(as_alice.id, ["She said I could have a brown dog."])[0]
    fact = learn(drawer, "a brown dog", "The user says she may have a brown dog.", mined_by="model")
    url = reverse("memory:edit_fact", args=[fact.id])
    html = check_page(alice_client.get(url))
    assert re.search(r"<textarea[^>]*>\s*a brown dog</textarea>", html)
    given = {"statement": "a white cat", "seen": value_of(html, "seen")}
    check_fragment(alice_client.post(url, given, headers=HTMX))
    fact.refresh_from_db()
    assert (fact.statement, fact.value, fact.object) == ("a white cat",) * 3


@pytest.mark.parametrize(
    ("action", "status"), [("confirm", "active"), ("review", "pending_review"), ("delete", None)]
)
def test_several_facts_are_decided_at_once_and_undone_from_the_list(alice_client, bread, action, status):
    learn(bread[1], "Porto", "Was in Porto.", confidence=0.6)
    ids = [str(each) for each in Fact.objects.values_list("id", flat=True)]
    back = reverse("memory:facts", query={"sort": "newest"})
    given = {"action": action, "fact": ids, "back": back}
    html = check_page(alice_client.post(reverse("memory:decide"), given, follow=True))
    assert "2 facts" in html
    left = Fact.objects.filter(deleted_at=None).values_list("status", flat=True)
    assert set(left) == ({status} if status else set())
    assert alice_client.post(undo_in(html, "/undo/"))["Location"] == back
    assert Fact.objects.filter(status="active", deleted_at=None, confidence=0.6).exists()


def test_a_fact_can_be_deleted_restored_and_ended(alice_client, bread):
    fact = Fact.objects.get()
    html = check_page(alice_client.post(reverse("memory:delete_fact", args=[fact.id]), follow=True))
    here = reverse("memory:fact", args=[fact.id])
    assert alice_client.get(here).status_code == 404
    assert alice_client.post(undo_in(html, "/undo/"))["Location"] == here
    page(alice_client, "fact", fact.id)

    end = reverse("memory:end_fact", args=[fact.id])
    assert alice_client.post(end, {"day": "no day"}).status_code == 422
    alice_client.post(end, {"day": "2024-06-01"})
    fact.refresh_from_db()
    assert (fact.status, fact.valid_to) == ("superseded", datetime(2024, 6, 1, tzinfo=UTC))


def test_a_fact_can_be_added_by_hand(alice_client, as_alice):
    url = reverse("memory:add_fact")
    check_page(alice_client.get(url))
    home = {"statement": "I live in Porto.", "kind": "identity", "about": "home_city"}
    assert alice_client.post(url, home).status_code == 422

    response = alice_client.post(url, home | {"value": "Porto", "since": "2020-02-01"})
    fact = Fact.objects.get()
    assert response["Location"] == reverse("memory:fact", args=[fact.id])
    assert (fact.key, fact.valid_from) == ("home_city", datetime(2020, 2, 1, tzinfo=UTC))
    assert "by you" in page(alice_client, "fact", fact.id)
    again = alice_client.post(url, home | {"value": "Porto"}, follow=True)
    assert "already exists" in check_page(again)


def test_past_events_are_shown_in_the_past(alice_client, bread):
    drawer = file(bread[0].user_id, ["I have an audition in three weeks."])[0]
    told = {"kind": "event", "predicate": "has_event", "mined_by": "reader"}
    statement = "On the user's calendar: audition (about 2024-05)."
    learn(
        drawer,
        "an audition",
        statement,
        object="audition",
        event_time=datetime(2024, 5, 29, tzinfo=UTC),
        **told,
    )
    html = page(alice_client, "facts", q="audition")
    assert "You had an audition (about May 2024)." in html
    assert 'about <time datetime="2024-05-29">May 2024' in html


def test_past_trips_are_shown_in_the_past_and_years_without_a_month(alice_client, bread):
    (drawer,) = file(bread[0].user_id, ["I fly to Porto with my laptop of 2019."])
    when = {"event_time": datetime(2024, 8, 3, tzinfo=UTC)}
    trip = {"kind": "event", "predicate": "travels_to", "mined_by": "reader", "object": "Porto"}
    learn(drawer, "fly to Porto", "The user is planning a trip to Porto (2024-08-03).", **trip, **when)
    learn(drawer, "laptop", "The user owns a laptop.", valid_from=datetime(2019, 1, 1, tzinfo=UTC))
    html = page(alice_client, "facts")
    assert "You were planning a trip to Porto (3 August 2024)." in html
    assert 'since <time datetime="2019-01-01">2019</time>' in html
