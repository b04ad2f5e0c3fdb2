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
PAGE = "/chat/models/"


@pytest.fixture
def openai_server(embedder):
    with OpenAIServer() as running:
        yield running


@pytest.fixture
def connected(carol, client, openai_server):
    """Carol, who is staff, with an endpoint on this machine."""
    client.force_login(carol)
    answer = client.post(PAGE, {"base_url": f"{openai_server.base_url}/", "key": KEY})
    assert (answer.status_code, answer.headers["Location"]) == (302, PAGE)
    return carol


def test_key_is_stored_encrypted_and_never_shown(connected, client, openai_server, caplog):
    assert openai_server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    html = check_page(client.get(PAGE))
    assert (openai_server.base_url in html, "test-model" in html, KEY in html) == (True, True, False)
    assert KEY not in caplog.text
    with tenant(connected.id):
        endpoint = ModelEndpoint.objects.get(user_id=connected.id)
        assert decrypted_key(endpoint) == KEY
        assert KEY.encode() not in bytes(endpoint.secret)


def test_endpoint_is_used_only_for_its_owner(connected, alice, openai_server):
    with tenant(connected.id):
        assert current.configuration().base_url == openai_server.base_url
        assert current.chat().models()
    with tenant(alice.id):
        assert not ModelEndpoint.objects.exists()
        assert current.configuration() == current.site_configuration()


def test_choosing_models_and_removing_the_endpoint(connected, client):
    client.post("/chat/models/choose/", {"chat_model": "test-model", "mining_model": "test-model"})
    with tenant(connected.id):
        assert preferences_of(connected.id).extraction_model == "test-model"
    client.post("/chat/models/choose/", {"chat_model": "made-up"})
    client.post("/chat/models/test/")
    with tenant(connected.id):
        assert ModelEndpoint.objects.get(user_id=connected.id).chat_model == "test-model"
    client.post("/chat/models/remove/")
    with tenant(connected.id):
        assert not ModelEndpoint.objects.exists()
        assert preferences_of(connected.id).extraction_model == ""
        assert current.configuration() == current.site_configuration()


def test_each_change_of_the_endpoint_is_an_activity_event_without_its_key(connected, client, openai_server):
    host = openai_server.base_url.removeprefix("http://").partition("/")[0]
    client.post("/chat/models/test/")
    client.post(PAGE, {"base_url": openai_server.base_url, "key": "sk-plover-another"})
    with tenant(connected.id):
        ModelEndpoint.objects.update(offered={"test-model": None, "other": None})
    for _ in range(2):
        client.post("/chat/models/choose/", {"chat_model": "other", "mining_model": ""})
    for _ in range(2):
        client.post("/chat/models/remove/")
    with tenant(connected.id):
        events = ActivityEvent.objects.filter(kind="endpoint_changed").order_by("id")
        details = list(events.values_list("details", flat=True))
    changes = [
        ("connected", "test-model"),
        ("changed", "test-model"),
        ("changed", "other"),
        ("removed", "other"),
    ]
    assert details == [{"change": change, "host": host, "model": model} for change, model in changes]
    html = check_page(client.get("/memory/activity/"))
    assert html.count(host) == len(details)
    assert "sk-plover" not in html


@pytest.mark.parametrize("path", ["/chat/models/test/", PAGE])
@pytest.mark.parametrize(
    ("meanwhile", "kept"),
    [("/chat/models/remove/", []), ("/chat/models/choose/", [{"test-model": 8_000}])],
)
def test_what_its_owner_changes_during_a_test_stays(
    connected, client, openai_server, monkeypatch, path, meanwhile, kept
):
    def list_slowly(configuration, named):
        client.post(meanwhile, chosen)
        return {"test-model": None, "new": None}

    chosen = {"chat_model": "test-model", "window_model": "test-model", "window": "8000"}
    monkeypatch.setattr("chat.endpoints._list_models", list_slowly)
    answer = client.post(path, {"base_url": openai_server.base_url, "key": "sk-plover-new"}, follow=True)
    assert "changed or removed during the test" in answer.content.decode()
    with tenant(connected.id):
        endpoints = ModelEndpoint.objects.all()
        assert [each.offered for each in endpoints] == [each.entered_windows for each in endpoints] == kept
        assert {decrypted_key(each) for each in endpoints} <= {KEY}


def test_key_is_not_sent_to_another_url(connected, client):
    with OpenAIServer() as elsewhere:
        client.post(PAGE, {"base_url": elsewhere.base_url, "key": ""})
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
    connected, client, openai_server, behaviour, words
):
    with tenant(connected.id):
        ModelEndpoint.objects.update(chat_model="")
    openai_server.script(behaviour)
    html = check_page(client.post(PAGE, {"base_url": openai_server.base_url, "key": "other"}), 422)
    assert words in html
    with tenant(connected.id):
        assert decrypted_key(ModelEndpoint.objects.get(user_id=connected.id)) == KEY


@pytest.mark.parametrize(
    ("status", "given", "words"),
    [
        (401, {}, "does not accept the key (401)"),
        (404, {"model": "test-model"}, "does not know the model or the URL (404)"),
        (404, {}, None),
        (500, {"model": "test-model"}, None),
    ],
)
def test_connecting_asks_the_model_for_a_few_words(carol, client, openai_server, status, given, words):
    client.force_login(carol)
    openai_server.script(Behaviour("chat", status=status))
    answer = client.post(PAGE, {"base_url": openai_server.base_url, "key": "other", **given})
    assert answer.status_code == (422 if words else 302)
    assert words is None or words in answer.content.decode()
    (asked,) = openai_server.received("chat")
    assert (asked.body["model"], asked.body["max_tokens"]) == ("test-model", 16)


def test_endpoint_without_a_list_of_models_is_connected_by_the_name_of_a_model(carol, client, openai_server):
    client.force_login(carol)
    openai_server.script(*[Behaviour("models", status=404)] * 4)
    form = {"base_url": openai_server.base_url, "key": KEY}
    assert "enter the name of a model" in check_page(client.post(PAGE, form), 422)
    assert client.post(PAGE, form | {"model": "only-one"}).status_code == 302
    assert "It offers 1 model" in client.post("/chat/models/test/", follow=True).content.decode()
    with tenant(carol.id):
        endpoint = ModelEndpoint.objects.get()
        assert (endpoint.offered, endpoint.chat_model) == ({"only-one": None}, "only-one")
    openai_server.script(Behaviour("chat", status=404))
    page = client.post("/chat/models/test/", follow=True).content.decode()
    assert "does not know the model or the URL (404)" in page
    assert "It offers" not in page


def test_embedding_models_are_not_offered_for_replies(carol, client, openai_server):
    client.force_login(carol)
    names = ("text-embedding-3-small", "BAAI/bge-m3", "nomic-embed-text", "bge-small", "poet-1")
    openai_server.script(Behaviour("models", body={"data": [{"id": name} for name in names]}))
    client.post(PAGE, {"base_url": openai_server.base_url, "key": KEY})
    with tenant(carol.id):
        assert ModelEndpoint.objects.get().offered == {"poet-1": None}


def test_named_model_has_to_be_in_the_list_of_the_endpoint(carol, client, openai_server):
    client.force_login(carol)
    listed = Behaviour("models", body={"data": [{"id": "poet-1"}, {"id": "embed-and-chat"}]})
    openai_server.script(listed, listed)
    form = {"base_url": openai_server.base_url, "key": KEY}
    assert "does not list “poet-2”" in check_page(client.post(PAGE, form | {"model": "poet-2"}), 422)
    assert client.post(PAGE, form | {"model": "embed-and-chat"}).status_code == 302
    with tenant(carol.id):
        assert ModelEndpoint.objects.get().chat_model == "embed-and-chat"


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
    with tenant(alice.id):
        assert not ModelEndpoint.objects.exists()


def test_private_networks_are_checked_on_every_connection(connected, openai_server):
    """For example after a change of DNS, a redirect, or the loss of staff status."""
    before = len(openai_server.requests)
    with tenant(connected.id):
        endpoint = ModelEndpoint.objects.select_related("user").get(user_id=connected.id)
    endpoint.user.is_staff = False
    with pytest.raises(ModelUnavailable):
        OpenAIGateway(configuration_of(endpoint, current.site_configuration())).models()
    assert len(openai_server.requests) == before


def test_undecryptable_key_counts_as_missing(connected, client, settings):
    with tenant(connected.id):
        endpoint = ModelEndpoint.objects.get(user_id=connected.id)
    settings.SECRET_KEY = "another"
    assert decrypted_key(endpoint) == ""


def test_message_longer_than_the_context_window_is_detected(connected):
    with tenant(connected.id):
        conversation = start(connected.id, Choices(), timezone.now())
        ModelEndpoint.objects.filter(user_id=connected.id).update(offered={"test-model": 8_000})
        assert not exceeds_window(conversation, "word " * 5_000)
        assert exceeds_window(conversation, "word " * 7_000)


def test_owner_enters_a_context_window_that_the_endpoint_does_not_state(connected, client):
    assert "If you leave it empty, Palace does not know the size" in check_page(client.get(PAGE))
    with tenant(connected.id):
        conversation = start(connected.id, Choices(), timezone.now())
        assert not exceeds_window(conversation, "word " * 7_000)
    chosen = {"chat_model": "test-model", "mining_model": "", "window_model": "test-model"}
    html = check_page(client.post("/chat/models/choose/", chosen | {"window": "12"}), 422)
    assert "greater than or equal to 500" in html
    client.post("/chat/models/choose/", chosen | {"window": "8000"})
    client.post("/chat/models/test/")
    assert 'value="8000"' in check_page(client.get(PAGE))
    with tenant(connected.id):
        assert exceeds_window(conversation, "word " * 7_000)
    client.post("/chat/models/choose/", chosen | {"window": ""})
    with tenant(connected.id):
        assert not exceeds_window(conversation, "word " * 7_000)


def test_endpoint_updates_the_windows_that_its_owner_did_not_enter(connected, client, monkeypatch):
    listed = {"large": 8_192, "small": 4_096}
    monkeypatch.setattr("chat.endpoints._list_models", lambda configuration, named: dict(listed))

    def offered(path="/chat/models/test/", **given):
        client.post(path, given)
        with tenant(connected.id):
            return ModelEndpoint.objects.get(user_id=connected.id).offered

    assert offered() == listed
    html = check_page(client.get(PAGE))
    assert 'name="window_model" value="large"' in html
    shown = {"path": "/chat/models/choose/", "chat_model": "large", "window_model": "large"}
    assert offered(**shown, window="8192") == listed
    listed |= {"large": 32_768, "small": 16_384}
    assert offered() == listed
    offered(**shown | {"chat_model": "small"}, window="32768")
    assert offered(**shown, window="20000") == listed | {"large": 20_000}, "a tab opened before"
    assert offered(**shown) == listed | {"large": 20_000}, "no window was sent"
    assert offered(**shown | {"window_model": ""}, window="9000") == listed | {"large": 20_000}
    assert offered(**shown | {"window_model": "gone"}, window="9000") == listed | {"large": 20_000}
    listed["large"] = 65_536
    assert offered() == listed | {"large": 20_000}
    assert offered(**shown, window="") == listed | {"large": None}
    assert offered() == listed
    offered(**shown, window="20000")
    client.post(PAGE, {"base_url": "http://127.0.0.1:9/v1", "key": ""})
    assert offered() == listed, "another endpoint"
