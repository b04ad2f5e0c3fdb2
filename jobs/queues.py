"""The job queue, whichever broker holds it: its length, and the jobs that failed.

These are listed without their arguments, retried or discarded. Discarding loses no work: the next sweep
queues again whatever is still due.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

import dramatiq
import psycopg
import redis
from django.conf import settings
from django.db import DatabaseError, connection
from dramatiq import Message
from dramatiq.brokers.redis import RedisBroker

MAX_LISTED = 100
_NAME = re.compile(r"\w[\w.]{0,99}")

_DEPTH = """
SELECT count(*) FILTER (WHERE state <> 'rejected'), count(*) FILTER (WHERE state = 'rejected')
FROM dramatiq.queue
"""
_LIST = """
SELECT message_id::text, message ->> 'actor_name', message -> 'options' ->> 'error', mtime
FROM dramatiq.queue WHERE state = 'rejected' ORDER BY mtime DESC, message_id LIMIT %s
"""
_RETRY = """
UPDATE dramatiq.queue
SET state = 'queued', message = jsonb_set(message, '{options}', '{}'), worker_id = NULL, consumed_at = NULL,
  available_at = now(), mtime = now()
WHERE state = 'rejected' AND message_id = ANY(%s)
"""
_DISCARD = "DELETE FROM dramatiq.queue WHERE state = 'rejected' AND message_id = ANY(%s)"


@dataclass(frozen=True, slots=True)
class Depth:
    """Messages waiting or running, and dead letters."""

    waiting: int
    dead_letters: int


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A job that failed: its name, the type of its error (empty if unknown) and when."""

    id: str
    name: str
    error: str
    at: datetime


class QueueUnreachable(Exception):
    """The queue does not answer; the cause says why."""


def depth() -> Depth:
    """The length of the queue. Raises QueueUnreachable, or the error of a database that cannot start."""
    try:
        if settings.QUEUE == "redis":
            return _depth_in_redis(_redis())
        with connection.cursor() as cursor:
            cursor.execute(_DEPTH)
            return Depth(*cursor.fetchone())
    except (DatabaseError, psycopg.Error, redis.RedisError) as error:
        raise QueueUnreachable from error


def failed_jobs() -> tuple[FailedJob, ...]:
    """The latest failed jobs, at most 100. Raises DatabaseError or RedisError."""
    if settings.QUEUE == "redis":
        found = sorted(_failed_in_redis(_redis()), key=lambda job: job.at, reverse=True)
        return tuple(found[:MAX_LISTED])
    with connection.cursor() as cursor:
        cursor.execute(_LIST, [MAX_LISTED])
        rows = cursor.fetchall()
    return tuple(FailedJob(key, _name(job), _name(error), at) for key, job, error, at in rows)


def retry(ids: Collection[str]) -> int:
    """Queue these failed jobs again, with a full number of attempts; returns how many there were."""
    if settings.QUEUE != "redis":
        return _execute(_RETRY, ids)
    broker = _redis()
    count = 0
    for queue, key in _find_failed(broker, ids):
        stored = _client(broker).hget(f"{queue}.msgs", key)
        if stored is not None:
            broker.enqueue(replace(Message.decode(stored), options={}))
        count += _remove(broker, queue, key)
    return count


def discard(ids: Collection[str]) -> int:
    """Delete these failed jobs; returns how many there were."""
    if settings.QUEUE != "redis":
        return _execute(_DISCARD, ids)
    broker = _redis()
    return sum(_remove(broker, queue, key) for queue, key in _find_failed(broker, ids))


def _execute(statement: str, ids: Collection[str]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, [list(_uuids(ids))])
        return int(cursor.rowcount)


def _uuids(ids: Collection[str]) -> Iterator[UUID]:
    for key in ids:
        try:
            yield UUID(key)
        except ValueError:
            continue


def _redis() -> RedisBroker:
    return cast(RedisBroker, dramatiq.get_broker())


def _client(broker: RedisBroker) -> Any:
    """The client as `Any`: its commands are typed as possibly asynchronous."""
    return broker.client


def _depth_in_redis(broker: RedisBroker) -> Depth:
    names = broker.get_declared_queues() | broker.get_declared_delay_queues()
    pipeline = _client(broker).pipeline(transaction=False)
    for name in names:
        pipeline.llen(f"{broker.namespace}:{name}").zcard(f"{broker.namespace}:{name}.XQ")
    sizes = pipeline.execute()
    return Depth(waiting=sum(sizes[::2]), dead_letters=sum(sizes[1::2]))


def _failed_in_redis(broker: RedisBroker) -> Iterator[FailedJob]:
    for queue in _dead_letter_queues(broker):
        for key, milliseconds in _client(broker).zrevrange(queue, 0, MAX_LISTED - 1, withscores=True):
            stored = _client(broker).hget(f"{queue}.msgs", key)
            if stored is not None:
                message: Message[Any] = Message.decode(stored)
                error = _name(message.options.get("error"))
                at = datetime.fromtimestamp(milliseconds / 1000, UTC)
                yield FailedJob(key.decode(), _name(message.actor_name), error, at)


def _dead_letter_queues(broker: RedisBroker) -> Iterator[str]:
    return (f"{broker.namespace}:{name}.XQ" for name in sorted(broker.get_declared_queues()))


def _find_failed(broker: RedisBroker, ids: Collection[str]) -> Iterator[tuple[str, str]]:
    """Each of these jobs that has failed, with its dead-letter queue."""
    for queue in _dead_letter_queues(broker):
        for key in ids:
            if _client(broker).zscore(queue, key) is not None:
                yield queue, key


def _remove(broker: RedisBroker, queue: str, key: str) -> int:
    pipeline = _client(broker).pipeline()
    removed, _ = pipeline.zrem(queue, key).hdel(f"{queue}.msgs", key).execute()
    return int(removed)


def _name(text: str | None) -> str:
    """The name of a job or an error; anything else is not shown."""
    return text if text and _NAME.fullmatch(text) else ""
