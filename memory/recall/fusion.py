"""The fourth stage of recall: one order out of several signals.

The signals are added, in units of the calibrated similarity, so that the sum does not depend on
what else was found.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from math import inf
from uuid import UUID

from memory.recall.dates import closeness
from memory.recall.knowledge import LIFTS, lifts
from memory.recall.types import Candidate, Query, RecallRequest
from memory.recall.weights import Weights

OF_A_ROOM = ("meaning", "wording", "word by word", "time", "recency", "pinned", "pointer")


def fuse(
    request: RecallRequest, query: Query, candidates: Sequence[Candidate]
) -> tuple[Candidate, ...]:
    """The candidates in the order of recall: each by its own evidence and by that of its room,
    which counts by the best of each signal; a further drawer of one room stands back a little."""
    usual = min((each.scores["late"] for each in candidates if "late" in each.scores), default=0.0)
    scoring = _Scoring(request, query, usual)
    scored = [scoring.scored(each) for each in candidates]
    return tuple(_in_order(scored, request.settings.recipe.weights))


class _Scoring:
    """What the signals of a candidate add up to, for one question. `usual` is how well passages
    meet its words at least."""

    def __init__(self, request: RecallRequest, query: Query, usual: float) -> None:
        self._weights = request.settings.recipe.weights
        self._query = query
        self._usual = usual
        self._now = request.now
        self._zone = request.settings.zone
        self._recency = request.settings.recency
        self._speakers = _speakers(query, self._weights)

    def scored(self, candidate: Candidate) -> Candidate:
        """The candidate with its score and with what each signal adds to it."""
        scores, weights = candidate.scores, self._weights
        shares = {
            "meaning": scores.get("likeness", 0.0),
            "wording": weights.words * scores.get("words", 0.0),
            "word by word": weights.late * (scores.get("late", self._usual) - self._usual),
            "time": self._time(candidate),
            "recency": self._lately(candidate),
            "pinned": weights.pinned * scores.get("pinned", 0.0),
            "project": weights.project * scores.get("project", 0.0),
            "pointer": weights.pointer * scores.get("pointer", 0.0),
            "speaker": self._speakers.get(candidate.role, 0.0),
        }
        shares |= lifts(sum(shares.values()), scores)
        shares["misfit"] = weights.misfit * scores.get("unfitting", 0.0)
        return candidate.scored(
            sum(shares.values()), **{name: share for name, share in shares.items() if share}
        )

    def _time(self, candidate: Candidate) -> float:
        span = self._query.span
        if span is None:
            return 0.0
        said_on = candidate.said_at.astimezone(self._zone).date()
        return self._weights.time * float(closeness(said_on, span))

    def _lately(self, candidate: Candidate) -> float:
        """A little for what was said lately, unless the message names a time of its own."""
        if self._query.span is not None:
            return 0.0
        age = max(0.0, _days(self._now, candidate.said_at))
        return self._recency * float(0.5 ** (age / self._weights.recency_days))


def _speakers(query: Query, weights: Weights) -> Mapping[str, float]:
    """Whose words are wanted: the user's own, or what the assistant said when asked for it."""
    if query.about_assistant:
        return {"assistant": weights.asked_assistant}
    return {"user": weights.user, "note": weights.user, "tool": weights.tool}


def _days(later: datetime, earlier: datetime) -> float:
    return (later - earlier).total_seconds() / 86_400


def _room_scores(candidates: Iterable[Candidate]) -> dict[UUID, float]:
    """A room counts by the best of each signal, even when different drawers bring them."""
    best: dict[UUID, dict[str, float]] = defaultdict(dict)
    for candidate in candidates:
        known, scores, parts = best[candidate.room_id], candidate.scores, candidate.parts
        for name in OF_A_ROOM:
            value = scores.get(name, 0.0)
            if value > known.get(name, -inf):
                known[name] = value
        for name in LIFTS.parts.keys() & parts.keys():
            known[name] = max(known.get(name, 0.0), parts[name])
    return {room_id: _room_score(signals) for room_id, signals in best.items()}


def _room_score(signals: Mapping[str, float]) -> float:
    score = sum(signals[name] for name in OF_A_ROOM)
    lift = max((signals.get(name, 0.0) for name in LIFTS.parts), default=0.0)
    return score + max(0.0, min(lift, LIFTS.ceiling - score))


def _in_order(candidates: Sequence[Candidate], weights: Weights) -> list[Candidate]:
    rooms = _room_scores(candidates)

    def strength(candidate: Candidate) -> float:
        return candidate.score + weights.room * rooms[candidate.room_id]

    def place(ranked: tuple[float, Candidate]) -> tuple[float, int]:
        return -ranked[0], ranked[1].drawer_id.int

    ranked = sorted(((strength(each), each) for each in candidates), key=place)
    stand_back = _standing_back([each for _, each in ranked], weights)
    final = [(value - stand_back[each.drawer_id], each) for value, each in ranked]
    return [each for _, each in sorted(final, key=place)]


def _standing_back(ranked: Sequence[Candidate], weights: Weights) -> Mapping[UUID, float]:
    """What each drawer gives up because better ones of its room come before it."""
    before: Counter[UUID] = Counter()
    given: dict[UUID, float] = {}
    for candidate in ranked:
        given[candidate.drawer_id] = weights.further * before[candidate.room_id]
        before[candidate.room_id] += 1
    return given
