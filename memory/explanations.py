"""Why drawers were recalled, in words and bars, from what is stored with a recall."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.models import Entity, Fact
from memory.recall.signals import SIGNALS, Signal, shares, signal

LEAST_SHOWN = 0.005


@dataclass(frozen=True, slots=True)
class Bar:
    """What a signal did for a drawer: its share of the score (1 is all of it, below 0 speaks
    against it), the same in percent without sign, and the length of its bar from 0 to 1."""

    key: str
    signal: Signal
    share: float
    percent: int
    length: float
    against: bool


@dataclass(frozen=True, slots=True)
class Understood:
    """A fact, or a person or thing, through which a drawer was found; `is_fact` tells which.

    `state` says in a word what became of a fact that does not stand any more, and is empty while it
    does; `until` is when it ended.
    """

    id: UUID
    words: str
    is_fact: bool
    state: str = ""
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Ground:
    """Why one drawer was recalled: `reason` in a sentence, the signals, and what was understood."""

    reason: str
    bars: tuple[Bar, ...] = ()
    understood: tuple[Understood, ...] = ()


def grounds(user_id: UUID, hits: Iterable[Mapping[str, Any]]) -> tuple[Ground, ...]:
    """Why each stored hit was recalled, in their order."""
    rows = list(hits)
    known = _understood(user_id, {key for row in rows for key in _bringers(row)})
    return tuple(
        Ground(
            row["reason"],
            bars(row),
            tuple(known[key] for key in dict.fromkeys(_bringers(row)) if key in known),
        )
        for row in rows
    )


def bars(row: Mapping[str, Any]) -> tuple[Bar, ...]:
    """The signals of a stored hit or candidate that are worth showing, the strongest first."""
    given = shares_of(row)
    ordered = sorted(given, key=lambda key: (-given[key], key))
    return tuple(_bar(key, given[key]) for key in ordered if abs(given[key]) >= LEAST_SHOWN)


def shares_of(row: Mapping[str, Any]) -> Mapping[str, float]:
    """The shares of a stored hit or candidate. Rows from before shares were stored name what each
    signal added among their scores."""
    stored: Mapping[str, float] | None = row.get("shares")
    if stored is not None:
        return stored
    parts = {key: score for key, score in row.get("scores", {}).items() if key in SIGNALS}
    return shares(parts, sum(parts.values()))


def legend(rows: Iterable[Iterable[Bar]]) -> tuple[Signal, ...]:
    """What the signals that appear in these bars mean, each once."""
    found = {bar.key: bar.signal for row in rows for bar in row}
    return tuple(found.values())


def _bar(key: str, share: float) -> Bar:
    return Bar(
        key=key,
        signal=signal(key),
        share=share,
        percent=round(abs(share) * 100),
        length=min(1.0, abs(share)),
        against=share < 0,
    )


def _bringers(row: Mapping[str, Any]) -> Iterable[UUID]:
    return (UUID(key) for ids in row.get("brought_by", {}).values() for key in ids)


def _understood(user_id: UUID, ids: set[UUID]) -> dict[UUID, Understood]:
    if not ids:
        return {}
    shown = ("id", "statement", "status", "valid_to")
    facts = Fact.objects.filter(user_id=user_id, id__in=ids, deleted_at=None).only(*shown)
    entities = Entity.objects.filter(user_id=user_id, id__in=ids)
    return {
        **{fact.id: _fact(fact) for fact in facts},
        **{key: Understood(key, name, False) for key, name in entities.values_list("id", "name")},
    }


def _fact(fact: Fact) -> Understood:
    stands = fact.status == Fact.Status.ACTIVE
    state = "" if stands else str(fact.get_status_display())
    return Understood(fact.id, fact.statement, is_fact=True, state=state, until=fact.valid_to)
