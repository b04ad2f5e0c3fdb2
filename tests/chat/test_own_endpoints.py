"""A user's own model endpoint: set-up in the browser, use for its owner only, and its key."""

import pytest
from django.utils import timezone

from accounts.tenancy import tenant
from chat.conversations import Choices, start
from chat.endpoints import configuration_of, decrypted_key, exceeds_window
from chat.models import ModelEndpoint
from llm import current
from llm.errors import ModelUnavailable
from llm.openai_gateway import OpenAIGateway
from memory.models import ActivityEvent
from memory.preferences import preferences_of
from tests.html import check_page
from tests.openai_server import Behaviour, OpenAIServer

KEY = "sk-plover-1234567890"
PAGE, CHOOSE, TEST = "/chat/models/", "/chat/models/choose/", "/chat/models/test/"
REMOVE = "/chat/models/remove/"


@pytest.fixture
def openai_server(embedder):
    with OpenAIServer() as running:
        yield running


@pytest.fixture
def connect(carol_client, openai_server):
    """Submits the form of Carol, who is staff, for an endpoint on this machine."""

    def submit(**given):
        return carol_client.post(PAGE, {"base_url": openai_server.base_url, "key": KEY} | given)

    return submit


@pytest.fixture
def connected(carol, connect, openai_server):
    """Carol, with the endpoint."""
    answer = connect(base_url=f"{openai_server.base_url}/")
    assert (answer.status_code, answer.headers["Location"]) == (302, PAGE)
    return carol


def endpoint_of(user):
    with tenant(user.id):
        return ModelEndpoint.objects.select_related("user").filter(user_id=user.id).first()


def test_key_is_stored_encrypted_and_never_shown(connected, carol_client, openai_server, settings, caplog):
    assert openai_server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    html = check_page(carol_client.get(PAGE))
    assert (openai_server.base_url in html, "test-model" in html, KEY in html) == (True, True, False)
    assert KEY not in caplog.text
    endpoint = endpoint_of(connected)
    assert decrypted_key(endpoint) == KEY
    assert KEY.encode() not in bytes(endpoint.secret)
    settings.SECRET_KEY = "another"
    assert decrypted_key(endpoint) == "", "it counts as missing"


def test_endpoint_is_used_only_for_its_owner(connected, alice, openai_server):
    with tenant(connected.id):
        assert current.configuration().base_url == openai_server.base_url
        assert current.chat().models()
    with tenant(alice.id):
        assert not ModelEndpoint.objects.exists()
        assert current.configuration() == current.site_configuration()


def test_models_are_chosen_and_each_change_is_an_activity_event_without_the_key(
    connected, carol_client, connect, openai_server
):
    def extraction_model():
        with tenant(connected.id):
            return preferences_of(connected.id).extraction_model

    carol_client.post(TEST)
    connect(key="sk-plover-another")
    carol_client.post(CHOOSE, {"chat_model": "test-model", "mining_model": "test-model"})
    carol_client.post(TEST)
    assert extraction_model() == "test-model"
    with tenant(connected.id):
        ModelEndpoint.objects.update(offered={"test-model": None, "other": None})
    for _ in range(2):
        carol_client.post(CHOOSE, {"chat_model": "other", "mining_model": ""})
    assert extraction_model() == ""
    carol_client.post(CHOOSE, {"chat_model": "other", "mining_model": "test-model"})
    carol_client.post(CHOOSE, {"chat_model": "made-up"})
    assert endpoint_of(connected).chat_model == "other"
    for _ in range(2):
        carol_client.post(REMOVE)
    assert (endpoint_of(connected), extraction_model()) == (None, "")
    with tenant(connected.id):
        assert current.configuration() == current.site_configuration()
        events = ActivityEvent.objects.filter(kind="endpoint_changed").order_by("id")
        details = list(events.values_list("details", flat=True))
    host = openai_server.base_url.removeprefix("http://").partition("/")[0]
    assert details == [
        {"change": change, "host": host, "model": model}
        for change, model in (
            ("connected", "test-model"),
            ("changed", "test-model"),
            ("changed", "other"),
            ("removed", "other"),
        )
    ]
    html = check_page(carol_client.get("/memory/activity/"))
    assert (html.count(host), "sk-plover" in html) == (len(details), False)


@pytest.mark.parametrize("path", [TEST, PAGE])
@pytest.mark.parametrize(("meanwhile", "kept"), [(REMOVE, []), (CHOOSE, [{"test-model": 8_000}])])
def test_what_its_owner_changes_during_a_test_stays(
    connected, carol_client, openai_server, monkeypatch, path, meanwhile, kept
):
    def list_slowly(configuration, named):
        carol_client.post(meanwhile, chosen)
        return {"test-model": None, "new": None}

    chosen = {"chat_model": "test-model", "window_model": "test-model", "window": "8000"}
    monkeypatch.setattr("chat.endpoints._list_models", list_slowly)
    form = {"base_url": openai_server.base_url, "key": "sk-plover-new"}
    answer = carol_client.post(path, form, follow=True)
    assert "changed or removed during the test" in answer.content.decode()
    with tenant(connected.id):
        endpoints = ModelEndpoint.objects.all()
        assert [each.offered for each in endpoints] == [each.entered_windows for each in endpoints] == kept
        assert {decrypted_key(each) for each in endpoints} <= {KEY}


def test_key_is_not_sent_to_another_url(connected, connect):
    with OpenAIServer() as elsewhere:
        connect(base_url=elsewhere.base_url, key="")
        assert KEY not in str(elsewhere.requests)
        assert elsewhere.requests


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (Behaviour(status=401), "does not accept the key"),
        (Behaviour(status=404), "ends in /v1"),
        (Behaviour(raw="<html>"), "ends in /v1"),
        (Behaviour(body={"data": []}), "offers no models"),
        (Behaviour(status=500), "failed (500)"),
    ],
)
def test_failing_endpoint_is_refused_and_the_current_one_kept(
    connected, connect, openai_server, behaviour, words
):
    with tenant(connected.id):
        ModelEndpoint.objects.update(chat_model="")
    openai_server.script(behaviour)
    assert words in check_page(connect(key="other"), 422)
    assert decrypted_key(endpoint_of(connected)) == KEY


@pytest.mark.parametrize(
    ("status", "given", "words"),
    [
        (401, {}, "does not accept the key (401)"),
        (404, {"model": "test-model"}, "does not know the model or the URL (404)"),
        (404, {}, None),
        (500, {"model": "test-model"}, None),
    ],
)
def test_connecting_asks_the_model_for_a_few_words(connect, openai_server, status, given, words):
    openai_server.script(Behaviour("chat", status=status))
    answer = connect(**given)
    assert answer.status_code == (422 if words else 302)
    assert words is None or words in answer.content.decode()
    (asked,) = openai_server.received("chat")
    assert (asked.body["model"], asked.body["max_tokens"]) == ("test-model", 16)


def test_endpoint_without_a_list_of_models_is_connected_by_the_name_of_a_model(
    carol, carol_client, connect, openai_server
):
    openai_server.script(*[Behaviour("models", status=404)] * 4)
    assert "enter the name of a model" in check_page(connect(), 422)
    assert connect(model="only-one").status_code == 302
    assert "It offers 1 model" in carol_client.post(TEST, follow=True).content.decode()
    endpoint = endpoint_of(carol)
    assert (endpoint.offered, endpoint.chat_model) == ({"only-one": None}, "only-one")
    openai_server.script(Behaviour("chat", status=404))
    page = carol_client.post(TEST, follow=True).content.decode()
    assert ("does not know the model or the URL (404)" in page, "It offers" in page) == (True, False)


def test_models_that_embed_are_not_offered_and_a_named_one_has_to_be_listed(carol, connect, openai_server):
    names = ("text-embedding-3-small", "BAAI/bge-m3", "nomic-embed-text", "bge-small", "poet-1")
    listed = [*names, "embed-and-chat"]
    openai_server.script(*[Behaviour("models", body={"data": [{"id": name} for name in listed]})] * 3)
    connect()
    assert endpoint_of(carol).offered == {"poet-1": None}
    assert "does not list “poet-2”" in check_page(connect(model="poet-2"), 422)
    assert connect(model="embed-and-chat").status_code == 302
    assert endpoint_of(carol).chat_model == "embed-and-chat"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:11434/v1", "must start with https://"),
        ("https://127.0.0.1/v1", "private network"),
        ("https://169.254.169.254/latest", "private network"),
        ("https://[::ffff:10.0.0.1]/v1", "private network"),
        ("https://me:secret@example.org/v1", "Leave the user name"),
        ("ftp://example.org", "Enter a complete URL"),
    ],
)
def test_only_staff_may_use_private_networks(alice, alice_client, url, words):
    assert words in check_page(alice_client.post(PAGE, {"base_url": url}), 422)
    assert endpoint_of(alice) is None


def test_private_networks_are_checked_on_every_connection(connected, openai_server):
    """For example after a change of DNS, a redirect, or the loss of staff status."""
    before = len(openai_server.requests)
    endpoint = endpoint_of(connected)
    endpoint.user.is_staff = False
    with pytest.raises(ModelUnavailable):
        OpenAIGateway(configuration_of(endpoint, current.site_configuration())).models()
    assert len(openai_server.requests) == before


def test_owner_enters_a_context_window_that_the_endpoint_does_not_state(connected, carol_client):
    def exceeds(words=7_000):
        with tenant(connected.id):
            return exceeds_window(start(connected.id, Choices(), timezone.now()), "word " * words)

    assert "If you leave it empty, Palace does not know the size" in check_page(carol_client.get(PAGE))
    assert not exceeds()
    chosen = {"chat_model": "test-model", "mining_model": "", "window_model": "test-model"}
    html = check_page(carol_client.post(CHOOSE, chosen | {"window": "12"}), 422)
    assert "greater than or equal to 500" in html
    carol_client.post(CHOOSE, chosen | {"window": "8000"})
    carol_client.post(TEST)
    assert 'value="8000"' in check_page(carol_client.get(PAGE))
    assert (exceeds(5_000), exceeds()) == (False, True)
    carol_client.post(CHOOSE, chosen | {"window": ""})
    assert not exceeds()


def test_endpoint_updates_the_windows_that_its_owner_did_not_enter(connected, carol_client, monkeypatch):
    listed = {"large": 8_192, "small": 4_096}
    monkeypatch.setattr("chat.endpoints._list_models", lambda configuration, named: dict(listed))

    def offered(path=TEST, **given):
        carol_client.post(path, given)
        return endpoint_of(connected).offered

    assert offered() == listed
    assert 'name="window_model" value="large"' in check_page(carol_client.get(PAGE))
    shown = {"path": CHOOSE, "chat_model": "large", "window_model": "large"}
    assert offered(**shown, window="8192") == listed
    listed |= {"large": 32_768, "small": 16_384}
    assert offered() == listed, "what was shown unchanged was not entered"
    offered(**shown | {"chat_model": "small"}, window="20000")
    for odd in ({}, {"window": "9000", "window_model": ""}, {"window": "9000", "window_model": "gone"}):
        assert offered(**shown | odd) == listed | {"large": 20_000}, odd
    listed["large"] = 65_536
    assert offered() == listed | {"large": 20_000}
    assert offered(**shown, window="") == listed | {"large": None}
    assert offered() == listed
    offered(**shown, window="20000")
    carol_client.post(PAGE, {"base_url": "http://127.0.0.1:9/v1", "key": ""})
    assert offered() == listed, "another endpoint"
