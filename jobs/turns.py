"""Fair queueing: users are served in turn, and none of them takes all threads of a worker."""

import threading
from collections import Counter
from typing import Any, cast

from django.conf import settings
from dramatiq import Broker, Message
from dramatiq.broker import MessageProxy
from dramatiq.common import current_millis
from dramatiq.middleware import Middleware, SkipMessage

AGAIN_AFTER_MS = 1_000
MOST_REMEMBERED = 10_000

_Work = tuple[str, tuple[Any, ...]]


class Turns(Middleware):
    """Gives every user one place in the line for each of their jobs, and at most half of the threads.

    Applies to actors declared with `for_user=True`, whose first argument is a user's id and which read from
    the database what there is to do. A message that was queued before the same job last began is dropped:
    that job saw its work too, and queues itself again if some is left. However often work is asked for, a
    user thus has one turn a round.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began: dict[_Work, int] = {}
        self._busy: Counter[str] = Counter()
        self._counted: dict[str, str] = {}

    @property
    def actor_options(self) -> set[str]:
        """What marks an actor that works for one user."""
        return {"for_user"}

    def before_process_message(self, broker: Broker, message: MessageProxy) -> None:
        """Let the job begin, or raise SkipMessage: its work is done already, or its user has to wait."""
        if not broker.get_actor(message.actor_name).options.get("for_user"):
            return
        user, work = message.args[0], (message.actor_name, tuple(message.args))
        with self._lock:
            if message.message_timestamp < self._began.get(work, 0):
                raise SkipMessage
            waits = self._busy[user] >= max(1, settings.WORKER_THREADS // 2)
            if not waits:
                self._remember(work)
                self._busy[user] += 1
                self._counted[message.message_id] = user
        if waits:
            broker.enqueue(cast(Message[Any], message), delay=AGAIN_AFTER_MS)
            raise SkipMessage

    def after_process_message(
        self,
        broker: Broker,
        message: MessageProxy,
        *,
        result: Any = None,
        exception: BaseException | None = None,
    ) -> None:
        """Free the thread for the user's other jobs."""
        with self._lock:
            user = self._counted.pop(message.message_id, None)
            if user is not None:
                self._busy[user] -= 1
                self._busy += Counter()  # drops users without jobs

    def _remember(self, work: _Work) -> None:
        if len(self._began) >= MOST_REMEMBERED:
            self._began.clear()
        self._began[work] = current_millis()
