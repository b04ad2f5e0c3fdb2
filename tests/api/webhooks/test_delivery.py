"""The pages of webhooks, and delivery to a real receiver: signed, once, retried, without user text."""

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.urls import reverse

from accounts.tenancy import tenant
from api.models import Webhook, WebhookDelivery
from api.webhooks import delivery as delivering
from api.webhooks import http
from api.webhooks.delivery import (
    RETRY_DELAYS,
    delete_old_deliveries,
    deliver_next,
    enqueue_deliveries,
    send_test,
)
from api.webhooks.http import secret_of
from api.webhooks.views import MAX_WEBHOOKS, add_webhook
from jobs.actors import deliver_webhooks
from jobs.sweep import sweep_webhooks
from memory.changes.activity import record
from memory.facts.review.decisions import reject
from memory.forgetting.requests import erase_now, forget
from memory.forgetting.scopes import ForgetRequest
from memory.forgetting.trash import undo
from memory.models import ActivityEvent
from tests.api.webhooks.receiver import Receiver
from tests.memory.palaces import Spot, file, learn

NOW = datetime(2024, 6, 1, 12, 0, tzinfo=UTC)
EVENTS = ["mined", "reviewed", "forgotten"]
SECRET_WORDS = "Minka sleeps in the piano"


@pytest.fixture
def receiver(settings):
    """A webhook receiver, on a site that allows private addresses."""
    settings.WEBHOOKS_PRIVATE = True
    with Receiver() as running:
        yield running


@pytest.fixture
def webhook(as_alice, receiver):
    return add_webhook(as_alice.id, receiver.url + "hook?x=1", EVENTS, NOW)


@pytest.fixture
def drawers(as_alice, embedder):
    return file(as_alice.id, [SECRET_WORDS, "Rye takes a day."], Spot(wing="Home"))


def record_mining(user_id, at=NOW, **more):
    details = {"drawers": ["a", "b"], "facts": ["c"], "relations": [], "for_review": 1}
    refused = [{"item": SECRET_WORDS, "reason": "it is a question"}]
    return record(user_id, ActivityEvent.Kind.MINED, details | {"refused": refused} | more, at)


def deliver(user_id, now=NOW):
    enqueue_deliveries(user_id, now)
    count = 0
    while deliver_next(user_id, now):
        count += 1
    return count


def bodies(receiver):
    return [json.loads(body) for _, body, _ in receiver.messages]


def test_message_is_signed_as_documented(webhook, receiver):
    record_mining(webhook.user_id)
    assert deliver(webhook.user_id) == 1
    ((headers, body, path),) = receiver.messages
    key = base64.b64decode(secret_of(webhook).removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    digest = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{digest}"
    assert headers["webhook-timestamp"] == str(int(NOW.timestamp()))
    assert (path, headers["content-type"]) == ("/hook?x=1", "application/json")
    counts = {"drawers": 2, "facts": 1, "relations": 0, "refused": 1, "for_review": 1}
    data = {"conversation_id": None, "reextracted": False, "counts": counts}
    assert json.loads(body) == {"type": "memory.mined", "timestamp": NOW.isoformat(), "data": data}


def test_selected_events_since_the_webhook_are_delivered_even_if_committed_late(webhook, receiver):
    add_webhook(webhook.user_id, f"{receiver.url}reviews", ["reviewed"], NOW)
    record_mining(webhook.user_id, NOW - timedelta(minutes=1))
    assert deliver(webhook.user_id) == 0
    record_mining(webhook.user_id, NOW + timedelta(minutes=5))
    deliver(webhook.user_id, NOW + timedelta(minutes=6))
    record_mining(webhook.user_id, NOW + timedelta(minutes=1))
    deliver(webhook.user_id, NOW + timedelta(minutes=7))
    assert [path for _, _, path in receiver.messages] == ["/hook?x=1"] * 2


def test_forgetting_sends_an_event_for_each_stage_without_user_text(webhook, receiver, drawers):
    user_id = webhook.user_id
    first = forget(user_id, ForgetRequest("drawer", object_id=drawers[0].id), NOW)
    deliver(user_id)
    undo(user_id, first.id, NOW + timedelta(minutes=1))
    again = forget(user_id, ForgetRequest("drawer", object_id=drawers[0].id), NOW + timedelta(minutes=2))
    erase_now(user_id, again.id, NOW + timedelta(minutes=3))
    deliver(user_id, NOW + timedelta(minutes=4))
    kinds = [each["type"] for each in bodies(receiver)]
    assert sorted(kinds) == ["memory.erased", "memory.forgotten", "memory.forgotten", "memory.restored"]
    (erased,) = [each["data"] for each in bodies(receiver) if each["type"] == "memory.erased"]
    assert (erased["receipt_id"], erased["scope"]) == (str(again.id), "drawer")
    assert (erased["counts"]["drawers"], erased["is_clean"]) == (1, True)
    for _, body, _ in receiver.messages:
        assert b"Minka" not in body
        assert b"piano" not in body


def test_review_decision_is_sent_with_the_ids_of_its_facts(webhook, receiver, drawers):
    fact = learn(drawers[0], "Minka sleeps", "Minka sleeps a lot.")
    reject(webhook.user_id, [fact.id], NOW)
    deliver(webhook.user_id)
    ((data),) = [each["data"] for each in bodies(receiver)]
    assert data == {"about": "fact", "ids": [str(fact.id)], "undone": False}


def test_failed_delivery_is_retried_with_growing_pauses(webhook, receiver):
    receiver.statuses = [500, 302, 404]
    event = record_mining(webhook.user_id)
    now = NOW
    for attempt, status in enumerate((500, 302, 404), start=1):
        assert deliver(webhook.user_id, now) == 1
        delivery = WebhookDelivery.objects.get(subject_id=event.id)
        assert (delivery.status, delivery.attempts) == (status, attempt)
        assert delivery.next_at == now + RETRY_DELAYS[attempt - 1]
        assert deliver(webhook.user_id, delivery.next_at - timedelta(seconds=1)) == 0
        now = delivery.next_at
    assert deliver(webhook.user_id, now) == 1
    delivery.refresh_from_db()
    assert (delivery.delivered_at, delivery.next_at) == (now, None)
    assert len({headers["webhook-id"] for headers, _, _ in receiver.messages}) == 1
    assert [path for _, _, path in receiver.messages if path != "/hook?x=1"] == []
    receiver.statuses = [500] * 20
    given_up = send_test(webhook, now)
    for delay in (*RETRY_DELAYS, None):
        assert deliver_next(webhook.user_id, now)
        given_up.refresh_from_db()
        assert given_up.next_at == (delay and now + delay)
        now = given_up.next_at or now
    assert (given_up.attempts, given_up.delivered_at) == (len(RETRY_DELAYS) + 1, None)


def test_delivery_of_a_killed_worker_is_repeated(webhook, receiver, monkeypatch):
    record_mining(webhook.user_id)
    enqueue_deliveries(webhook.user_id, NOW)

    class Killed(BaseException):
        pass

    def killed(*_):
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(delivering, "post", killed)
        with pytest.raises(Killed):
            deliver_next(webhook.user_id, NOW)
    assert not deliver_next(webhook.user_id, NOW + timedelta(minutes=1))
    assert deliver_next(webhook.user_id, NOW + timedelta(minutes=3))
    assert len(receiver.messages) == 1


def test_slow_response_times_out(webhook, receiver, monkeypatch):
    monkeypatch.setattr(http, "TOTAL_S", 0.5)
    receiver.slow_s = 0.1
    record_mining(webhook.user_id)
    started = datetime.now(UTC)  # noqa: TID251
    deliver(webhook.user_id)
    assert datetime.now(UTC) - started < timedelta(seconds=4)  # noqa: TID251
    assert WebhookDelivery.objects.get().failure in {"connection", "timeout"}


def test_unreachable_and_private_addresses_and_deleted_events_are_recorded(webhook, receiver, settings):
    elsewhere = add_webhook(webhook.user_id, "http://127.0.0.1:9/", EVENTS, NOW)
    event = record_mining(webhook.user_id)
    assert deliver(webhook.user_id) == 2
    failed = WebhookDelivery.objects.get(webhook_id=elsewhere.id)
    assert (failed.status, failed.failure) == (0, "connection")
    settings.WEBHOOKS_PRIVATE = False
    assert deliver(webhook.user_id, failed.next_at) == 1
    failed.refresh_from_db()
    assert failed.failure == "refused"
    event.delete()
    assert deliver(webhook.user_id, failed.next_at) == 1
    failed.refresh_from_db()
    assert failed.next_at is None
    assert len(receiver.messages) == 1


def test_test_message_is_sent_immediately_and_removed_after_a_month(webhook, receiver):
    for _ in range(2):
        send_test(webhook, NOW)
        assert deliver_next(webhook.user_id, NOW)
    assert [each["type"] for each in bodies(receiver)] == ["memory.test", "memory.test"]
    assert delete_old_deliveries(webhook.user_id, NOW + timedelta(days=29)) == 0
    assert delete_old_deliveries(webhook.user_id, NOW + timedelta(days=31)) == 1


@pytest.mark.django_db(transaction=True)
def test_sweep_queues_a_job_that_delivers(alice, bob, receiver, monkeypatch):
    sent = []
    monkeypatch.setattr(deliver_webhooks, "send", sent.append)
    with tenant(alice.id):
        add_webhook(alice.id, receiver.url, EVENTS, NOW)
        record_mining(alice.id)
    with tenant(bob.id):
        record_mining(bob.id)
    sweep_webhooks(NOW + timedelta(seconds=10))
    assert sent == [str(alice.id)]
    deliver_webhooks.fn(str(alice.id))
    assert len(receiver.messages) == 1
    sweep_webhooks(NOW + timedelta(seconds=20))
    assert sent == [str(alice.id)]


LIST = reverse("webhooks:webhooks")
URL = "http://127.0.0.1:9/hook"


def address(view, webhook):
    return reverse(f"webhooks:{view}", args=[webhook.id])


def test_webhook_can_be_added_and_is_shown_with_its_secret(as_alice, alice_client, settings):
    settings.WEBHOOKS_PRIVATE = True
    page = alice_client.post(LIST, {"url": URL, "events": ["mined", "forgotten"]}, follow=True)
    made = Webhook.objects.get()
    assert page.redirect_chain == [(address("webhook", made), 302)]
    assert made.events == ["mined", "forgotten"]
    assert secret_of(made) in unescape(page.content.decode())
    assert "no-store" in page.headers["Cache-Control"]
    assert URL in alice_client.get(LIST).content.decode()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"url": "nonsense"}, "Enter a complete URL"),
        ({"events": []}, "Choose at least one event"),
        ({"events": ["gossip"]}, "Select a valid choice"),
        ({"url": "https://no-such-host.invalid/"}, "There is no such host"),
        ({"url": "http://93.184.216.34/"}, "must start with https"),
        ({"url": "https://127.0.0.1/"}, "private network"),
        ({"url": "https://a:b@93.184.216.34/"}, "user name or password"),
    ],
)
def test_invalid_webhooks_and_private_addresses_are_refused(
    as_alice, alice_client, settings, given, sentence
):
    settings.WEBHOOKS_PRIVATE = "events" in given
    page = alice_client.post(LIST, {"url": URL, "events": ["mined"]} | given)
    assert page.status_code == 422
    assert sentence in page.content.decode()
    assert not Webhook.objects.exists()


def test_duplicate_and_too_many_webhooks_are_refused(alice_client, webhook):
    again = alice_client.post(LIST, {"url": webhook.url, "events": ["mined"]})
    assert "already have a webhook" in again.content.decode()
    for number in range(MAX_WEBHOOKS - 1):
        add_webhook(webhook.user_id, f"{URL}/{number}", ["mined"], NOW)
    more = alice_client.post(LIST, {"url": f"{URL}/more", "events": ["mined"]})
    assert "at most 10" in more.content.decode()


def test_webhook_is_tried_and_removed_after_confirmation(alice_client, webhook):
    page = alice_client.post(address("try_webhook", webhook), follow=True)
    assert "Sending" in page.content.decode()
    assert WebhookDelivery.objects.get().kind == "test"
    assert webhook.url in alice_client.get(address("remove_webhook", webhook)).content.decode()
    alice_client.post(address("remove_webhook", webhook))
    assert not Webhook.objects.exists()
    assert not WebhookDelivery.objects.exists()
