"""Delivery to a real receiver: signed, once, retried after failures, without user text."""

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta

import pytest

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
from api.webhooks.views import add_webhook, resume
from jobs.actors import deliver_webhooks
from jobs.sweep import sweep_webhooks
from llm import current
from memory.changes.activity import record
from memory.facts.review.decisions import reject
from memory.forgetting.requests import erase_now, forget
from memory.forgetting.scopes import ForgetRequest
from memory.forgetting.trash import undo
from memory.models import ActivityEvent
from tests.fake_gateway import FakeEmbedder
from tests.memory.palaces import Spot, file, learn

NOW = datetime(2024, 6, 1, 12, 0, tzinfo=UTC)
EVENTS = ["mined", "reviewed", "forgotten"]
SECRET_WORDS = "Minka sleeps in the piano"


@pytest.fixture
def webhook(as_alice, receiver):
    return add_webhook(as_alice.id, receiver.url + "hook?x=1", EVENTS, NOW)


@pytest.fixture
def drawers(as_alice):
    with current.using(embedder=FakeEmbedder()):
        yield file(as_alice.id, [SECRET_WORDS, "Rye takes a day."], Spot(wing="Home"))


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
    assert json.loads(body) == {
        "type": "memory.mined",
        "timestamp": NOW.isoformat(),
        "data": {
            "conversation_id": None,
            "reextracted": False,
            "counts": {
                "drawers": 2, "facts": 1, "relations": 0, "refused": 1, "for_review": 1,
            },
        },
    }  # fmt: skip


def test_event_committed_late_is_delivered(webhook, receiver):
    record_mining(webhook.user_id, NOW + timedelta(minutes=5))
    deliver(webhook.user_id, NOW + timedelta(minutes=6))
    record_mining(webhook.user_id, NOW + timedelta(minutes=1))
    deliver(webhook.user_id, NOW + timedelta(minutes=7))
    assert len(receiver.messages) == 2


def test_events_before_the_webhook_are_not_delivered(webhook, receiver):
    record_mining(webhook.user_id, NOW - timedelta(minutes=1))
    assert deliver(webhook.user_id) == 0


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


def test_only_selected_events_are_delivered(as_alice, receiver):
    add_webhook(as_alice.id, receiver.url, ["reviewed"], NOW)
    record_mining(as_alice.id)
    assert deliver(as_alice.id) == 0


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
    assert all(path == "/hook?x=1" for _, _, path in receiver.messages)  # no redirect is followed


def test_delivery_is_given_up_after_the_last_retry(webhook, receiver):
    receiver.statuses = [500] * 20
    event = record_mining(webhook.user_id)
    now = NOW
    for _ in range(len(RETRY_DELAYS) + 1):
        Webhook.objects.update(last_success_at=now)  # as if other deliveries succeed
        deliver(webhook.user_id, now)
        delivery = WebhookDelivery.objects.get(subject_id=event.id)
        now = delivery.next_at or now
    assert (delivery.next_at, delivery.delivered_at) == (None, None)
    assert delivery.attempts == len(RETRY_DELAYS) + 1


def test_webhook_is_paused_after_status_410(webhook, receiver):
    receiver.statuses = [410]
    record_mining(webhook.user_id)
    deliver(webhook.user_id)
    webhook.refresh_from_db()
    assert webhook.paused_because == Webhook.Reason.GONE
    record_mining(webhook.user_id, NOW + timedelta(minutes=1))
    assert deliver(webhook.user_id, NOW + timedelta(minutes=2)) == 0


def test_webhook_is_paused_after_two_days_of_failures(webhook, receiver):
    receiver.statuses = [500] * 20
    record_mining(webhook.user_id)
    now = NOW
    for _ in range(len(RETRY_DELAYS)):
        deliver(webhook.user_id, now)
        webhook.refresh_from_db()
        if webhook.paused_at:
            break
        now = WebhookDelivery.objects.get().next_at
    assert webhook.paused_because == Webhook.Reason.FAILING
    assert webhook.paused_at - NOW >= timedelta(days=2)
    resume(webhook, now)
    receiver.statuses = []
    assert deliver(webhook.user_id, now) == 1


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


def test_refused_connection_is_recorded(as_alice, receiver):
    webhook = add_webhook(as_alice.id, "http://127.0.0.1:9/", EVENTS, NOW)
    record_mining(as_alice.id)
    deliver(as_alice.id)
    delivery = WebhookDelivery.objects.get(webhook_id=webhook.id)
    assert (delivery.status, delivery.failure) == (0, "connection")


def test_slow_response_times_out(webhook, receiver, monkeypatch):
    monkeypatch.setattr(http, "TOTAL_S", 0.5)
    receiver.slow_s = 0.1
    record_mining(webhook.user_id)
    started = datetime.now(UTC)  # noqa: TID251
    deliver(webhook.user_id)
    assert datetime.now(UTC) - started < timedelta(seconds=4)  # noqa: TID251
    assert WebhookDelivery.objects.get().failure in {"connection", "timeout"}


def test_webhook_that_became_private_is_refused(webhook, receiver, settings):
    settings.WEBHOOKS_PRIVATE = False
    record_mining(webhook.user_id)
    deliver(webhook.user_id)
    assert WebhookDelivery.objects.get().failure == "refused"
    assert receiver.messages == []


def test_delivery_of_a_deleted_event_is_dropped(webhook, receiver):
    event = record_mining(webhook.user_id)
    enqueue_deliveries(webhook.user_id, NOW)
    event.delete()
    deliver(webhook.user_id)
    assert receiver.messages == []
    assert WebhookDelivery.objects.get().next_at is None


def test_pending_delivery_is_sent_after_resuming(webhook, receiver):
    record_mining(webhook.user_id)
    enqueue_deliveries(webhook.user_id, NOW)
    webhook.paused_at = NOW
    webhook.save()
    assert not enqueue_deliveries(webhook.user_id, NOW)
    record_mining(webhook.user_id, NOW + timedelta(minutes=1))
    later = NOW + timedelta(minutes=2)
    assert deliver(webhook.user_id, later) == 0
    resume(webhook, later)
    assert deliver(webhook.user_id, later) == 1


def test_test_message_is_sent_immediately(webhook, receiver):
    for _ in range(2):
        send_test(webhook, NOW)
        assert deliver_next(webhook.user_id, NOW)
    assert [each["type"] for each in bodies(receiver)] == ["memory.test", "memory.test"]


def test_old_deliveries_are_removed(webhook, receiver):
    record_mining(webhook.user_id)
    deliver(webhook.user_id)
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
