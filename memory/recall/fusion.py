"""The fourth stage of recall: one order out of several signals.

The signals are added, in units of the calibrated similarity, so that the sum does not depend on
what else was found. The weights were chosen on questions over simulated chats, by
cross-validation; `docs/decisions` has the figures.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from memory.recall.dates import closeness
from memory.recall.knowledge import LIFTS, lifts
from memory.recall.types import Candidate, Query, RecallRequest

WORDS_WEIGHT = 0.28
TIME_WEIGHT = 0.11
RECENCY_DAYS = 60.0
PINNED_WEIGHT = 0.15
ASKED_ASSISTANT_WEIGHT = 0.12
USER_WEIGHT = 0.07
TOOL_WEIGHT = -0.07
POINTER_WEIGHT = 100.0
WEAK_ROOM = 0.6
"""A room this far behind the best does not come before another drawer of a better one."""

OF_A_ROOM = ("meaning", "wording", "time", "recency", "pinned", "pointer")


def fuse(
    request: RecallRequest, query: Query, candidates: Sequence[Candidate]
) -> tuple[Candidate, ...]:
    """The candidates in the order of recall: each room by its strongest evidence, in a room each
    drawer by its own, and the best drawer of every strong room before the second of any."""
    scored = [_scored(candidate, request, query) for candidate in candidates]
    return tuple(_rooms_first(scored, _room_scores(scored)))


def _scored(candidate: Candidate, request: RecallRequest, query: Query) -> Candidate:
    scores = candidate.scores
    shares = {
        "meaning": scores.get("likeness", 0.0),
        "wording": WORDS_WEIGHT * scores.get("words", 0.0),
        "time": _time(candidate, request, query),
        "recency": _recency(candidate, request, query),
        "pinned": PINNED_WEIGHT * scores.get("pinned", 0.0),
        "pointer": POINTER_WEIGHT * scores.get("pointer", 0.0),
        "speaker": _speaker(candidate, query),
    }
    shares |= lifts(sum(shares.values()), scores)
    return candidate.scored(
        sum(shares.values()), **{name: share for name, share in shares.items() if share}
    )


def _time(candidate: Candidate, request: RecallRequest, query: Query) -> float:
    if query.span is None:
        return 0.0
    said_on = candidate.said_at.astimezone(request.settings.zone).date()
    return TIME_WEIGHT * float(closeness(said_on, query.span))


def _recency(candidate: Candidate, request: RecallRequest, query: Query) -> float:
    """A little for what was said lately, unless the message names a time of its own."""
    if query.span is not None:
        return 0.0
    age = max(0.0, _days(request.now, candidate.said_at))
    return request.settings.recency * float(0.5 ** (age / RECENCY_DAYS))


def _speaker(candidate: Candidate, query: Query) -> float:
    """Whose words are wanted: the user's own, or what the assistant said when asked for it."""
    if query.about_assistant:
        return ASKED_ASSISTANT_WEIGHT if candidate.role == "assistant" else 0.0
    return {"user": USER_WEIGHT, "note": USER_WEIGHT, "tool": TOOL_WEIGHT}.get(candidate.role, 0.0)


def _days(later: datetime, earlier: datetime) -> float:
    return (later - earlier).total_seconds() / 86_400


def _room_scores(candidates: Iterable[Candidate]) -> dict[UUID, float]:
    """A room counts by the best of each signal, even when different drawers bring them."""
    best: dict[UUID, dict[str, float]] = defaultdict(dict)
    for candidate in candidates:
        known = best[candidate.room_id]
        for name in OF_A_ROOM:
            value = candidate.scores.get(name, 0.0)
            known[name] = max(known.get(name, value), value)
        for name in LIFTS.parts:
            known[name] = max(known.get(name, 0.0), candidate.parts.get(name, 0.0))
    return {room_id: _room_score(signals) for room_id, signals in best.items()}


def _room_score(signals: Mapping[str, float]) -> float:
    score = sum(signals[name] for name in OF_A_ROOM)
    lift = max(signals[name] for name in LIFTS.parts)
    return score + max(0.0, min(lift, LIFTS.ceiling - score))


def _rooms_first(candidates: Sequence[Candidate], rooms: Mapping[UUID, float]) -> list[Candidate]:
    by_room: dict[UUID, list[Candidate]] = defaultdict(list)
    for candidate in sorted(candidates, key=_by_score):
        by_room[candidate.room_id].append(candidate)
    ranked = sorted(by_room, key=lambda room: (-rooms[room], str(room)))
    strong = [room for room in ranked if rooms[room] >= rooms[ranked[0]] - WEAK_ROOM]
    firsts = [by_room[room][0] for room in strong]
    taken = {candidate.drawer_id for candidate in firsts}
    rest = [candidate for candidate in candidates if candidate.drawer_id not in taken]
    return [*firsts, *sorted(rest, key=_by_score)]


def _by_score(candidate: Candidate) -> tuple[float, str]:
    return (-candidate.score, str(candidate.drawer_id))
