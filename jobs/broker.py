"""The queue of background jobs: the database by default, or Redis if configured.

Messages carry ids only. The database, not the queue, knows what is left to do, so a failed job becomes a dead
letter and is not retried from here. Users are served in turn (`Turns`).
"""

import threading
import time
from contextlib import suppress
from itertools import takewhile
from typing import Any, cast

import dramatiq
import redis
import structlog
from django.conf import settings
from django.utils.module_loading import import_string
from dramatiq import Broker, Message
from dramatiq.broker import MessageProxy
from dramatiq.brokers.redis import RedisBroker
from dramatiq.brokers.stub import StubBroker
from dramatiq.common import current_millis
from dramatiq.middleware import Middleware, Shutdown, SkipMessage
from dramatiq_postgres.django.middleware import DbConnectionsMiddleware

RETRY_DELAY_MS = 1000
CONNECT_TIMEOUT_S = 2
RESPONSE_TIMEOUT_S = 5
MAINTENANCE_CHANCE = 100_000
log = structlog.get_logger("palace.jobs")


class JobContext(Middleware):
    """Adds the job's id and actor to its log lines, and logs how each job ended."""

    def __init__(self) -> None:
        self._thread = threading.local()

    def before_process_message(self, broker: Broker, message: MessageProxy) -> None:
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(job_id=message.message_id, job=message.actor_name)
        self._thread.began = time.monotonic()

    def after_process_message(
        self,
        broker: Broker,
        message: MessageProxy,
        *,
        result: Any = None,
        exception: BaseException | None = None,
    ) -> None:
        milliseconds = round((time.monotonic() - self._thread.began) * 1000)
        log.info("done" if exception is None else "failed", ms=milliseconds)
        structlog.contextvars.clear_contextvars()

    def after_skip_message(self, broker: Broker, message: MessageProxy) -> None:
        structlog.contextvars.clear_contextvars()


class DeadLetters(Middleware):
    """Turns a failed message into a dead letter with the type of its error, never the error's message.

    A job interrupted by the shutdown of its worker is queued again.
    """

    def after_process_message(
        self,
        broker: Broker,
        message: MessageProxy,
        *,
        result: Any = None,
        exception: BaseException | None = None,
    ) -> None:
        """Queue the message again or make it a dead letter."""
        if isinstance(exception, Shutdown):
            broker.enqueue(cast(Message[Any], message), delay=RETRY_DELAY_MS)
        elif exception is not None:
            message.options["error"] = type(exception).__qualname__
            message.fail()
            if isinstance(broker, TolerantRedisBroker):
                broker.store_again(message)


class TolerantRedisBroker(RedisBroker):
    """A Redis queue that tolerates outages.

    If `drop_on_failure` is set, a message that cannot be queued is logged and dropped: the request itself has
    succeeded, and the next sweep finds the work again.
    """

    drop_on_failure = False

    def enqueue(self, message: Message[Any], *, delay: int | None = None) -> Message[Any]:
        """Queue the message. Raises RedisError if that fails and `drop_on_failure` is not set."""
        try:
            queued: Message[Any] = super().enqueue(message, delay=delay)
        except redis.RedisError:
            if not self.drop_on_failure:
                raise
            log.warning("job not queued", job=message.actor_name, exc_info=True)
            return message
        return queued

    def store_again(self, message: MessageProxy) -> None:
        """Store the options of a message being processed: Redis keeps it as it was queued."""
        stored = f"{self.namespace}:{message.queue_name}.msgs"
        key = message.options["redis_message_id"]
        with suppress(redis.RedisError):  # the consumer notices, too
            if self.client.hexists(stored, key):
                self.client.hset(stored, key, cast(Message[Any], message).encode())


def install_broker() -> None:
    """Install the broker named in the settings.

    The Django app of `dramatiq_postgres` has already installed its own.
    """
    if settings.QUEUE == "redis":
        dramatiq.set_broker(redis_broker(settings.REDIS_URL))
    elif settings.QUEUE == "memory":
        dramatiq.set_broker(StubBroker(middleware=_middleware()))


def ignore_unreachable_queue() -> None:
    """Let requests of this process succeed while the queue is unreachable."""
    broker = dramatiq.get_broker()
    if isinstance(broker, TolerantRedisBroker):
        broker.drop_on_failure = True


def redis_broker(url: str) -> Broker:
    """A broker on Redis that also closes stale PostgreSQL connections around each job."""
    client = redis.Redis.from_url(
        url, socket_connect_timeout=CONNECT_TIMEOUT_S, socket_timeout=RESPONSE_TIMEOUT_S
    )
    return TolerantRedisBroker(  # type: ignore[no-untyped-call]
        client=client,
        middleware=_middleware(),
        heartbeat_timeout=settings.HEARTBEAT_TTL_S * 1000,
        maintenance_chance=MAINTENANCE_CHANCE,
    )


def _middleware() -> list[Middleware]:
    instances = [import_string(path)() for path in settings.DRAMATIQ_BROKER["MIDDLEWARE"]]
    return [*instances, DbConnectionsMiddleware()]


REQUEUED_WITHIN_MS = 10_000
MAX_TRACKED = 10_000

_Work = tuple[str, tuple[Any, ...]]


class Turns(Middleware):
    """Gives each user one place in the queue per job, and at most half of the threads.

    Applies to actors declared with `for_user=True`, whose first argument is a user's id and which read from
    the database what there is to do. A message that was queued before the same job last began is dropped:
    that job saw its work too, and queues itself again if some is left. One that arrives while the job runs,
    or while its user has enough threads, is queued again with a delay, and further ones like it are dropped.
    However often work is requested, a user thus has one turn per round.

    A model may take minutes to answer, so jobs declared with `asks_model=True` leave a thread free for
    other jobs, if the worker has more than one. Those that wait for such a job to end start in the order they
    arrived.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._started_at: dict[_Work, int] = {}
        self._running: dict[str, _Work] = {}
        self._waiting: dict[_Work, tuple[str, int]] = {}

    @property
    def actor_options(self) -> set[str]:
        """What marks an actor that works for one user, and one that may wait for a model."""
        return {"for_user", "asks_model"}

    def before_process_message(self, broker: Broker, message: MessageProxy) -> None:
        """Let the job begin, or raise SkipMessage."""
        if not broker.get_actor(message.actor_name).options.get("for_user"):
            return
        work = message.actor_name, tuple(message.args)
        with self._lock:
            if self._is_redundant(work, message):
                raise SkipMessage
            must_wait = self._must_wait(work) or self._waits_for_models(broker, work)
            if must_wait:
                self._waiting[work] = message.message_id, current_millis() + REQUEUED_WITHIN_MS
            else:
                self._start(work, message)
        if must_wait:
            broker.enqueue(cast(Message[Any], message), delay=RETRY_DELAY_MS)
            raise SkipMessage

    def after_process_message(self, broker: Broker, message: MessageProxy, **_: Any) -> None:
        """Free the thread for the user's other jobs."""
        with self._lock:
            self._running.pop(message.message_id, None)

    def _is_redundant(self, work: _Work, message: MessageProxy) -> bool:
        """Whether another message does the work of this one."""
        aside, expected = self._waiting.get(work, (message.message_id, 0))
        waits_already = aside != message.message_id and current_millis() < expected
        return waits_already or message.message_timestamp < self._started_at.get(work, 0)

    def _must_wait(self, work: _Work) -> bool:
        busy = sum(args[0] == work[1][0] for _, args in self._running.values())
        return work in self._running.values() or busy >= max(1, settings.WORKER_THREADS // 2)

    def _waits_for_models(self, broker: Broker, work: _Work) -> bool:
        """Whether running model jobs, and those ahead of this one, take all the threads they may."""

        def asks_model(other: _Work) -> bool:
            return bool(broker.get_actor(other[0]).options.get("asks_model"))

        first = takewhile(lambda other: other != work, self._waiting)
        come_first = (
            other
            for other in first
            if asks_model(other) and current_millis() < self._waiting[other][1] and not self._must_wait(other)
        )
        taken = sum(1 for _ in come_first) + sum(map(asks_model, self._running.values()))
        return asks_model(work) and taken >= max(1, settings.WORKER_THREADS - 1)

    def _start(self, work: _Work, message: MessageProxy) -> None:
        if len(self._started_at) >= MAX_TRACKED:
            self._started_at.clear()
        self._started_at[work] = current_millis()
        self._running[message.message_id] = work
        self._waiting.pop(work, None)
