"""Works out when each value of a relation held, from everything that was said of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memory.models import RelationSource


@dataclass(slots=True)
class Window:
    """The relation with `object_id` held from `start` until `end` (exclusive; open when None).

    `claims` are what says so, the one that opened it first; `ended_by` said that it was over.
    """

    object_id: UUID
    start: datetime
    end: datetime | None
    claims: list[RelationSource] = field(default_factory=list)
    ended_by: list[RelationSource] = field(default_factory=list)


def windows(claims: Iterable[RelationSource]) -> list[Window]:
    """The windows of one relation of one entity, from its claims in the order of their times.

    A single-valued claim ends every other value at the instant it starts. A claim that ends where
    it begins tells of something whose start is unknown: it ends what held, or stays as a point.
    """
    unrolled = _Unrolled()
    for claim in claims:
        unrolled.take(claim)
    return unrolled.windows()


class _Unrolled:
    """What is known after the claims so far. Those that are over are kept by object and start."""

    def __init__(self) -> None:
        self._open: dict[UUID, Window] = {}
        self._over: dict[tuple[UUID, datetime], Window] = {}

    def take(self, claim: RelationSource) -> None:
        self._pass(claim.at)
        if claim.ends:
            self._end(claim)
        elif claim.until is not None and claim.until <= claim.at:
            self._tell_end(claim)
        else:
            self._begin(claim)

    def windows(self) -> list[Window]:
        """All that lasted or are points, in the order of their starts."""
        lasted = [w for w in self._over.values() if w.end != w.start or _is_point(w)]
        return sorted([*lasted, *self._open.values()], key=lambda w: (w.start, w.object_id))

    def _pass(self, at: datetime) -> None:
        """Let windows be over whose own end has come. One that was also said to hold, without an
        end, waits for what takes its place: "I lived there until March" gives no day."""
        for window in list(self._open.values()):
            if window.end is not None and window.end <= at and not _is_open(window):
                self._close(window, window.end)

    def _begin(self, claim: RelationSource) -> None:
        window = self._open.get(claim.object_id) or self._opened(claim)
        window.claims.append(claim)
        if claim.until is not None:
            window.end = claim.until
        elif window.end is not None and window.end <= claim.at:
            window.end = None
        if claim.single_valued:
            for other in list(self._open.values()):
                if other is not window:
                    self._close(other, claim.at)

    def _opened(self, claim: RelationSource) -> Window:
        """A new window, or one again that was over the instant it began."""
        window = self._over.pop((claim.object_id, claim.at), None)
        if window is None:
            window = Window(claim.object_id, claim.at, None)
        window.end = None
        self._open[claim.object_id] = window
        return window

    def _end(self, claim: RelationSource) -> None:
        window = self._open.get(claim.object_id)
        if window is not None:
            window.ended_by.append(claim)
            self._close(window, claim.at)

    def _tell_end(self, claim: RelationSource) -> None:
        if claim.object_id in self._open:
            self._end(claim)
            return
        key = (claim.object_id, claim.at)
        point = self._over.setdefault(key, Window(claim.object_id, claim.at, claim.at))
        point.claims.append(claim)

    def _close(self, window: Window, at: datetime) -> None:
        window.end = at
        self._over[window.object_id, window.start] = self._open.pop(window.object_id)


def _is_open(window: Window) -> bool:
    return any(claim.until is None for claim in window.claims)


def _is_point(window: Window) -> bool:
    return any(claim.until is not None and claim.until <= claim.at for claim in window.claims)
