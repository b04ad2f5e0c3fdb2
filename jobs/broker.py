"""The queue of background jobs: the database by default, or Redis if configured.

Messages carry ids only. The database, not the queue, knows what is left to do, so a failed job becomes a dead
letter and is not retried from here.
"""

import threading
import time
from contextlib import suppress
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
from dramatiq.middleware import Middleware, Shutdown
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
