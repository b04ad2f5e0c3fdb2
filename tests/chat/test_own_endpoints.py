"""A user's own model endpoint: set up in the browser, used for their work only, its key kept."""

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
def there(embedder):
    with OpenAIServer() as running:
        yield running


@pytest.fixture
def connected(carol, client, there):
    """Carol, who is staff, with an endpoint on this machine."""
    client.force_login(carol)
    answer = client.post(PAGE, {"base_url": f"{there.base_url}/", "key": KEY})
    assert (answer.status_code, answer.headers["Location"]) == (302, PAGE)
    return carol


def test_the_key_is_stored_encrypted_and_never_shown(connected, client, there, caplog):
    assert there.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    html = check_page(client.get(PAGE))
    assert (there.base_url in html, "test-model" in html, KEY in html) == (True, True, False)
    assert KEY not in caplog.text
    with tenant(connected.id):
        endpoint = ModelEndpoint.objects.get(user_id=connected.id)
        assert decrypted_key(endpoint) == KEY
        assert KEY.encode() not in bytes(endpoint.secret)


def test_an_endpoint_serves_its_owner_only(connected, alice, there):
    with tenant(connected.id):
        assert current.configuration().base_url == there.base_url
        assert current.chat().models()
    with tenant(alice.id):
        assert not ModelEndpoint.objects.exists()
        assert current.configuration() == current.site_configuration()


def test_models_are_chosen_and_the_endpoint_removed(connected, client):
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


def test_every_change_of_the_endpoint_is_an_event_without_secrets(connected, client, there):
    host = there.base_url.removeprefix("http://").partition("/")[0]
    client.post("/chat/models/test/")
    client.post(PAGE, {"base_url": there.base_url, "key": "sk-plover-another"})
    with tenant(connected.id):
        ModelEndpoint.objects.update(offered={"test-model": None, "other": None})
    for _ in range(2):
        client.post("/chat/models/choose/", {"chat_model": "other", "mining_model": ""})
    for _ in range(2):
        client.post("/chat/models/remove/")
    with tenant(connected.id):
        events = ActivityEvent.objects.filter(kind="endpoint_changed").order_by("id")
        told = list(events.values_list("details", flat=True))
    changes = [
        ("connected", "test-model"),
        ("changed", "test-model"),
        ("changed", "other"),
        ("removed", "other"),
    ]
    assert told == [{"change": change, "host": host, "model": model} for change, model in changes]
    html = check_page(client.get("/memory/activity/"))
    assert html.count(host) == len(told)
    assert "sk-plover" not in html


def test_a_key_is_not_sent_to_another_address(connected, client):
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
def test_what_is_wrong_is_said_in_a_sentence_and_the_endpoint_in_use_stays(
    connected, client, there, behaviour, words
):
    there.script(behaviour)
    html = check_page(client.post(PAGE, {"base_url": there.base_url, "key": "other"}), 422)
    assert words in html
    with tenant(connected.id):
        assert decrypted_key(ModelEndpoint.objects.get(user_id=connected.id)) == KEY


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
def test_only_staff_reach_private_networks(alice, alice_client, url, words):
    assert words in check_page(alice_client.post(PAGE, {"base_url": url}), 422)
    with tenant(alice.id):
        assert not ModelEndpoint.objects.exists()


def test_every_connection_is_checked_and_not_only_the_form(connected, there):
    """Such as after a change of DNS, a redirect, or when somebody is staff no more."""
    before = len(there.requests)
    with tenant(connected.id):
        endpoint = ModelEndpoint.objects.select_related("user").get(user_id=connected.id)
    endpoint.user.is_staff = False
    with pytest.raises(ModelUnavailable):
        OpenAIGateway(configuration_of(endpoint, current.site_configuration())).models()
    assert len(there.requests) == before


def test_an_unreadable_key_is_asked_for_again(connected, client, settings):
    with tenant(connected.id):
        endpoint = ModelEndpoint.objects.get(user_id=connected.id)
    settings.SECRET_KEY = "another"
    assert decrypted_key(endpoint) == ""


def test_a_message_longer_than_the_window_is_noticed(connected):
    with tenant(connected.id):
        conversation = start(connected.id, Choices(), timezone.now())
        ModelEndpoint.objects.filter(user_id=connected.id).update(offered={"test-model": 8_000})
        assert not exceeds_window(conversation, "word " * 5_000)
        assert exceeds_window(conversation, "word " * 7_000)
