"""Fuse: add up the signals of each candidate and rank by the sum.

All signals are in units of calibrated similarity, so a score does not depend on what else was found.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memory.recall.types import Candidate, Query, RecallRequest
from memory.recall.weights import (
    ASKED_ASSISTANT,
    BONUSES,
    BOOST_CAP,
    BOOSTS,
    EXACT_TIME,
    FURTHER,
    PENALTIES,
    RECENCY_DAYS,
    ROOM,
    SPEAKERS,
    TIME,
)
from memory.text.dates import closeness

A_DAY = 86_400
BOOSTED = frozenset(part for part, _, _ in BOOSTS)
BOOSTING = frozenset(signal for _, signal, _ in BOOSTS)
PENALISED = frozenset(signal for signal, _, _ in PENALTIES)
ROOM_PARTS = ("meaning", "wording", "time", "recency", "pinned", "pointer")

_Ranked = tuple[float, int, Candidate]
"""The negated strength of a candidate and its id as a number, by which it is sorted, and the candidate."""


def fuse(request: RecallRequest, query: Query, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates, best first: each is scored by its own signals and the best signals of its room, and
    penalised for each higher-ranked drawer of that room."""
    scoring = _Scoring(request, query)
    return tuple(_rank([scoring.scored(each) for each in candidates]))


def boost(score: float, signals: Mapping[str, float]) -> dict[str, float]:
    """What the strongest boost adds to a score, by the name of its part; nothing at the cap."""
    room = BOOST_CAP - score
    boosts = {part: weight * signals.get(signal, 0.0) for part, signal, weight in BOOSTS}
    strongest = max(boosts, key=lambda part: boosts[part])
    return {strongest: min(boosts[strongest], room)} if boosts[strongest] > 0 and room > 0 else {}


class _Scoring:
    """Scores the candidates of one question."""

    def __init__(self, request: RecallRequest, query: Query) -> None:
        self._query = query
        self._now = request.now.timestamp()
        self._zone = request.settings.zone
        self._recency = request.settings.recency
        self._speakers = ASKED_ASSISTANT if query.about_assistant else SPEAKERS
        self._time_part = "recency" if query.span is None else "time"

    def scored(self, candidate: Candidate) -> Candidate:
        """The candidate with its score and the contribution of each signal."""
        scores = candidate.scores
        shares = {name: scores[key] * weight for key, name, weight in BONUSES if scores.get(key)}
        if time_share := self._time_share(candidate):
            shares[self._time_part] = time_share
        if speaker := self._speakers.get(candidate.role):
            shares["speaker"] = speaker
        if not BOOSTING.isdisjoint(scores):
            shares |= boost(sum(shares.values()), scores)
        if not PENALISED.isdisjoint(scores):
            shares |= {name: scores[key] * weight for key, name, weight in PENALTIES if scores.get(key)}
        return candidate.scored(sum(shares.values()), shares)

    def _time_share(self, candidate: Candidate) -> float:
        """The boost for drawers from or about the time the message names; without one, for recent drawers."""
        span = self._query.span
        if span is None:
            age = max(0.0, self._now - candidate.said_at.timestamp()) / A_DAY
            return self._recency * float(0.5 ** (age / RECENCY_DAYS))
        said_on = candidate.said_at.astimezone(self._zone).date()
        weight = EXACT_TIME if span.exact else TIME
        return weight * max(closeness(said_on, span), candidate.scores.get("about", 0.0))


def _room_scores(candidates: Iterable[Candidate]) -> dict[int, float]:
    """The score of each room by its id as a number (UUIDs hash slowly): the best value of each signal,
    whichever drawers bring them."""
    best: dict[int, list[float]] = {}
    boosts: dict[int, float] = {}
    for candidate in candidates:
        room_id, value_of = candidate.room_id.int, candidate.scores.get
        values = [value_of(name, 0.0) for name in ROOM_PARTS]
        previous = best.get(room_id)
        best[room_id] = values if previous is None else list(map(max, previous, values))
        if not BOOSTED.isdisjoint(candidate.parts):
            fact_boost = max(candidate.parts.get(part, 0.0) for part in BOOSTED)
            boosts[room_id] = max(boosts.get(room_id, 0.0), fact_boost)
    return {room_id: _room_score(values, boosts.get(room_id)) for room_id, values in best.items()}


def _room_score(values: Iterable[float], fact_boost: float | None) -> float:
    score = sum(values)
    return score if fact_boost is None else score + max(0.0, min(fact_boost, BOOST_CAP - score))


def _rank(candidates: Sequence[Candidate]) -> list[Candidate]:
    rooms = _room_scores(candidates)
    ranked = sorted(
        (-each.score - ROOM * rooms[each.room_id.int], each.drawer_id.int, each) for each in candidates
    )
    return [candidate for _, _, candidate in sorted(_penalised(ranked))]


def _penalised(ranked: Iterable[_Ranked]) -> Iterator[_Ranked]:
    """The same ranking, with each drawer penalised for the better ones of its room."""
    higher_ranked: defaultdict[int, int] = defaultdict(int)
    for value, drawer_id, candidate in ranked:
        room_id = candidate.room_id.int
        yield value + FURTHER * higher_ranked[room_id], drawer_id, candidate
        higher_ranked[room_id] += 1
