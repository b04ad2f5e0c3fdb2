"""Windows that rules have read and a model may read again, and the tries at doing so."""

from datetime import datetime, timedelta
from types import TracebackType
from uuid import UUID

import structlog
from django.db import connection
from django.db.models import Q, QuerySet

from llm.errors import ModelError, ModelRateLimited, ModelUnavailable
from memory.models import MinedWindow

PAUSES = (
    timedelta(seconds=4),
    timedelta(seconds=20),
    timedelta(seconds=60),
    timedelta(minutes=5),
    timedelta(minutes=20),
    timedelta(hours=1),
)
MOST_ATTEMPTS = 30
MOST_COUNTED = 1000
PAUSE_WHILE_AWAY = timedelta(minutes=5)
PAUSE_FOR_THE_OTHERS = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(hours=1)

log = structlog.get_logger(__name__)


def read_by_rules(user_id: UUID) -> QuerySet[MinedWindow]:
    """Windows in which a model may find more than the rules did."""
    windows = MinedWindow.objects.filter(user_id=user_id, method="rules")
    return windows.exclude(reason=MinedWindow.Reason.NOTHING)


def waiting(user_id: UUID) -> QuerySet[MinedWindow]:
    """Those of them that are to be read again: asked for, or put off until the model is back."""
    wanted = Q(requested_at__isnull=False) | Q(reason__in=MinedWindow.COMES_BACK)
    return MinedWindow.objects.filter(wanted, user_id=user_id, method="rules")


def due(user_id: UUID, now: datetime) -> QuerySet[MinedWindow]:
    """Waiting windows that are not in a pause."""
    return waiting(user_id).filter(Q(next_attempt_at=None) | Q(next_attempt_at__lte=now))


def ask_for_second_readings(user_id: UUID, now: datetime) -> int:
    """Have every window that rules have read read again; returns how many."""
    windows = read_by_rules(user_id)
    return windows.update(requested_at=now, attempts=0, next_attempt_at=None)


def set_aside(windows: QuerySet[MinedWindow], reason: str) -> int:
    """Leave windows as the rules read them until somebody asks again; returns how many."""
    return windows.update(reason=reason, requested_at=None, next_attempt_at=None)


class SecondReading:
    """One try at reading a window again.

    The try is counted before it begins, so that one which kills its worker has its pause too. An
    error inside is kept from the other windows; while the model cannot be had they wait with this
    one, and when it answers they wait no longer. What waits for nothing but an endpoint that cannot
    be reached is tried every five minutes and never given up. `failed` tells afterwards.
    """

    def __init__(self, window: MinedWindow, now: datetime) -> None:
        self.window = window
        self.failed = False
        self._now = now

    def __enter__(self) -> "SecondReading":
        attempts = self.window.attempts + 1
        pause = PAUSES[min(attempts, len(PAUSES)) - 1]
        counted = min(attempts, MOST_COUNTED)
        self._row().update(attempts=counted, next_attempt_at=self._now + pause)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if kind is None:
            self._let_the_others_go()
            return False
        if not issubclass(kind, Exception):
            return False
        self.failed = True
        if not connection.in_atomic_block and not connection.is_usable():
            connection.close()
        if isinstance(error, ModelError):
            self._hold_the_others(error)
        if self.window.reason == MinedWindow.Reason.AWAY and isinstance(error, ModelUnavailable):
            soon = self._now + PAUSE_WHILE_AWAY
            self._row().filter(next_attempt_at__gt=soon).update(next_attempt_at=soon)
        elif self.window.attempts + 1 >= MOST_ATTEMPTS:
            set_aside(self._row(), MinedWindow.Reason.GAVE_UP)
        log.warning("second reading failed", error=kind.__qualname__)
        return True

    def _row(self) -> QuerySet[MinedWindow]:
        return MinedWindow.objects.filter(user_id=self.window.user_id, id=self.window.id)

    def _let_the_others_go(self) -> None:
        """The model answers: whoever waits for it needs no pause. Those that failed most often are
        read last, so none of them is in the way of another."""
        others = MinedWindow.objects.filter(
            user_id=self.window.user_id,
            method="rules",
            reason=MinedWindow.Reason.AWAY,
            next_attempt_at__gt=self._now,
        )
        others.exclude(id=self.window.id).update(next_attempt_at=self._now)

    def _hold_the_others(self, error: ModelError) -> None:
        seconds = error.retry_after if isinstance(error, ModelRateLimited) else None
        asked = min(timedelta(seconds=max(0.0, seconds or 0.0)), LONGEST_PAUSE)
        until = self._now + max(PAUSE_FOR_THE_OTHERS, asked)
        others = due(self.window.user_id, until).exclude(id=self.window.id)
        others.update(next_attempt_at=until)
