"""The fourth stage of recall: one order out of several signals.

The signals are added, in units of the calibrated similarity, so that the sum does not depend on
what else was found.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memory.recall.dates import closeness
from memory.recall.knowledge import LIFTS, lifts
from memory.recall.types import Candidate, Query, RecallRequest
from memory.recall.weights import Weights

A_DAY = 86_400
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
        self._now = request.now.timestamp()
        self._zone = request.settings.zone
        self._recency = request.settings.recency
        self._speakers = _speakers(query, self._weights)
        self._for, self._against = _for(self._weights), _against(self._weights)
        self._when = "recency" if query.span is None else "time"

    def scored(self, candidate: Candidate) -> Candidate:
        """The candidate with its score and with what each signal adds to it."""
        scores = candidate.scores
        shares = {name: scores[key] * by for key, name, by in self._for if scores.get(key)}
        if better := scores.get("late", self._usual) - self._usual:
            shares["word by word"] = self._weights.late * better
        if when := self._by_time(candidate):
            shares[self._when] = when
        if speaker := self._speakers.get(candidate.role):
            shares["speaker"] = speaker
        shares |= lifts(sum(shares.values()), scores)
        shares |= {name: scores[key] * by for key, name, by in self._against if scores.get(key)}
        return candidate.scored(sum(shares.values()), shares)

    def _by_time(self, candidate: Candidate) -> float:
        """What was said near the time that the message names, or else lately, counts a little."""
        span, weights = self._query.span, self._weights
        if span is None:
            age = max(0.0, self._now - candidate.said_at.timestamp()) / A_DAY
            return self._recency * float(0.5 ** (age / weights.recency_days))
        said_on = candidate.said_at.astimezone(self._zone).date()
        return weights.time * float(closeness(said_on, span))


Weighed = tuple[tuple[str, str, float], ...]
"""Measurements that count by a weight alone: each with the part of the score that it makes."""


def _for(weights: Weights) -> Weighed:
    return (
        ("likeness", "meaning", 1.0),
        ("words", "wording", weights.words),
        ("pinned", "pinned", weights.pinned),
        ("project", "project", weights.project),
        ("pointer", "pointer", weights.pointer),
    )


def _against(weights: Weights) -> Weighed:
    return (("unfitting", "misfit", weights.misfit), ("little", "little", weights.little))


def _speakers(query: Query, weights: Weights) -> Mapping[str, float]:
    """Whose words are wanted: the user's own, or what the assistant said when asked for it."""
    if query.about_assistant:
        return {"assistant": weights.asked_assistant}
    return {"user": weights.user, "note": weights.user, "tool": weights.tool}


def _room_scores(candidates: Iterable[Candidate]) -> dict[int, float]:
    """A room counts by the best of each signal, even when different drawers bring them. Rooms go by
    the number of their id, because ids themselves are slow to look up."""
    best: dict[int, list[float]] = {}
    lift: dict[int, float] = {}
    for candidate in candidates:
        room_id, value_of = candidate.room_id.int, candidate.scores.get
        values = [value_of(name, 0.0) for name in OF_A_ROOM]
        known = best.get(room_id)
        best[room_id] = values if known is None else list(map(max, known, values))
        if not LIFTS.parts.keys().isdisjoint(candidate.parts):
            lift[room_id] = max(lift.get(room_id, 0.0), _lift(candidate))
    return {room_id: _room_score(values, lift.get(room_id)) for room_id, values in best.items()}


def _lift(candidate: Candidate) -> float:
    parts = candidate.parts
    return max(parts.get(name, 0.0) for name in LIFTS.parts)


def _room_score(values: Iterable[float], lift: float | None) -> float:
    score = sum(values)
    return score if lift is None else score + max(0.0, min(lift, LIFTS.ceiling - score))


def _in_order(candidates: Sequence[Candidate], weights: Weights) -> list[Candidate]:
    rooms = _room_scores(candidates)

    def place(ranked: tuple[float, Candidate]) -> tuple[float, int]:
        return -ranked[0], ranked[1].drawer_id.int

    strengths = (each.score + weights.room * rooms[each.room_id.int] for each in candidates)
    ranked = sorted(zip(strengths, candidates, strict=True), key=place)
    final = sorted(_standing_back(ranked, weights), key=place)
    return [each for _, each in final]


def _standing_back(
    ranked: Iterable[tuple[float, Candidate]], weights: Weights
) -> Iterator[tuple[float, Candidate]]:
    """The same with what each drawer gives up because better ones of its room come before it."""
    before: Counter[int] = Counter()
    for value, candidate in ranked:
        yield value - weights.further * before[candidate.room_id.int], candidate
        before[candidate.room_id.int] += 1
