"""Fair queueing: users are served in turn, and none of them takes all threads of a worker."""

import threading
from itertools import takewhile
from typing import Any, cast

from django.conf import settings
from dramatiq import Broker, Message
from dramatiq.broker import MessageProxy
from dramatiq.common import current_millis
from dramatiq.middleware import Middleware, SkipMessage

REQUEUE_DELAY_MS = 1_000
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
            broker.enqueue(cast(Message[Any], message), delay=REQUEUE_DELAY_MS)
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
