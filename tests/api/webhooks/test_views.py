"""The pages of webhooks."""

import pytest
from django.urls import reverse

from accounts.tenancy import tenant
from api.models import Webhook, WebhookDelivery
from api.webhooks.http import secret_of
from api.webhooks.views import MAX_WEBHOOKS, add_webhook
from tests.api.webhooks.test_delivery import NOW

pytestmark = pytest.mark.django_db
LIST = reverse("webhooks:webhooks")
URL = "http://127.0.0.1:9/hook"


@pytest.fixture(autouse=True)
def allowed(settings):
    settings.WEBHOOKS_PRIVATE = True


@pytest.fixture
def webhook(alice):
    with tenant(alice.id):
        return add_webhook(alice.id, URL, ["mined"], NOW)


def address(view, webhook):
    return reverse(f"webhooks:{view}", args=[webhook.id])


def test_webhook_can_be_added_and_is_shown_with_its_secret(alice, alice_client):
    page = alice_client.post(LIST, {"url": URL, "events": ["mined", "forgotten"]}, follow=True)
    with tenant(alice.id):
        made = Webhook.objects.get(user_id=alice.id)
    assert page.redirect_chain == [(address("webhook", made), 302)]
    assert made.events == ["mined", "forgotten"]
    assert secret_of(made).replace("+", "&#x2B;") in page.content.decode() or (
        secret_of(made) in page.content.decode()
    )
    assert "no-store" in page.headers["Cache-Control"]
    assert URL in alice_client.get(LIST).content.decode()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"url": "nonsense", "events": ["mined"]}, "Enter a complete URL"),
        ({"url": URL}, "Choose at least one event"),
        ({"url": URL, "events": ["gossip"]}, "Select a valid choice"),
        ({"url": "https://no-such-host.invalid/", "events": ["mined"]}, "There is no such host"),
    ],
)
def test_invalid_webhook_is_refused(alice, alice_client, given, sentence):
    page = alice_client.post(LIST, given)
    assert page.status_code == 422
    assert sentence in page.content.decode()
    with tenant(alice.id):
        assert not Webhook.objects.filter(user_id=alice.id).exists()


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://93.184.216.34/", "must start with https"),
        ("https://127.0.0.1/", "private network"),
        ("https://[::1]/", "private network"),
        ("https://a:b@93.184.216.34/", "user name or password"),
        ("file:///etc/passwd", "complete URL"),
    ],
)
def test_private_addresses_are_refused_unless_allowed(alice_client, settings, url, sentence):
    settings.WEBHOOKS_PRIVATE = False
    page = alice_client.post(LIST, {"url": url, "events": ["mined"]})
    assert sentence in page.content.decode()


def test_duplicate_and_too_many_webhooks_are_refused(alice, alice_client, webhook):
    again = alice_client.post(LIST, {"url": URL, "events": ["mined"]})
    assert "already have a webhook" in again.content.decode()
    with tenant(alice.id):
        for number in range(MAX_WEBHOOKS - 1):
            add_webhook(alice.id, f"{URL}/{number}", ["mined"], NOW)
    more = alice_client.post(LIST, {"url": f"{URL}/more", "events": ["mined"]})
    assert "at most 10" in more.content.decode()


def test_paused_webhook_shows_the_reason_and_can_be_resumed(alice, alice_client, webhook):
    here = address("webhook", webhook)
    assert "Resume" not in alice_client.get(here).content.decode()
    with tenant(alice.id):
        Webhook.objects.update(paused_at=NOW, paused_because=Webhook.Reason.GONE)
    assert "gone for good" in alice_client.get(here).content.decode()
    alice_client.post(address("resume_webhook", webhook))
    with tenant(alice.id):
        webhook.refresh_from_db()
    assert webhook.paused_at is None


def test_test_message_can_be_sent(alice, alice_client, webhook):
    page = alice_client.post(address("try_webhook", webhook), follow=True)
    assert "Sending" in page.content.decode()
    with tenant(alice.id):
        assert WebhookDelivery.objects.get(user_id=alice.id).kind == "test"


def test_removing_needs_confirmation(alice, alice_client, webhook):
    assert URL in alice_client.get(address("remove_webhook", webhook)).content.decode()
    alice_client.post(address("try_webhook", webhook))
    alice_client.post(address("remove_webhook", webhook))
    with tenant(alice.id):
        assert not Webhook.objects.filter(user_id=alice.id).exists()
        assert not WebhookDelivery.objects.filter(user_id=alice.id).exists()
