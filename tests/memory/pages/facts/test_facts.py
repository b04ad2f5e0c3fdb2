"""The list of facts and the page of a fact, and how their owner adds, edits, ends and deletes one."""

import re
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memory.facts.queries import count_by_status
from memory.mining.screening import NOT_CONFIDENT
from memory.models import ActivityEvent, Fact, FactLink, MemoryPreferences
from memory.organize.arranging import merge
from memory.organize.places import Target
from memory.pages.facts import listing, queries
from memory.pages.facts.queries import MAX_SHOWN, similar_facts_of
from tests.html import check_fragment, check_page, parse
from tests.memory.page_sizes import shorten
from tests.memory.pages.forms import HTMX, all_pages, page, post, submit, undo_in, undo_of, value_of
from tests.memory.palaces import MONDAY, Spot, file, learn, refreshed

JULY = datetime(2023, 7, 1, tzinfo=UTC)
RYE = "Feeds a rye starter every morning."


def listed(client, **query):
    return page(client, "facts", **query)


def details_of(client, fact):
    return check_fragment(client.get(reverse("memory:fact", args=[fact.id]), headers=HTMX))


def test_facts_are_shown_with_their_sources_except_those_in_the_trash(alice_client, bread):
    again = file(bread[0].user_id, ["Truly, a rye starter every morning."])[0]
    fact = Fact.objects.get()
    assert fact.sources.create(user_id=again.user_id, drawer_id=again.id, start=9, end=20)
    post(alice_client, "delete_drawer", again.id)
    html = listed(alice_client, status="active")
    assert RYE in html
    assert '<span class="sure">certain' in html
    more = details_of(alice_client, fact)
    assert more.count("<blockquote") == 1
    for html in (more, page(alice_client, "fact", fact.id)):
        assert "I feed my <mark>rye starter every morning</mark> at seven." in html
        assert reverse("memory:drawer", args=[bread[0].id]) in html
    for status, name in (("active", "Current"), ("superseded", "Past"), ("rejected", "Rejected")):
        Fact.objects.update(status=status)
        assert re.search(rf'aria-current="page">{name} <', listed(alice_client, status=status))
        assert f'<span class="chip">{name}</span>' in page(alice_client, "fact", fact.id)


def test_long_sources_are_cut_between_words(alice_client, bread):
    long = " ".join(["kittiwake"] * 20)
    drawer = file(bread[0].user_id, [f"{long} I like rye {long}"])[0]
    around = " ".join(["kittiwake"] * 5)
    more = details_of(alice_client, learn(drawer, "I like rye", "The user likes rye."))
    assert f">…{around} <mark>I like rye</mark> {around}…<" in more, "cut between words"


def test_facts_are_filtered_by_kind_wing_day_and_words(alice_client, bread):
    learn(bread[1], "Porto", "Was in Porto.", kind="experience")
    other = file(bread[0].user_id, ["I sing."], Spot(wing="Choir"))[0]
    learn(other, "sing", "Sings.", kind="skill", valid_from=MONDAY + timedelta(days=30))

    def found(**query):
        html = listed(alice_client, **query)
        return {each for each in (RYE, "Was in Porto.", "Sings.") if each in html}

    for query, expected in (
        ({}, {RYE, "Was in Porto.", "Sings."}),
        ({"kind": "experience"}, {"Was in Porto."}),
        ({"wing": str(other.wing_id)}, {"Sings."}),
        ({"at": "2024-05-20"}, {RYE, "Was in Porto."}),
        ({"at": "2020-01-01"}, set()),
        ({"certainty": "unsure"}, set()),
        ({"q": "was STARTER, rye"}, {RYE}),
        ({"q": "you porto"}, {"Was in Porto."}),
    ):
        assert found(**query) == expected, query


def test_filters_are_checked_shown_as_entered_and_offer_no_wings_without_drawers(alice_client, bread):
    other = file(bread[0].user_id, ["I sing."], Spot(wing="Choir"))[0]
    away, merged = (file(other.user_id, ["Hm."], Spot(wing=name))[0] for name in ("Away", "Merged"))
    merge(other.user_id, Target("wing", other.wing_id), Target("wing", merged.wing_id), MONDAY)
    post(alice_client, "delete_drawer", away.id)
    html = listed(alice_client)
    offered = [f'value="{each.wing_id}"' in html for each in (other, away, merged)]
    assert offered == [True, False, False], "wings without drawers"
    assert f'value="{away.wing_id}"' in listed(alice_client, wing=str(away.wing_id))
    assert "Enter a date" in listed(alice_client, at="x")
    assert "mentions “&lt;b&gt;%_”" in listed(alice_client, q="<b>%_")
    assert "May 2024" in listed(alice_client, sort="newest")
    part = check_fragment(alice_client.get(reverse("memory:facts", query={"q": "sings"}), headers=HTMX))
    assert parse(part).elements[0].attributes["id"] == "facts"
    for query in ({"status": "nonsense"}, {"kind": "nonsense"}, {"wing": str(uuid4())}, {"after": "x.1_2"}):
        assert alice_client.get(reverse("memory:facts", query=query)).status_code == 404


def test_facts_are_found_by_the_words_of_their_source(alice_client, bread, monkeypatch):
    said = "Busy week. I have moved to Porto! The cat is fine."
    home = file(bread[0].user_id, [said], Spot(wing="Home"))[0]
    learn(home, "I have moved to Porto!", "The user lives in Porto.", value="Porto", kind="identity")

    def found(words):
        return "You live in Porto." in listed(alice_client, q=words)

    for words in ("moved", "MOV", "lives moved porto"):
        assert found(words)
    for words in ("cat", "week", "moved rye", "m_ved"):
        assert not found(words)
    assert "rye starter" not in listed(alice_client, q="moved")
    post(alice_client, "delete_drawer", home.id)
    for words in ("moved", "lives"):
        assert not found(words)
    with CaptureQueriesContext(connection) as sent:
        assert RYE in listed(alice_client, q="starter")
    assert sum("UPPER" in each["sql"] for each in sent) == 1, "sources are searched once for rare words"
    monkeypatch.setattr(listing, "MAX_IDS", 0)
    assert RYE in listed(alice_client, q="starter")


@pytest.mark.parametrize("told", ["I don’t play Fußball", "I don't play Fußball"])
def test_facts_are_found_whatever_their_case_and_apostrophes(alice_client, bread, told):
    (said,) = file(bread[0].user_id, [told])
    fact = learn(said, told, "The user dislikes a game.", value="game")
    for words in ("Fußball", "FUßBALL, don’t", "don't", "‘don’t’"):
        assert f'id="fact-{fact.id}"' in listed(alice_client, q=words)


def relate(fact, other, similarity=0.8):
    one, two = sorted((fact.id, other.id))
    found = {"kind": FactLink.Kind.SAME, "similarity": similarity}
    FactLink.objects.create(user_id=fact.user_id, fact_id=one, other_id=two, **found)


def test_facts_that_are_gone_take_no_place_among_similar_ones(bread):
    (said,) = file(bread[0].user_id, ["I bake loaves."])
    fact, near, *gone = (
        learn(said, "loaves", f"Bakes {number} loaves.", value=str(number)) for number in range(MAX_SHOWN + 2)
    )
    FactLink.objects.filter(user_id=said.user_id).delete()
    Fact.objects.filter(id__in=[each.id for each in gone]).update(status=Fact.Status.REJECTED)
    for number, other in enumerate((near, *gone)):
        relate(fact, other, 0.8 + number / 1_000)
    assert [each.fact for each in similar_facts_of(fact)] == [near]


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Asia/Tokyo"])
def test_stated_dates_are_shown_as_stated_in_every_time_zone(alice_client, alice, bread, zone):
    MemoryPreferences.objects.create(user=alice, time_zone=zone)
    home = learn(bread[1], "Porto", "The user lives in Porto.", valid_from=JULY)
    fair = learn(bread[2], "oven", "The user has a fair.", kind="event", event_time=JULY.replace(hour=15))
    learn(bread[1], "sister", "The user owns a laptop.", valid_from=datetime(2019, 1, 1, tzinfo=UTC))
    html = listed(alice_client, q="Porto", sort="newest")
    assert 'since <time datetime="2023-07-01">Jul 2023' in html
    assert ("July 2023" in html, "June 2023" in html, "said <time" in html) == (True, False, False)
    assert 'since <time datetime="2023-07-01">1 Jul 2023' in page(alice_client, "fact", home.id)
    assert '<time datetime="2023-07-01">1 Jul 2023' in listed(alice_client, q="fair")
    assert "1 Jul 2023, 15:00" in page(alice_client, "fact", fair.id)
    assert 'since <time datetime="2019-01-01">2019</time>' in listed(alice_client)
    assert value_of(page(alice_client, "edit_fact", home.id), "since") == "2023-07-01"
    assert 'said <time datetime="2024-05-06">May 2024' in listed(alice_client, q="rye")
    rye = Fact.objects.get(value__startswith="rye")
    assert 'said <time datetime="2024-05-06">6 May 2024' in page(alice_client, "fact", rye.id)
    again = file(alice.id, ["I have been in Porto for ages."], Spot(start=JULY))[0]
    assert Fact.objects.get(id=home.id).start_is_stated
    assert home.sources.create(user_id=alice.id, drawer_id=again.id, start=15, end=20)
    assert not Fact.objects.get(id=home.id).start_is_stated


def test_past_events_are_shown_in_the_past(alice_client, bread):
    (drawer,) = file(bread[0].user_id, ["I have an audition in three weeks, and fly to Porto."])
    told = {"kind": "event", "mined_by": "reader"}
    audition, trip = datetime(2024, 5, 29, tzinfo=UTC), datetime(2024, 8, 3, tzinfo=UTC)
    for words, predicate, thing, when, statement in (
        (
            "an audition",
            "has_event",
            "audition",
            audition,
            "On the user's calendar: audition (about 2024-05).",
        ),
        ("fly to Porto", "travels_to", "Porto", trip, "The user is planning a trip to Porto (2024-08-03)."),
    ):
        learn(drawer, words, statement, predicate=predicate, object=thing, event_time=when, **told)
    html = listed(alice_client)
    assert "You had an audition (about May 2024)." in html
    assert 'about <time datetime="2024-05-29">May 2024' in html
    assert "You were planning a trip to Porto (3 August 2024)." in html


def test_an_edit_keeps_earlier_versions_and_the_start_unless_another_day_is_given(alice_client, bread):
    single = {"key": "home_city", "single_valued": True}
    fact = learn(bread[0], "rye", "Lives in Rye.", **single)
    learn(bread[1], "Porto", "Lives in Porto.", valid_from=MONDAY + timedelta(days=9), **single)
    url = reverse("memory:edit_fact", args=[fact.id])
    assert 'name="since" value' not in check_page(alice_client.get(url)), "nobody stated it"
    words = {"statement": "Lived in Rye.", "kind": "behaviour", "value": "Rye"}
    for since, expected in (("2024-05-06", MONDAY), ("", MONDAY), ("2023-07-01", JULY)):
        response = alice_client.post(url, words | {"since": since})
        assert response["Location"] == reverse("memory:fact", args=[fact.id])
        assert (refreshed(fact).valid_from, fact.memory_type) == (expected, "reflective")
    html = page(alice_client, "fact", fact.id)
    assert [
        words for words in ("You lived in Rye.", "Lives in Rye.", "Lives in Porto.") if words not in html
    ] == []


def test_incomplete_stale_and_duplicate_edits_are_refused(alice_client, bread):
    fact = Fact.objects.get()
    url = reverse("memory:edit_fact", args=[fact.id])
    seen = value_of(check_page(alice_client.get(url)), "seen")
    first = {"statement": "Feeds the rye.", "kind": "behaviour", "value": "rye", "seen": seen}
    alice_client.post(url, first)
    second = first | {"statement": "Feeds the spelt.", "value": "spelt"}
    html = submit(alice_client, url, 422, **second)
    assert "changed in another window, so your edit was not saved" in html
    assert "Feeds the rye." in html
    assert "Feeds the spelt." in html
    assert refreshed(fact).statement == "Feeds the rye."
    assert alice_client.post(url, second | {"seen": value_of(html, "seen")}).status_code == 302
    assert refreshed(fact).statement == "Feeds the spelt."
    assert alice_client.post(url, {"statement": "x"}).status_code == 422
    other = learn(bread[1], "Porto", "The user was in Porto.")
    words = {"statement": "Was in Porto.", "kind": other.kind, "value": "Porto"}
    assert str(other.id) in submit(alice_client, url, 422, **words), "the offer to merge"


def test_a_fact_is_edited_in_its_row_in_the_second_person(alice_client, as_alice):
    drawer, quoted = file(as_alice.id, ["I live in Leeds.", "She said I could have a brown dog."])
    fact = learn(drawer, "Leeds", "The user lives in Leeds.", predicate="lives_in", mined_by="reader")
    url = reverse("memory:edit_fact", args=[fact.id])
    for shown in (alice_client.get(url), alice_client.get(url, headers=HTMX)):
        assert ("You live in Leeds." in shown.text, "The user" in shown.text) == (True, False)

    def save(statement, status=200):
        given = {"statement": statement, "seen": fact.version}
        return check_fragment(alice_client.post(url, given, headers=HTMX), status=status)

    save("You", status=422)
    assert "You live in York." in save("You live in York.")
    assert "was not saved" in save("You live in Hull.", status=422)
    expected = ("The user lives in York.", "York", fact.kind)
    assert (refreshed(fact).statement, fact.value, fact.kind) == expected
    row = check_fragment(alice_client.get(reverse("memory:fact", args=[fact.id]) + "?row", headers=HTMX))
    assert parse(row).elements[0].attributes["id"] == f"fact-{fact.id}"

    fact = learn(quoted, "a brown dog", "The user says she may have a brown dog.", mined_by="model")
    url = reverse("memory:edit_fact", args=[fact.id])
    assert re.search(r"<textarea[^>]*>\s*a brown dog</textarea>", check_page(alice_client.get(url)))
    save("a white cat")
    assert (refreshed(fact).statement, fact.value, fact.object) == ("a white cat",) * 3


@pytest.mark.parametrize(
    ("action", "status"), [("confirm", "active"), ("review", "pending_review"), ("delete", None)]
)
def test_several_facts_are_decided_at_once_and_undone_from_the_list(alice_client, bread, action, status):
    learn(bread[1], "Porto", "Was in Porto.", confidence=0.6)
    ids = [str(each) for each in Fact.objects.values_list("id", flat=True)]
    back = reverse("memory:facts", query={"sort": "newest"})
    html = submit(alice_client, reverse("memory:decide"), action=action, fact=ids, back=back)
    assert "2 facts" in html
    left = Fact.objects.filter(deleted_at=None).values_list("status", flat=True)
    assert set(left) == ({status} if status else set())
    assert alice_client.post(undo_in(html, "/undo/"))["Location"] == back
    assert Fact.objects.filter(status="active", deleted_at=None, confidence=0.6).exists()


def test_a_fact_can_be_deleted_restored_and_ended(alice_client, bread):
    fact = Fact.objects.get()
    html = submit(alice_client, reverse("memory:delete_fact", args=[fact.id]))
    here = reverse("memory:fact", args=[fact.id])
    assert alice_client.get(here).status_code == 404
    assert alice_client.post(undo_in(html, "/undo/"))["Location"] == here
    page(alice_client, "fact", fact.id)
    assert post(alice_client, "end_fact", fact.id, day="no day").status_code == 422
    post(alice_client, "end_fact", fact.id, day="2024-06-01")
    assert (refreshed(fact).status, fact.valid_to) == ("superseded", datetime(2024, 6, 1, tzinfo=UTC))


def test_a_fact_can_be_added_by_hand(alice_client, bread):
    url = reverse("memory:add_fact")
    check_page(alice_client.get(url))
    home = {"statement": "I live in Porto.", "kind": "identity", "about": "home_city"}
    assert alice_client.post(url, home).status_code == 422
    response = alice_client.post(url, home | {"value": "Porto", "since": "2023-07-01"})
    fact = Fact.objects.get(key="home_city")
    assert response["Location"] == reverse("memory:fact", args=[fact.id])
    assert fact.valid_from == JULY
    assert "by you" in page(alice_client, "fact", fact.id)
    assert "already exists" in submit(alice_client, url, **home, value="Porto")


SINGLE = {"key": "home_city", "single_valued": True, "predicate": "lives_in"}
HOT = "Has an oven that is too hot."


@pytest.fixture
def pending(bread):
    return learn(bread[2], "too hot", HOT, review_reason="Unsure.")


@pytest.fixture
def competing(bread):
    known = learn(bread[0], "rye", "Lives in Rye.", value="Rye", **SINGLE)
    later = MONDAY + timedelta(days=1)
    claimed = learn(bread[1], "Porto", "Lives in Porto.", valid_from=later, authority="assistant", **SINGLE)
    return known, claimed


def by_script(client, name, fact, headers=HTMX):
    return check_fragment(client.post(reverse(f"memory:{name}", args=[fact.id]), headers=headers))


def test_the_review_shows_quotes_reasons_and_competing_facts_with_few_queries(
    alice_client, pending, competing, django_assert_max_num_queries
):
    with django_assert_max_num_queries(25):
        html = page(alice_client, "review")
    for words in (HOT, "Unsure.", '<q dir="auto">too hot</q>', "It contradicts:", "Keep both"):
        assert words in html
    assert re.search(r'class="nav-count">2<', html)
    assert html.index("Lives in Porto.") < html.index("Lives in Rye.")
    assert html.count("Where do you live?") == 1
    assert "Approve to end that fact" in html
    assert "It contradicts" in page(alice_client, "fact", competing[1].id)
    for fact in (pending, competing[1]):
        post(alice_client, "reject", fact.id)
    html = page(alice_client, "review")
    assert "Nothing to review" in html
    assert "nav-count" not in html


@pytest.mark.parametrize(("name", "number"), [("review", 12), ("activity", 10)])
def test_no_two_buttons_in_review_have_the_same_name(alice_client, pending, competing, name, number):
    for fact in competing:
        relate(pending, fact)
    acts = [
        each.attributes.get("aria-label") or " ".join(each.words.split())
        for each in parse(page(alice_client, name)).elements
        if each.tag == "button" or "data-key" in each.attributes
        if any("data-review-item" in above.attributes for above in each.ancestors)
    ]
    assert len(set(acts)) == len(acts) == number
    for act in ("Approve", "Reject", "Edit"):
        assert f"{act}: {HOT}" in acts


def test_a_fact_in_review_shows_its_certainty_or_reason_and_its_words_once(alice_client, bread):
    words = "gave it to me in Porto"
    quote = learn(bread[1], words, f"The user said: “{words}”", review_reason="Unsure.")
    html = page(alice_client, "review")
    assert re.search(r'class="act-quote" href="[^"]+">Source<', html)
    assert f">{words}</q>" not in html
    quote.delete()
    for reason, certainty in ((NOT_CONFIDENT, ["unsure"]), ("It is odd.", [])):
        fact = learn(bread[2], "too hot", HOT, review_reason=reason, confidence=0.9)
        html = page(alice_client, "review")
        assert [each for each in ("certain", "likely", "unsure") if f">{each}<" in html] == certainty
        assert ("<span>It is odd.</span>" in html, NOT_CONFIDENT in html) == (not certainty, False)
        fact.delete()


def test_a_fact_is_decided_only_once_but_can_return_to_review(alice_client, pending):
    post(alice_client, "reject", pending.id)
    for name in ("approve", "reject", "keep_both"):
        html = submit(alice_client, reverse(f"memory:{name}", args=[pending.id]))
        part = by_script(alice_client, name, pending)
        assert "in another window" in html
        assert "in another window" in part
        assert pending.statement in html
        assert parse(part).elements[0].attributes["id"] == f"fact-{pending.id}"
    assert refreshed(pending).status == "rejected"
    more = alice_client.get(reverse("memory:fact", args=[pending.id]), headers=HTMX)
    assert reverse("memory:reconsider", args=[pending.id]) in check_fragment(more)
    post(alice_client, "reconsider", pending.id)
    assert refreshed(pending).status == "pending_review"


def test_a_decision_about_a_fact_deleted_since_is_not_undone(alice_client, pending):
    post(alice_client, "approve", pending.id)
    first = ActivityEvent.objects.filter(kind="fact_decided").latest("id")
    post(alice_client, "delete_fact", pending.id)
    for name in ("approve", "reject", "keep_both", "reconsider", "end_fact"):
        assert post(alice_client, name, pending.id).status_code == 404
    undo = submit(alice_client, undo_of(first))
    assert "This was changed again later. Undo that first." in undo


def test_selected_facts_are_decided_together_once_and_undone(alice_client, bob_client, pending, competing):
    decide, ids = reverse("memory:decide"), [pending.id, competing[1].id]
    for data in ({}, {"action": "approve"}, {"action": "x", "fact": "y"}):
        assert "Select between 1 and 200 facts" in submit(alice_client, decide, **data)
    assert bob_client.post(decide, {"action": "approve", "fact": [pending.id]}).status_code == 404
    assert refreshed(pending).status == "pending_review"
    html = submit(alice_client, decide, action="reject", fact=ids)
    assert "2 facts reviewed." in html
    assert Fact.objects.filter(status="rejected").count() == 2
    assert ActivityEvent.objects.filter(kind="fact_decided").count() == 1
    alice_client.post(undo_in(html, "/memory/undo/"))
    assert Fact.objects.filter(status="pending_review").count() == 2
    post(alice_client, "reject", pending.id)
    html = submit(alice_client, decide, action="approve", fact=ids)
    assert "1 fact reviewed. The others were already reviewed in another window" in html
    assert refreshed(pending).status == "rejected"
    html = submit(alice_client, decide, action="approve", fact=ids)
    assert "These facts were already reviewed in another window." in html


def test_deciding_the_last_facts_of_a_page_leads_back_to_the_first(
    alice_client, monkeypatch, pending, competing
):
    shorten(monkeypatch, queries.waiting_facts, 1)
    url = reverse("memory:review")
    _, last = all_pages(alice_client, url)
    [back] = re.findall(r'id="bulk".*?name="back" value="([^"]+)"', last, re.S)
    response = post(alice_client, "decide", action="approve", fact=pending.id, back=back)
    assert response.url == back != url
    assert alice_client.get(response.url).url == url
    assert competing[1].statement in page(alice_client, "review")


def test_two_facts_can_be_merged(alice_client, pending, competing):
    for into in ("", "nonsense", str(pending.id)):
        assert post(alice_client, "merge", pending.id, into=into).status_code == 404
    post(alice_client, "merge", pending.id, into=competing[0].id)
    assert competing[0].sources.count() == 2
    assert alice_client.get(reverse("memory:fact", args=[pending.id])).status_code == 404
    assert count_by_status(pending.user_id) == {"active": 2, "pending_review": 1}


def test_a_decided_row_says_what_was_decided_and_the_badges_follow(alice_client, pending, competing):
    for name, words, fact in (("approve", "Approved:", pending), ("reject", "Rejected:", competing[1])):
        html = by_script(alice_client, name, fact)
        for shown in (f"<strong>{words}</strong>", fact.sentence, "data-undo"):
            assert shown in html
        assert 'class="choose"' not in html
        left = re.search(r'<span hx-swap-oob="innerHTML:.nav-waiting">(.*?)</span>\n', html, re.S)[1]
        assert (">1<" in left) == (name == "approve"), "the badges say how many are left"
    assert 'class="nav-waiting"' in page(alice_client, "review")


@pytest.mark.parametrize(("name", "ended"), [("end_fact", 1), ("delete_fact", 0)])
def test_the_counts_of_the_list_follow_a_decision_made_in_it(alice_client, bread, name, ended):
    kept, gone = (learn(bread[0], words, f"Likes {words}.", kind="preference") for words in ("rye", "seven"))
    listed = page(alice_client, "facts")
    here = {**HTMX, "HX-Current-URL": f"http://testserver{reverse('memory:facts')}?q=likes"}
    html = by_script(alice_client, name, gone, here)
    for status, count in (("active", 2), ("superseded", ended), ("preference", 1)):
        assert f'id="count-{status}"' in listed
        assert f'<span hx-swap-oob="innerHTML:#count-{status}">{count}</span>' in html
    assert ("<strong>Moved to Past:</strong>" in html) == bool(ended)
    assert "#count-" not in by_script(alice_client, "end_fact", kept), "made elsewhere"
