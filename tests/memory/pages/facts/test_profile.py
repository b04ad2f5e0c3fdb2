"""The pages of the profile, of skills, of the timeline, and of days."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from memory.models import ActivityEvent, MemoryPreferences
from memory.projections.profile import profile_due, profile_of, prose_for_owner, prose_of
from memory.projections.skills import propose_skills
from tests.html import parse
from tests.memory.pages.forms import page, post, refused, submit
from tests.memory.palaces import MONDAY, TOOL_CHAT, Spot, file, file_tool_chat, learn

MAY_6 = date(2024, 5, 6)
HOME = {"key": "home_city", "predicate": "lives_in", "kind": "identity", "single_valued": True}


def test_values_are_shown_in_sentences_linked_to_their_sources(
    alice_client, bread, django_assert_max_num_queries
):
    home = learn(bread[1], "Porto", "The user lives in Porto.", object="Porto", **HOME)
    words = "gave it to me in Porto"
    quote = learn(bread[1], words, f"The user said: “{words}”.", predicate="habit", mined_by="reader")
    for number in range(30):
        learn(bread[0], "rye", f"The user likes rye bread number {number}.", predicate="likes")
    with django_assert_max_num_queries(20):
        html = page(alice_client, "profile")
    for shown in (
        *("Feeds a rye starter every morning.", "Written by Palace", "You live in Porto."),
        reverse("memory:drawer", args=[bread[0].id]),
        reverse("memory:edit_fact", args=[home.id]),
    ):
        assert shown in html
    titles = re.compile(r'"(?:group|section)-\d">([^<]+?)\s*<')
    assert titles.findall(html) == titles.findall(page(alice_client, "facts"))
    assert "About you" in titles.findall(html)
    assert quote.sentence == f"You said: “{words}”"
    assert html.count(f">{quote.sentence}<") == 1
    assert "You said" not in prose_for_owner(profile_of(quote.user_id, timezone.now())).text


def test_own_words_replace_the_prose_and_every_version_is_kept_until_erased(alice_client, bread, as_alice):
    learn(bread[2], "too hot", "The user dislikes hot ovens.", predicate="dislikes")
    url, now = reverse("memory:own_words"), timezone.now()
    html = submit(alice_client, url, text="I bake.\r\n<i>Daily</i>. 🙂 ")
    assert "I bake.\n&lt;i&gt;Daily&lt;/i&gt;. 🙂 " in html
    assert "Written by Palace" not in html
    assert html.count(f'action="{url}"') == 3, "one of them in the toast"
    for _ in range(2):
        alice_client.post(url, {"text": "I bake twice."})
    view = profile_of(as_alice.id, now)
    assert view.prose == prose_of(as_alice.id, now)
    assert (view.prose.text, view.prose.written_by) == ("I bake twice.", "owner")
    assert view.sections
    assert not profile_due(as_alice.id, now + timedelta(days=9)), "own words need no refresh"
    second, first = view.versions
    post(alice_client, "use_words", first.id)
    assert page(alice_client, "profile").count("I bake.\n") > 1
    post(alice_client, "erase_words", second.id)
    assert "I bake twice." not in page(alice_client, "profile")
    assert "at most 3000 characters" in submit(alice_client, url, 422, text="bread " * 600)
    html = submit(alice_client, url, text=" ")
    assert "Written by Palace" in html
    assert "I bake." not in html.split("<details>")[0]
    events = ActivityEvent.objects.filter(kind="profile_changed").order_by("id")
    changes = ["own_words"] * 3 + ["own_words_erased", "own_words_ended"]
    assert [event.details["change"] for event in events] == changes


def test_proposed_skills_show_what_failed_and_what_worked(alice_client, as_alice):
    file_tool_chat(as_alice.id)
    propose_skills(as_alice.id, None, MONDAY)
    html = page(alice_client, "skills")
    for words in (TOOL_CHAT[0][1], "target host not found", "HOST=oven-2"):
        assert words in html
    assert TOOL_CHAT[0][1] not in page(alice_client, "skills", status="published")
    response = alice_client.get(reverse("memory:skills", query={"status": "nonsense"}))
    assert response.status_code == 404


def test_events_are_shown_under_their_month_and_can_be_filtered(alice_client, alice, bread):
    fair = {"kind": "event", "event_time": datetime(2024, 6, 18, tzinfo=UTC)}
    learn(bread[1], "Porto", "The user visits the bread fair (2024-06-18).", **fair)
    learn(bread[2], "oven", "The user built an oven.", kind="experience")
    html, day = page(alice_client, "timeline"), '<time datetime="2024-06-18">Tue 18</time>'
    drawer = reverse("memory:drawer", args=[bread[1].id])
    for words in ("June 2024</h2>", day, drawer, "?year=2024", "?undated=1"):
        assert words in html
    assert [words for words in ("Feeds a rye starter", "built an oven") if words in html] == []
    assert "bread fair" in page(alice_client, "timeline", year=2024, q="FAIR", kind="event")
    assert "No matching events." in page(alice_client, "timeline", year=2023)
    assert "built an oven" in page(alice_client, "timeline", undated=1)
    job = HOME | {"key": "occupation"}
    start = datetime(2024, 5, 3, tzinfo=UTC)
    learn(bread[1], "Porto", "The user lives in Porto.", valid_from=start, **HOME)
    learn(bread[2], "oven", "The user works as a baker.", **job)
    (said,) = file(alice.id, ["I work as a cook."], Spot(start=datetime(2024, 6, 1, 9, tzinfo=UTC)))
    learn(said, "cook", "The user works as a cook.", **job)
    MemoryPreferences.objects.create(user=alice, time_zone="America/Los_Angeles")
    html = page(alice_client, "timeline")
    since, told = ('since <time datetime="2024-05-03">Fri 3', 'said <time datetime="2024-06-01">Sat 1')
    for words in (day, since, told, "You live in Porto.", "About you · "):
        assert words in html
    assert "baker" not in html, "nobody stated when it began"
    for query in ({"year": "x"}, {"kind": "nonsense"}, {"year": 10**9}):
        assert "Choose a year and a kind" in refused(alice_client, "timeline", **query)
    assert alice_client.get(reverse("memory:timeline", query={"after": "x"})).status_code == 404


def test_a_day_with_drawers_is_marked_and_shows_them_in_the_users_time_zone(alice_client, bread, bobs):
    elements = parse(page(alice_client, "days")).elements
    (day,) = (e.attributes for e in elements if "day-" in e.attributes.get("class", "") and e.tag == "a")
    assert day["aria-label"] == "6 May 2024: 3 drawers"
    assert day["href"] == reverse("memory:day", args=[MAY_6])
    html = page(alice_client, "day", MAY_6)
    assert "I feed my rye starter every morning at seven." in html
    assert "blue jar" not in html
    assert "Nothing was saved on this day." in page(alice_client, "day", date(2024, 5, 7))
    MemoryPreferences.objects.create(user_id=bread[0].user_id, time_zone="Pacific/Honolulu")
    assert "rye starter" in page(alice_client, "day", date(2024, 5, 5)), "9:00 UTC is the evening before"
    assert "rye starter" not in page(alice_client, "day", MAY_6)
    for text in ("2024-02-30", "2024-13-01", "0001-01-01", "9999-12-31"):
        assert alice_client.get(f"/memory/timeline/{text}/").status_code == 404
    for year in ("0", "9999", "last", "99999999999999999999"):
        assert "Enter a valid year." in refused(alice_client, "days", year=year)


@pytest.mark.parametrize(("at", "shown"), [(9999, 9998), (9998, 9998), (2, 2)])
def test_the_days_show_the_first_and_the_last_year(as_alice, alice_client, at, shown):
    file(as_alice.id, ["I like tea."], Spot(start=datetime(at, 6, 1, tzinfo=UTC)))
    counts = "1 drawer on 1 day." if at == shown else "0 drawers on 0 days."
    for query in ({}, {"year": shown}):
        assert f"{shown}: {counts}" in page(alice_client, "days", **query)
