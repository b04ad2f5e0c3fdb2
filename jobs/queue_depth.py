"""The length of the job queue, whichever broker holds it."""

from dataclasses import dataclass
from typing import cast

import dramatiq
import psycopg
import redis
from django.conf import settings
from django.db import DatabaseError, connection
from dramatiq.brokers.redis import RedisBroker

READABLE_QUEUE = (
    "SELECT count(*) FILTER (WHERE state <> 'rejected'), "
    "count(*) FILTER (WHERE state = 'rejected') FROM dramatiq.queue"
)


@dataclass(frozen=True, slots=True)
class Depth:
    """Messages waiting or running, and dead letters."""

    waiting: int
    put_aside: int


def depth() -> Depth | None:
    """The length of the queue, or None if it is unreachable."""
    try:
        if settings.QUEUE == "redis":
            return _in_redis(cast(RedisBroker, dramatiq.get_broker()))
        if settings.QUEUE == "database":
            return _in_database()
    except (DatabaseError, psycopg.Error, redis.RedisError):
        return None
    return Depth(waiting=0, put_aside=0)


def _in_database() -> Depth:
    with connection.cursor() as cursor:
        cursor.execute(READABLE_QUEUE)
        waiting, put_aside = cursor.fetchone()
    return Depth(waiting=waiting, put_aside=put_aside)


def _in_redis(broker: RedisBroker) -> Depth:
    names = broker.get_declared_queues() | broker.get_declared_delay_queues()
    pipeline = broker.client.pipeline(transaction=False)
    for name in names:
        pipeline.llen(f"{broker.namespace}:{name}")
    for name in names:
        pipeline.zcard(f"{broker.namespace}:{name}.XQ")
    sizes = pipeline.execute()
    return Depth(waiting=sum(sizes[: len(names)]), put_aside=sum(sizes[len(names) :]))
