import re
from datetime import UTC, datetime

import pytest
from django.forms import model_to_dict
from django.test import Client
from django.urls import reverse

from accounts.models import User
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.models import ActivityEvent, Drawer, MemoryPreferences, RecallTrace
from memory.preferences import preferences_of
from memory.recall.pipeline import recall
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import RecallRequest
from tests.html import check_fragment, check_page

NOON = datetime(2024, 6, 3, 12, tzinfo=UTC)
URL = "/memory/settings/"


def choices(user: User, **changed: object) -> dict[str, object]:
    """What the form sends when nothing but `changed` was touched."""
    kept = model_to_dict(preferences_of(user.id), exclude=["user"])
    sent = kept | changed
    return {name: value for name, value in sent.items() if value is not False and value is not None}


def recorded_recall(user: User, message: str) -> None:
    """A recall as a reply stores it."""
    found = recall(RecallRequest(user_id=user.id, message=message, now=NOON))
    RecallTrace.objects.create(
        user_id=user.id,
        trace=trace_as_json(found.trace),
        hits=[hit_as_json(hit) for hit in found.hits],
        at=NOON,
    )


def test_every_choice_is_explained(alice_client: Client, alice: User):
    html = check_page(alice_client.get(URL))

    for field in MemoryPreferences._meta.fields:
        if field.name != "user":
            assert f'name="{field.name}"' in html
            assert f'id="id_{field.name}_helptext"' in html


def test_choices_are_kept_and_written_down(alice_client: Client, as_alice: User):
    response = alice_client.post(
        URL, choices(as_alice, top_k=9, use_rerank=True, time_zone="Asia/Tokyo", auto_mine=False)
    )

    kept = preferences_of(as_alice.id)
    assert response["Location"] == reverse("memory:settings")
    assert (kept.top_k, kept.use_rerank, kept.auto_mine) == (9, True, False)
    assert kept.time_zone == "Asia/Tokyo"
    (event,) = ActivityEvent.objects.filter(user_id=as_alice.id)
    assert sorted(event.details["changed"]) == ["auto_mine", "time_zone", "top_k", "use_rerank"]


def test_saving_the_same_writes_nothing(alice_client: Client, as_alice: User):
    alice_client.post(URL, choices(as_alice))

    assert not MemoryPreferences.objects.filter(user_id=as_alice.id).exists()
    assert not ActivityEvent.objects.filter(user_id=as_alice.id).exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("recipe", "slowly"),
        ("top_k", 0),
        ("top_k", 21),
        ("top_k", "many"),
        ("top_k", ""),
        ("token_budget", 99),
        ("token_budget", 16_001),
        ("similarity_floor", -0.1),
        ("similarity_floor", 1.1),
        ("similarity_floor", "nan"),
        ("review_threshold", 2),
        ("idle_minutes", 0),
        ("idle_minutes", 10**12),
        ("window_size", 7),
        ("window_size", 11),
        ("time_zone", "Mars/Olympus"),
        ("time_zone", "../../etc/passwd"),
        ("embedding_model", "no-such-model"),
        ("rerank_model", "x" * 121),
        ("extraction_model", "a\x00b"),
    ],
)
def test_what_is_out_of_bounds_is_refused_as_a_whole(
    alice_client: Client, as_alice: User, name: str, value: object
):
    sent = choices(as_alice, use_rerank=True) | {name: value}

    html = check_page(alice_client.post(URL, sent), status=422)

    assert "Nothing was changed" in html
    assert f'id="id_{name}_error"' in html
    assert not MemoryPreferences.objects.filter(user_id=as_alice.id).exists()


def test_bounds_are_told_in_plain_words(alice_client: Client, as_alice: User):
    html = check_page(alice_client.post(URL, choices(as_alice, top_k=21, token_budget=99)), status=422)

    assert "At most 20." in html
    assert "At least 100." in html
    for name in ("top_k", "token_budget"):
        assert f'<a href="#id_{name}">' in html
    assert '<a href="#id_idle_minutes">' not in html


def test_another_embedding_model_says_that_drawers_are_embedded_again(
    alice_client: Client, bread: list[Drawer], as_alice: User
):
    with current.using(other_embedders=[FakeEmbedder(name="other")]):
        response = alice_client.post(URL, choices(as_alice, embedding_model="other"), follow=True)
        html = check_page(response)

    assert "until it has read them all, the one before it answers" in html
    assert "The model other has read 0 of 3 drawers" in html
    assert "fake-bag-of-words answers" in html
    assert "still being prepared" not in html
    assert preferences_of(as_alice.id).embedding_model == "other"


def test_a_model_that_is_gone_is_told_and_can_be_replaced(alice_client: Client, as_alice: User):
    MemoryPreferences.objects.create(user_id=as_alice.id, embedding_model="gone")

    assert "still found by their words" in check_page(alice_client.get(URL))
    alice_client.post(URL, choices(as_alice, embedding_model=""))
    assert preferences_of(as_alice.id).embedding_model == ""


def as_shown(client: Client) -> dict[str, str]:
    """What a browser sends of the page as it stands now, with nothing touched."""
    html = client.get(URL).content.decode()
    form = html[html.index('id="choices"') : html.index("</form>", html.index('id="choices"'))]
    inputs = re.findall(r"<input[^>]*>", form)
    sent = {}
    for each in inputs:
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', each))
        if "name" in attributes and ("checkbox" not in each or " checked" in each):
            default = "on" if "checkbox" in each else ""
            sent[attributes["name"]] = attributes.get("value", default)
    for name, options in re.findall(r'(?s)<select name="(\w+)".*?>(.*?)</select>', form):
        sent[name] = next(iter(re.findall(r'value="([^"]*)" selected', options)), "")
    return sent


def test_two_windows_leave_alone_what_the_other_changed(alice_client: Client, as_alice: User):
    first, second = as_shown(alice_client), as_shown(alice_client)
    del first["auto_mine"]
    alice_client.post(URL, first | {"top_k": "9"})
    alice_client.post(URL, second | {"idle_minutes": "7"})

    kept = preferences_of(as_alice.id)
    assert (kept.top_k, kept.auto_mine, kept.idle_minutes) == (9, False, 7)
    events = ActivityEvent.objects.filter(user_id=as_alice.id).order_by("at")
    assert [event.details["changed"] for event in events] == [
        ["auto_mine", "top_k"],
        ["idle_minutes"],
    ]


def test_a_budget_is_taken_back_however_it_was_written(alice_client: Client, as_alice: User):
    sent = choices(as_alice, monthly_budget="2.5")
    page = check_page(alice_client.post(URL, sent, follow=True))
    assert str(preferences_of(as_alice.id).monthly_budget) == "2.50"
    back = check_page(alice_client.post(undo_in(page), follow=True))
    assert "Taken back. Your settings are as before." in back
    assert preferences_of(as_alice.id).monthly_budget is None


def test_bob_has_choices_of_his_own(alice_client: Client, bob_client: Client, as_alice: User):
    alice_client.post(URL, choices(as_alice, top_k=17))

    assert 'value="17"' in check_page(alice_client.get(URL))
    assert 'value="17"' not in check_page(bob_client.get(URL))


def test_one_setting_is_put_back_and_the_others_stay(alice_client: Client, as_alice: User):
    alice_client.post(URL, choices(as_alice, top_k=9, window_size=10))
    assert "/memory/settings/top_k/reset/" in check_page(alice_client.get(URL))

    response = alice_client.post("/memory/settings/top_k/reset/", follow=True)

    kept = preferences_of(as_alice.id)
    assert (kept.top_k, kept.window_size) == (5, 10)
    html = check_page(response)
    assert "“Drawers for a reply, at most” is as at the beginning again." in html
    assert "/memory/settings/top_k/reset/" not in html


def undo_in(html: str) -> str:
    (address,) = re.findall(r'action="(/memory/settings/changes/[^"]+)"', html)
    return address


def test_saved_settings_are_taken_back_from_their_toast(alice_client: Client, as_alice: User):
    page = check_page(alice_client.post(URL, choices(as_alice, top_k=9), follow=True))
    for _ in range(2):
        back = check_page(alice_client.post(undo_in(page), follow=True))
        assert "Taken back. Your settings are as before." in back
        assert preferences_of(as_alice.id).top_k == 5


def test_a_reset_is_taken_back_too(alice_client: Client, as_alice: User):
    alice_client.post(URL, choices(as_alice, top_k=9), follow=True)
    page = check_page(alice_client.post("/memory/settings/top_k/reset/", follow=True))
    alice_client.post(undo_in(page))
    assert preferences_of(as_alice.id).top_k == 9


def test_what_was_chosen_anew_is_told(alice_client: Client, as_alice: User):
    page = check_page(alice_client.post(URL, choices(as_alice, top_k=9), follow=True))
    alice_client.post(URL, choices(as_alice, top_k=11), follow=True)
    back = check_page(alice_client.post(undo_in(page), follow=True))
    assert "You chose anew since, so this stays: Drawers for a reply, at most." in back
    assert "Taken back" not in back


def test_the_activity_offers_the_same(alice_client: Client, as_alice: User):
    alice_client.post(URL, choices(as_alice, top_k=9), follow=True)
    page = check_page(alice_client.get("/memory/activity/"))
    assert "Drawers for a reply, at most" in page
    assert "top_k" not in page
    alice_client.post(undo_in(page))
    assert preferences_of(as_alice.id).top_k == 5


@pytest.mark.parametrize(
    ("name", "method", "status"),
    [("user", "post", 404), ("nothing", "post", 404), ("top_k", "get", 405)],
)
def test_nothing_else_can_be_put_back(alice_client: Client, name: str, method: str, status: int):
    answer = getattr(alice_client, method)(f"/memory/settings/{name}/reset/")
    assert answer.status_code == status


def test_the_example_follows_the_form_and_keeps_nothing(
    alice_client: Client, as_alice: User, bread: list[Drawer]
):
    recorded_recall(as_alice, bread[0].content)

    def shown(**changed: object) -> str:
        sent = choices(as_alice, **changed)
        answer = alice_client.get(f"{URL}example/", sent, headers={"HX-Request": "true"})
        return check_fragment(answer)

    assert "0 drawers would go along" not in shown(similarity_floor=0)
    assert shown(similarity_floor=0, top_k=1).count("<li") < shown(similarity_floor=0).count("<li")
    refused = shown(top_k=99)
    assert "Drawers for a reply, at most" in refused
    assert "At most 20." in refused
    assert not MemoryPreferences.objects.filter(user_id=as_alice.id).exists()


def test_the_example_is_a_part_of_the_page(alice_client: Client):
    assert alice_client.get(f"{URL}example/")["Location"] == URL
    empty = alice_client.get(f"{URL}example/", headers={"HX-Request": "true"})
    assert "out of bounds" in check_fragment(empty)
