"""A queue that is away, and the queue of the settings."""

import dramatiq
import pytest
import redis
from dramatiq import Message
from dramatiq.brokers.stub import StubBroker
from pytest_django import Settings

from jobs.broker import PatientRedisBroker, ignore_unreachable_queue, install_broker, redis_broker

NOWHERE = "redis://127.0.0.1:9/0"


@pytest.fixture
def away() -> PatientRedisBroker:
    """A broker whose Redis does not run."""
    broker = redis_broker(NOWHERE)
    assert isinstance(broker, PatientRedisBroker)
    broker.declare_queue("default")
    return broker


def message() -> Message[None]:
    return Message(queue_name="default", actor_name="mine", args=("id",), kwargs={}, options={})


def test_a_command_learns_that_the_queue_is_away(away: PatientRedisBroker) -> None:
    with pytest.raises(redis.ConnectionError):
        away.enqueue(message())


def test_a_request_does_not_fail_for_a_queue_that_is_away(
    away: PatientRedisBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dramatiq, "get_broker", lambda: away)
    ignore_unreachable_queue()
    sent = message()
    assert away.enqueue(sent) is sent


def test_the_settings_choose_the_queue(settings: Settings) -> None:
    before = dramatiq.get_broker()
    try:
        settings.QUEUE, settings.REDIS_URL = "redis", NOWHERE
        install_broker()
        assert isinstance(dramatiq.get_broker(), PatientRedisBroker)
        settings.QUEUE = "memory"
        install_broker()
        assert isinstance(dramatiq.get_broker(), StubBroker)
    finally:
        dramatiq.set_broker(before)
