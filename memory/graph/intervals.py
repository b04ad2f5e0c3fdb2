"""The validity engine: when each of several values held, given everything said about them.

Facts and relations share it. A claim opens or closes a window; windows are half-open. A claim that displaces
others closes their windows at the instant it starts, and values that do not exclude each other coexist. The
result depends on the claims alone, never on the order in which they were learned.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

E = TypeVar("E")
CLEAR_MARGIN = 0.25
"""How much less certain a claim may be than a value that it displaces. The built-in reader gives most changes
of home, job or partner at least .8, and what it misreads as one mostly less than .75."""


@dataclass(frozen=True, slots=True, eq=False)
class Claim(Generic[E]):
    """Evidence that a value holds from `at`, until `until` if that is known, or that it `ends` at `at`.

    Claims of one `value` share windows. An `exclusive` claim displaces every other exclusive value of its
    `track`, and those whose end is known, unless they have the same `name` or are clearly more certain. A
    `firm` claim without an end keeps holding, even if shorter periods are also claimed; a firm end also
    counts if another value has replaced this one before.
    """

    value: Hashable
    at: datetime
    evidence: E
    until: datetime | None = None
    ends: bool = False
    exclusive: bool = False
    track: Hashable = None
    name: Hashable = None
    firm: bool = False
    certainty: float = 1.0


@dataclass(slots=True, eq=False)
class Window(Generic[E]):
    """A value held from `start` until `end` (exclusive; open when None).

    `claims` support it, the one that opened it first; those in `ended_by` state its end; `displaced_by` is
    the claim of another value that replaced it. It is empty and `doubtful` if what held was clearly more
    certain.
    """

    value: Hashable
    name: Hashable
    start: datetime
    end: datetime | None = None
    claims: list[Claim[E]] = field(default_factory=list)
    ended_by: list[Claim[E]] = field(default_factory=list)
    displaced_by: Claim[E] | None = None
    doubtful: bool = False

    @property
    def is_point(self) -> bool:
        """Whether only its end is known."""
        return any(claim.until is not None and claim.until <= claim.at for claim in self.claims)

    @property
    def is_bounded(self) -> bool:
        """Whether every claim names an end."""
        return all(claim.until is not None for claim in self.claims)

    @property
    def is_empty(self) -> bool:
        """Whether another value replaced it the instant it began."""
        return self.end == self.start and not self.is_point

    def note(self, claim: Claim[E]) -> None:
        """Add a claim that the value holds.

        Of several periods the longest counts. If the value was also claimed without an end, a period
        determines when it ended.
        """
        lasts = claim.firm and claim.until is None
        if lasts or (claim.until is None and self.end is not None and self.end <= claim.at):
            self.end = None
        elif claim.until is not None and not any(each.firm and each.until is None for each in self.claims):
            longest = self.end if self.end is not None and self.is_bounded else claim.until
            self.end = max(longest, claim.until)
        self.claims.append(claim)

    def yields_to(self, claim: Claim[E], *, opening: bool) -> bool:
        """Whether an exclusive claim of another value closes this window."""
        mine = [each for each in self.claims if each.track == claim.track]
        if self.name == claim.name or not mine:
            return False
        bounded = opening and self.end is not None and self.start < claim.at
        return bounded or any(each.exclusive for each in mine)

    def contradicts(self, claim: Claim[E]) -> bool:
        """Whether an exclusive claim of another value is clearly less certain than this window."""
        certainty = max((each.certainty for each in self.claims), default=0.0)
        return self.yields_to(claim, opening=True) and certainty - claim.certainty > CLEAR_MARGIN


def windows(claims: Iterable[Claim[E]]) -> list[Window[E]]:
    """Every window of these claims, sorted by start; claims must be in order of time.

    A claim that ends where it begins refers to a value whose start is unknown: it ends an open window, or
    remains as a point. Among claims of one instant, the last one holds.
    """
    timeline = _Timeline[E]()
    for claim in claims:
        timeline.take(claim)
    return timeline.windows()


class _Timeline(Generic[E]):
    """The windows after the claims so far; the closed ones by value and start."""

    def __init__(self) -> None:
        self._open: dict[Hashable, Window[E]] = {}
        self._closed: dict[tuple[Hashable, datetime], Window[E]] = {}

    def take(self, claim: Claim[E]) -> None:
        self._expire(claim.at)
        if claim.ends:
            self._end(claim)
        elif claim.until is not None and claim.until <= claim.at:
            self._end_or_note(claim)
        else:
            self._begin(claim)

    def windows(self) -> list[Window[E]]:
        every = [*self._closed.values(), *self._open.values()]
        return sorted(every, key=lambda window: window.start)

    def _expire(self, at: datetime) -> None:
        """Close windows whose known end has come.

        A window that was also claimed without an end stays open for a successor: "I lived there until March"
        names no day.
        """
        for window in list(self._open.values()):
            if window.end is not None and window.end <= at and window.is_bounded:
                self._close(window, window.end)

    def _begin(self, claim: Claim[E]) -> None:
        opening = claim.value not in self._open
        if opening and claim.exclusive and any(each.contradicts(claim) for each in self._open.values()):
            doubtful = Window[E](claim.value, claim.name, claim.at, claim.at, doubtful=True)
            self._closed.setdefault((claim.value, claim.at), doubtful).claims.append(claim)
            return
        window = self._reopened(claim) if opening else self._open[claim.value]
        window.note(claim)
        if claim.exclusive:
            for other in list(self._open.values()):
                if other is not window and other.yields_to(claim, opening=opening):
                    other.displaced_by = claim
                    self._close(other, claim.at)

    def _reopened(self, claim: Claim[E]) -> Window[E]:
        """A new window, or the one that was closed the instant it began."""
        window = self._closed.pop((claim.value, claim.at), None) or Window(claim.value, claim.name, claim.at)
        window.end, window.displaced_by, window.doubtful = None, None, False
        self._open[claim.value] = window
        return window

    def _end(self, claim: Claim[E]) -> None:
        window = self._open.get(claim.value) or (self._replaced(claim.value) if claim.firm else None)
        if window is not None:
            window.ended_by.append(claim)
            window.displaced_by = None
            self._open[claim.value] = window
            self._close(window, claim.at)

    def _replaced(self, value: Hashable) -> Window[E] | None:
        """The last window of a value, if another value replaced it."""
        held = [each for each in self._closed.values() if each.value == value and not each.doubtful]
        last = max(held, key=lambda window: window.start, default=None)
        return last if last and last.displaced_by else None

    def _end_or_note(self, claim: Claim[E]) -> None:
        if claim.value in self._open:
            self._end(claim)
            return
        point = Window[E](claim.value, claim.name, claim.at, claim.at)
        self._closed.setdefault((claim.value, claim.at), point).claims.append(claim)

    def _close(self, window: Window[E], at: datetime) -> None:
        window.end = at
        self._closed[window.value, window.start] = self._open.pop(window.value)
