"""The settings and their undo, consent, and the offer to use the browser's time zone."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.forms import model_to_dict
from django.utils import timezone

from accounts.demo import SHOWS_DEMO, create_demo
from accounts.models import User
from accounts.owned import NotFound
from accounts.tenancy import operator
from llm import current
from memory.mining.progress import progress_of
from memory.models import ActivityEvent, DrawerVector, MemoryPreferences, MiningProgress
from memory.pages.settings.health import health_of
from memory.preferences import change_preferences, preferences_of, undo
from tests.drills.ledger import converse
from tests.fake_gateway import FakeEmbedder
from tests.html import check_fragment, check_page, parse
from tests.memory.pages.forms import HTMX, page, post, submit
from tests.memory.palaces import MONDAY, file, learn
from tests.memory.recall.asking import traced

NOON = datetime(2024, 6, 3, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
URL = "/memory/settings/"
CONSENT = "/memory/consent/"
ZONE = f"{URL}time-zone/"
pytestmark = pytest.mark.usefixtures("embedder")


def choices(user, **changed):
    """The data that the form sends if only `changed` was changed."""
    kept = model_to_dict(preferences_of(user.id), exclude=["user"])
    sent = kept | changed
    return {name: value for name, value in sent.items() if value is not False and value is not None}


def shown(client, url=URL, status=200):
    return check_page(client.get(url), status)


def test_settings_are_explained_and_unchanged_ones_not_saved(alice_client, as_alice):
    html = shown(alice_client)
    for field in MemoryPreferences._meta.fields:
        if field.name != "user":
            assert f'name="{field.name}"' in html
            assert f'id="id_{field.name}_helptext"' in html
    folded = "".join(re.findall("(?s)<details>(.*?)</details>", html))
    assert ('name="similarity_floor"' in folded, 'name="top_k"' in folded) == (True, False)
    alice_client.post(URL, choices(as_alice))
    assert not MemoryPreferences.objects.exists()
    assert not ActivityEvent.objects.exists()


def test_changed_settings_are_saved_logged_and_reset_to_their_default(alice_client, bob_client, as_alice):
    sent = choices(as_alice, top_k=17, use_rerank=True, time_zone="Asia/Tokyo", auto_mine=False)
    assert alice_client.post(URL, sent)["Location"] == URL
    kept = preferences_of(as_alice.id)
    assert (kept.top_k, kept.use_rerank, kept.auto_mine, kept.time_zone) == (17, True, False, "Asia/Tokyo")
    (event,) = ActivityEvent.objects.filter(user_id=as_alice.id)
    assert sorted(event.details["changed"]) == ["auto_mine", "time_zone", "top_k", "use_rerank"]
    assert 'value="17"' in shown(alice_client)
    assert 'value="17"' not in shown(bob_client)
    html = submit(alice_client, f"{URL}top_k/reset/")
    kept = preferences_of(as_alice.id)
    assert (kept.top_k, kept.use_rerank) == (10, True)
    assert "“Drawers per reply” was reset to its default." in html
    assert ("top_k/reset/" in html, "use_rerank/reset/" in html) == (False, True)
    for name in ("user", "nothing"):
        assert alice_client.post(f"{URL}{name}/reset/").status_code == 404


OUT_OF_BOUNDS = {
    "top_k": (0, 21, "many", ""),
    "token_budget": (99, 16_001),
    "similarity_floor": (-0.1, 1.1, "nan"),
    "review_threshold": (2,),
    "duplicate_similarity": (0.69, 1.01),
    "recency": (-0.1, 0.6),
    "idle_minutes": (0, 10**12),
    "window_size": (7, 11),
    "time_zone": ("Mars/Olympus", "../../etc/passwd"),
    "embedding_model": ("no-such-model",),
    "rerank_model": ("x" * 121,),
    "extraction_model": ("a\x00b",),
}


def test_a_form_with_an_invalid_value_is_rejected_as_a_whole_with_links_to_its_errors(alice_client, as_alice):
    for number in range(max(map(len, OUT_OF_BOUNDS.values()))):
        wrong = {name: values[number] for name, values in OUT_OF_BOUNDS.items() if number < len(values)}
        html = check_page(alice_client.post(URL, choices(as_alice, use_rerank=True) | wrong), status=422)
        assert "Nothing was changed" in html
        assert set(re.findall(r'id="id_(\w+)_error"', html)) == wrong.keys()
        assert not MemoryPreferences.objects.exists()
    assert "<details open>" not in shown(alice_client)
    html = check_page(alice_client.post(URL, choices(as_alice, top_k=21, token_budget=99)), status=422)
    for words in ("<details open>", "At most 20.", "At least 100.", "#id_top_k", "#id_token_budget"):
        assert words in html
    assert '<a href="#id_idle_minutes">' not in html


def test_a_new_embedding_model_reports_its_progress(alice_client, bread, as_alice):
    with current.using(other_embedders=[FakeEmbedder(name="other")]):
        html = submit(alice_client, URL, **choices(as_alice, embedding_model="other"))
    assert "Until then, searches use the previous model" in html
    assert "The model other has read 0 of 3 drawers" in html
    assert "searches use fake-bag-of-words" in html
    assert "still being prepared" not in html
    assert preferences_of(as_alice.id).embedding_model == "other"


def test_a_missing_embedding_model_is_reported_and_can_be_replaced(alice_client, as_alice):
    MemoryPreferences.objects.create(user_id=as_alice.id, embedding_model="gone")
    assert "still found by their words" in shown(alice_client)
    alice_client.post(URL, choices(as_alice, embedding_model=""))
    assert preferences_of(as_alice.id).embedding_model == ""


def as_shown(client):
    """The data that a browser sends for the unchanged form."""
    sent = {}
    for element in parse(shown(client)).elements:
        given, above = element.attributes, {each.tag: each.attributes for each in element.ancestors}
        checkbox = given.get("type") == "checkbox"
        if above.get("form", {}).get("id") != "choices":
            continue
        if element.tag == "option" and "selected" in given:
            sent[above["select"]["name"]] = given["value"]
        elif element.tag == "input" and "name" in given and (not checkbox or "checked" in given):
            sent[given["name"]] = given.get("value", "on" if checkbox else "")
    return sent


def test_saving_in_one_window_keeps_changes_of_another(alice_client, as_alice):
    first, second = as_shown(alice_client), as_shown(alice_client)
    del first["auto_mine"]
    alice_client.post(URL, first | {"top_k": "9"})
    alice_client.post(URL, second | {"idle_minutes": "7"})
    kept = preferences_of(as_alice.id)
    assert (kept.top_k, kept.auto_mine, kept.idle_minutes) == (9, False, 7)
    events = ActivityEvent.objects.filter(user_id=as_alice.id).order_by("at")
    assert [event.details["changed"] for event in events] == [["auto_mine", "top_k"], ["idle_minutes"]]


def test_the_example_follows_the_form_without_saving_it(alice_client, as_alice, bread):
    traced(as_alice, bread[0].content, now=NOON)

    def example(**sent):
        return check_fragment(alice_client.get(f"{URL}example/", sent, headers=HTMX))

    one, all_ = (example(**choices(as_alice, similarity_floor=0, top_k=top_k)) for top_k in (1, 5))
    assert "0 drawers would be included" not in all_
    assert one.count("<li") < all_.count("<li")
    out_of_range = example(**choices(as_alice, top_k=99))
    assert "Drawers per reply" in out_of_range
    assert "At most 20." in out_of_range
    assert "out of range" in example()
    assert not MemoryPreferences.objects.exists()
    assert alice_client.get(f"{URL}example/")["Location"] == URL


@pytest.fixture
def not_agreed(alice):
    alice.agreed_at = None
    alice.save(update_fields=["agreed_at"])


@pytest.mark.parametrize(
    ("answer", "auto_mine"), [("automatically", True), ("when-asked", False), ("", False)]
)
def test_consent_is_explained_and_saved_with_its_first_date(
    not_agreed, alice_client, as_alice, answer, auto_mine
):
    html = shown(alice_client, CONSENT)
    assert "No other user of Palace can, staff included" in html
    assert "Whoever runs this server could." in html
    assert html.index("Word for word") < html.index("I agree")
    assert "You agreed on" not in html
    assert alice_client.post(CONSENT, {"remember": answer})["Location"] == "/accounts/welcome/"
    assert preferences_of(as_alice.id).auto_mine is auto_mine
    as_alice.refresh_from_db()
    first = as_alice.agreed_at
    assert first is not None
    html = shown(alice_client, CONSENT)
    assert ("You agreed on" in html, "I agree" in html) == (True, False)
    assert ('value="automatically"' in html, 'value="when-asked"' in html) == (not auto_mine, auto_mine)
    alice_client.post(CONSENT, {"remember": "automatically"})
    as_alice.refresh_from_db()
    assert as_alice.agreed_at == first


@pytest.mark.parametrize(
    ("saved", "sent", "kept"),
    [
        ("", "Asia/Tokyo", "Asia/Tokyo"),
        *((("", wrong, "UTC")) for wrong in ("", "Mars/Olympus", "../../etc/passwd")),
        ("Europe/Berlin", "Asia/Tokyo", "Europe/Berlin"),
        ("UTC", "Asia/Tokyo", "UTC"),
    ],
)
def test_the_first_consent_sets_a_known_time_zone_unless_one_is_saved(
    not_agreed, alice_client, as_alice, saved, sent, kept
):
    assert 'name="time_zone" data-zone-field' in shown(alice_client, CONSENT)
    if saved:
        MemoryPreferences.objects.create(user_id=as_alice.id, time_zone=saved)
    for zone in (sent, "Asia/Kolkata"):  # agreeing again changes none either
        alice_client.post(CONSENT, {"remember": "automatically", "time_zone": zone})
        assert preferences_of(as_alice.id).time_zone == kept
    again = re.sub("(?s)<template.*?</template>", "", shown(alice_client, CONSENT))
    assert "data-zone-field" not in again


@pytest.fixture
def in_berlin(as_alice):
    MemoryPreferences.objects.create(user_id=as_alice.id, time_zone="Europe/Berlin")
    return as_alice


def messages_with(words, client):
    return [each for each in client.get(URL).context["messages"] if words in str(each)]


def test_the_browsers_time_zone_is_offered_except_in_the_demo(alice_client, in_berlin):
    for url in ("/chat/", "/memory/", URL, "/accounts/"):
        assert '<template id="zone-offer" data-zone="Europe/Berlin">' in shown(alice_client, url)
    create_demo(in_berlin, "Mira", NOON)
    session = alice_client.session
    session[SHOWS_DEMO] = True
    session.save()
    assert "zone-offer" not in shown(alice_client, "/memory/")


def test_an_accepted_time_zone_is_saved_and_can_be_undone(alice_client, in_berlin):
    for zone in ("", "Mars/Olympus", "../../etc/passwd"):
        answer = alice_client.post(ZONE, {"time_zone": zone, "back": "https://example.org/"})
        assert answer["Location"] == URL
        assert messages_with("There is no time zone named", alice_client)
        assert preferences_of(in_berlin.id).time_zone == "Europe/Berlin"

    answer = alice_client.post(ZONE, {"time_zone": "America/New_York", "back": "/memory/facts/?kind=goal"})
    assert (answer.status_code, answer["Location"]) == (302, "/memory/facts/?kind=goal")
    assert preferences_of(in_berlin.id).time_zone == "America/New_York"
    (undo_url,) = (message.extra_tags for message in messages_with("America/New York", alice_client))
    alice_client.post(undo_url)
    assert preferences_of(in_berlin.id).time_zone == "Europe/Berlin"


def shares(user):
    return {str(check.name): round(check.share, 3) for check in health_of(user.id, MONDAY).checks}


def test_every_problem_lowers_the_share_of_its_check_and_the_score(as_alice, alice_client):
    assert health_of(as_alice.id, MONDAY).score == 100
    drawers = file(as_alice.id, ["I feed my rye starter.", "Ines gave it to me."])
    found = health_of(as_alice.id, MONDAY)
    assert (found.score, found.problems) == (100, ())
    assert "Health score: 100 of 100" in page(alice_client, "health")

    for number in range(10):
        learn(drawers[0], "rye starter", f"Feeds starter {number}.", review_reason="Unsure.")
    first = health_of(as_alice.id, MONDAY).checks[0]
    assert (shares(as_alice)["Review"], first.page) == (0.5, "memory:review")
    assert first.words.startswith("10 facts wait")
    DrawerVector.objects.filter(user_id=as_alice.id, drawer_id=drawers[0].id).delete()
    assert shares(as_alice)["Search by meaning"] < 1
    html, score = page(alice_client, "health"), health_of(as_alice.id, timezone.now()).score
    assert score < 100
    assert f"Health score: {score} of 100" in html
    assert f'max="100" value="{score}"' in html

    progress = progress_of(as_alice.id, "conversation", drawers[0].source_id)
    MiningProgress.objects.filter(user_id=as_alice.id, id=progress.id).update(state=MiningProgress.State.DEAD)
    assert shares(as_alice)["Saving to memory"] == 0.5
    with operator():
        User.objects.filter(id=as_alice.id).update(drawer_quota=2)
    assert shares(as_alice)["Capacity"] == 0.0
    found = health_of(as_alice.id, MONDAY + timedelta(days=9_000))
    assert "Consolidation" in {str(check.name) for check in found.problems}


def test_messages_waiting_for_mining_are_reported_and_can_be_mined(as_alice, alice_client, queued):
    for number in range(20):
        converse(as_alice.id, f"I have {number} boats.", "Noted.", at=MONDAY, source="chat")
    later = MONDAY + timedelta(days=1)
    found = health_of(as_alice.id, later)
    assert found.checks[0].words == "40 messages wait to be saved to memory."
    assert found.score <= 56
    change_preferences(as_alice.id, {"auto_mine": False}, MONDAY)
    words = "".join(check.words for check in health_of(as_alice.id, later).checks)
    assert "Chats are not saved automatically: 40 messages" in words
    assert "/resume/" in page(alice_client, "health")
    post(alice_client, "mine_now", back="https://example.org/")
    assert queued() == [("mine", (str(as_alice.id),))]
    post(alice_client, "resume")
    assert preferences_of(as_alice.id).auto_mine


def test_only_valid_and_actual_changes_are_saved_and_logged(as_alice):
    for wrong in ({"top_k": 0}, {"enabled": False, "token_budget": 1}):
        with pytest.raises(ValidationError):
            change_preferences(as_alice.id, wrong, NOON)
    assert not MemoryPreferences.objects.exists()
    for expected in (["monthly_budget"], None):
        change = {"monthly_budget": Decimal("2.50"), "enabled": True}
        event = change_preferences(as_alice.id, change, NOON)
        assert (event and event.details["changed"]) == expected


def test_undo_restores_settings_of_every_type_once(as_alice):
    change_preferences(as_alice.id, {"monthly_budget": Decimal("2.50")}, NOON)
    chosen = {"monthly_budget": None, "enabled": False, "top_k": 9, "similarity_floor": 0.125}
    chosen |= {"time_zone": "Asia/Tokyo", "extraction_model": "模型"}
    event = change_preferences(as_alice.id, chosen, NOON)
    assert (event.kind, event.at, event.details["changed"]) == ("settings_changed", NOON, list(chosen))
    assert (event.details["before"]["top_k"], event.details["after"]["top_k"]) == ("10", "9")
    assert undo(as_alice.id, event.id, NOON + HOUR) == (list(chosen), [])
    back = preferences_of(as_alice.id)
    assert back.monthly_budget == Decimal("2.50")
    assert (back.enabled, back.top_k, back.similarity_floor) == (True, 10, 0.6)
    assert (back.time_zone, back.extraction_model) == ("UTC", "")
    change_preferences(as_alice.id, {"top_k": 9}, NOON + HOUR)
    assert undo(as_alice.id, event.id, NOON + HOUR) == (list(chosen), []), "without further effect"
    assert preferences_of(as_alice.id).top_k == 9
    event.refresh_from_db()
    assert event.undone_at == NOON + HOUR


def test_undo_skips_settings_that_no_longer_exist_and_refuses_events_without_values(as_alice):
    event = change_preferences(as_alice.id, {"top_k": 9}, NOON)
    for kind, details in (("settings_changed", {"changed": ["top_k"]}), ("purged", {})):
        row = ActivityEvent.objects.create(user_id=as_alice.id, kind=kind, details=details)
        with pytest.raises(NotFound):
            undo(as_alice.id, row.id, NOON + HOUR)
    assert preferences_of(as_alice.id).top_k == 9
    event.details["changed"].append("recipe")
    event.save()
    assert undo(as_alice.id, event.id, NOON + HOUR) == (["top_k"], [])
