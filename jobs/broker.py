"""The queue of background jobs: in the database by default, in Redis when one is given.

Messages carry ids only. The database, not the queue, knows what is left to do, so a failed job is
put aside and by default never tried again from here.
"""

import threading
import time
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

AGAIN_AFTER_MS = 1000
CONNECT_WITHIN_S = 2
ANSWER_WITHIN_S = 5
MAINTENANCE_IN_A_MILLION = 100_000
log = structlog.get_logger("palace.jobs")


class JobContext(Middleware):
    """Puts the job's id and actor on its log lines, and logs how each job ended."""

    def __init__(self) -> None:
        self._thread = threading.local()

    def before_process_message(self, broker: Broker, message: MessageProxy) -> None:
        """Start the context of a job in this thread."""
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
        """End the context of a job."""
        milliseconds = round((time.monotonic() - self._thread.began) * 1000)
        log.info("done" if exception is None else "failed", ms=milliseconds)
        structlog.contextvars.clear_contextvars()

    def after_skip_message(self, broker: Broker, message: MessageProxy) -> None:
        """End the context of a job that was skipped."""
        structlog.contextvars.clear_contextvars()


class DeadLetters(Middleware):
    """Puts a failed message aside with the type of its error, never with the error's words.

    An actor that sets `max_retries` is tried again before. A job that the shutdown of its worker
    cut off is queued again.
    """

    @property
    def actor_options(self) -> set[str]:
        """What an actor may say about its failures."""
        return {"max_retries"}

    def after_process_message(
        self,
        broker: Broker,
        message: MessageProxy,
        *,
        result: Any = None,
        exception: BaseException | None = None,
    ) -> None:
        """Decide what becomes of the message."""
        if exception is None:
            return
        if isinstance(exception, Shutdown):
            broker.enqueue(cast(Message[Any], message), delay=AGAIN_AFTER_MS)
            return
        attempts = message.options.get("retries", 0)
        if attempts < broker.get_actor(message.actor_name).options.get("max_retries", 0):
            message.options["retries"] = attempts + 1
            broker.enqueue(cast(Message[Any], message), delay=AGAIN_AFTER_MS * 4**attempts)
            return
        message.options["error"] = type(exception).__qualname__
        message.fail()


class PatientRedisBroker(RedisBroker):
    """A Redis queue that may be away for a while.

    Where `patient` is set, a message that cannot be queued is dropped with a line in the log: the
    person's request has done its work, and the next sweep finds what is left to do.
    """

    patient = False

    def enqueue(self, message: Message[Any], *, delay: int | None = None) -> Message[Any]:
        """Queue the message; raises RedisError when that cannot be done, unless patient."""
        try:
            queued: Message[Any] = super().enqueue(message, delay=delay)
        except redis.RedisError:
            if not self.patient:
                raise
            log.warning("job not queued", job=message.actor_name, exc_info=True)
            return message
        return queued


def install_broker() -> None:
    """Make the broker that the settings ask for the one that actors use.

    The Django app of `dramatiq_postgres` has installed its own already.
    """
    if settings.QUEUE == "redis":
        dramatiq.set_broker(redis_broker(settings.REDIS_URL))
    elif settings.QUEUE == "memory":
        dramatiq.set_broker(StubBroker(middleware=_middleware()))


def lose_rather_than_wait() -> None:
    """Let requests of this process succeed while the queue is away."""
    broker = dramatiq.get_broker()
    if isinstance(broker, PatientRedisBroker):
        broker.patient = True


def redis_broker(url: str) -> Broker:
    """A broker on Redis; connections to PostgreSQL are tidied around each job."""
    client = redis.Redis.from_url(
        url, socket_connect_timeout=CONNECT_WITHIN_S, socket_timeout=ANSWER_WITHIN_S
    )
    return PatientRedisBroker(  # type: ignore[no-untyped-call]
        client=client,
        middleware=_middleware(),
        heartbeat_timeout=settings.HEARTBEAT_TTL_S * 1000,
        maintenance_chance=MAINTENANCE_IN_A_MILLION,
    )


def _middleware() -> list[Middleware]:
    made = [import_string(path)() for path in settings.DRAMATIQ_BROKER["MIDDLEWARE"]]
    return [*made, DbConnectionsMiddleware()]
