import re
from datetime import UTC, datetime

from django.forms import model_to_dict

from llm import current
from memory.models import ActivityEvent, MemoryPreferences
from memory.preferences import preferences_of
from tests.fake_gateway import FakeEmbedder
from tests.html import check_fragment, check_page
from tests.memory.recall.asking import traced

NOON = datetime(2024, 6, 3, 12, tzinfo=UTC)
URL = "/memory/settings/"
CHANGES = "/memory/undo/"


def choices(user, **changed):
    """The data that the form sends if only `changed` was changed."""
    kept = model_to_dict(preferences_of(user.id), exclude=["user"])
    sent = kept | changed
    return {name: value for name, value in sent.items() if value is not False and value is not None}


def test_settings_are_explained_saved_and_logged(alice_client, bob_client, as_alice):
    html = check_page(alice_client.get(URL))
    for field in MemoryPreferences._meta.fields:
        if field.name != "user":
            assert f'name="{field.name}"' in html
            assert f'id="id_{field.name}_helptext"' in html
    folded = "".join(re.findall("(?s)<details>(.*?)</details>", html))
    assert ('name="similarity_floor"' in folded, 'name="top_k"' in folded) == (True, False)
    alice_client.post(URL, choices(as_alice))
    assert not MemoryPreferences.objects.exists()
    assert not ActivityEvent.objects.exists()

    sent = choices(as_alice, top_k=17, use_rerank=True, time_zone="Asia/Tokyo", auto_mine=False)
    assert alice_client.post(URL, sent)["Location"] == URL
    kept = preferences_of(as_alice.id)
    assert (kept.top_k, kept.use_rerank, kept.auto_mine, kept.time_zone) == (17, True, False, "Asia/Tokyo")
    (event,) = ActivityEvent.objects.filter(user_id=as_alice.id)
    assert sorted(event.details["changed"]) == ["auto_mine", "time_zone", "top_k", "use_rerank"]
    assert 'value="17"' in check_page(alice_client.get(URL))
    assert 'value="17"' not in check_page(bob_client.get(URL))


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


def test_a_form_with_an_invalid_value_is_rejected_as_a_whole(alice_client, as_alice):
    for number in range(max(map(len, OUT_OF_BOUNDS.values()))):
        wrong = {name: values[number] for name, values in OUT_OF_BOUNDS.items() if number < len(values)}
        sent = choices(as_alice, use_rerank=True) | wrong
        html = check_page(alice_client.post(URL, sent), status=422)
        assert "Nothing was changed" in html
        assert set(re.findall(r'id="id_(\w+)_error"', html)) == wrong.keys()
        assert not MemoryPreferences.objects.exists()

    assert "<details open>" not in check_page(alice_client.get(URL))
    html = check_page(alice_client.post(URL, choices(as_alice, top_k=21, token_budget=99)), status=422)
    assert "<details open>" in html
    assert "At most 20." in html
    assert "At least 100." in html
    for name in ("top_k", "token_budget"):
        assert f'<a href="#id_{name}">' in html
    assert '<a href="#id_idle_minutes">' not in html


def test_a_new_embedding_model_reports_its_progress(alice_client, bread, as_alice):
    with current.using(other_embedders=[FakeEmbedder(name="other")]):
        html = check_page(alice_client.post(URL, choices(as_alice, embedding_model="other"), follow=True))
    assert "Until then, searches use the previous model" in html
    assert "The model other has read 0 of 3 drawers" in html
    assert "searches use fake-bag-of-words" in html
    assert "still being prepared" not in html
    assert preferences_of(as_alice.id).embedding_model == "other"


def test_a_missing_embedding_model_is_reported_and_can_be_replaced(alice_client, as_alice):
    MemoryPreferences.objects.create(user_id=as_alice.id, embedding_model="gone")
    assert "still found by their words" in check_page(alice_client.get(URL))
    alice_client.post(URL, choices(as_alice, embedding_model=""))
    assert preferences_of(as_alice.id).embedding_model == ""


def as_shown(client):
    """The data that a browser sends for the unchanged form."""
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


def test_saving_in_one_window_keeps_changes_of_another(alice_client, as_alice):
    first, second = as_shown(alice_client), as_shown(alice_client)
    del first["auto_mine"]
    alice_client.post(URL, first | {"top_k": "9"})
    alice_client.post(URL, second | {"idle_minutes": "7"})

    kept = preferences_of(as_alice.id)
    assert (kept.top_k, kept.auto_mine, kept.idle_minutes) == (9, False, 7)
    events = ActivityEvent.objects.filter(user_id=as_alice.id).order_by("at")
    assert [event.details["changed"] for event in events] == [["auto_mine", "top_k"], ["idle_minutes"]]


def test_a_single_setting_is_reset(alice_client, as_alice):
    reset = "/memory/settings/top_k/reset/"
    alice_client.post(URL, choices(as_alice, top_k=9, window_size=10))
    assert reset in check_page(alice_client.get(URL))
    html = check_page(alice_client.post(reset, follow=True))
    kept = preferences_of(as_alice.id)
    assert (kept.top_k, kept.window_size) == (10, 10)
    assert "“Drawers per reply” was reset to its default." in html
    assert reset not in html
    for name in ("user", "nothing"):
        assert alice_client.post(f"/memory/settings/{name}/reset/").status_code == 404


def test_the_example_follows_the_form_without_saving_it(alice_client, as_alice, bread):
    traced(as_alice, bread[0].content, now=NOON)

    def shown(**sent):
        return check_fragment(alice_client.get(f"{URL}example/", sent, headers={"HX-Request": "true"}))

    one, all_ = (shown(**choices(as_alice, similarity_floor=0, top_k=top_k)) for top_k in (1, 5))
    assert "0 drawers would be included" not in all_
    assert one.count("<li") < all_.count("<li")
    refused = shown(**choices(as_alice, top_k=99))
    assert "Drawers per reply" in refused
    assert "At most 20." in refused
    assert "out of range" in shown()
    assert not MemoryPreferences.objects.exists()
    assert alice_client.get(f"{URL}example/")["Location"] == URL
