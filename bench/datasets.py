"""Reads LongMemEval, in its original format and as a shared pool of sessions.

Session ids of the data give the answers away, so nothing here hands them to the product: each
becomes an opaque external id.
"""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench.errors import BenchmarkImpossible

HAYSTACKS = ("haystack", "haystack_real", "m500")


@dataclass(frozen=True, slots=True)
class BenchTurn:
    """One message of a session."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class BenchSession:
    """One chat of a haystack; `key` is opaque."""

    key: str
    said_at: datetime
    turns: tuple[BenchTurn, ...]


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """A question with its own haystack, the keys of its gold sessions, and its gold turns as
    (session key, index of the turn from 0)."""

    id: str
    type: str
    question: str
    asked_at: datetime
    sessions: tuple[BenchSession, ...]
    gold: frozenset[str]
    gold_turns: frozenset[tuple[str, int]]


def read_longmemeval(path: Path, haystack: str, limit: int | None) -> Iterator[BenchQuestion]:
    """The answerable questions of a file, in its order. Raises BenchmarkImpossible."""
    data = _load(path)
    questions = _pooled(data, haystack) if isinstance(data, dict) else _original(data)
    for number, question in enumerate(questions):
        if limit is not None and number >= limit:
            return
        yield question


def opaque(session_id: str) -> str:
    """A name for a session that does not tell whether it holds the answer."""
    return sha256(session_id.encode()).hexdigest()[:16]


def _load(path: Path) -> Any:
    try:
        raw = path.read_bytes()
        text = gzip.decompress(raw) if path.suffix == ".gz" else raw
        return json.loads(text)
    except OSError as error:
        raise BenchmarkImpossible(f"The data file {path} cannot be read.") from error
    except ValueError as error:
        raise BenchmarkImpossible(f"The data file {path} is not JSON.") from error


def _pooled(data: Mapping[str, Any], haystack: str) -> Iterator[BenchQuestion]:
    for entry in data["questions"]:
        sessions = tuple(_sessions(data, entry, haystack))
        gold = frozenset(opaque(sid) for sid in entry["answer_session_ids"])
        turns = entry["evidence_turns"] if haystack == "haystack" else ()
        yield BenchQuestion(
            id=entry["question_id"],
            type=entry["question_type"],
            question=entry["question"],
            asked_at=_moment(entry["question_date"]),
            sessions=sessions,
            gold=gold,
            gold_turns=frozenset((opaque(sid), int(turn)) for sid, turn in turns),
        )


def _sessions(
    data: Mapping[str, Any], entry: Mapping[str, Any], haystack: str
) -> Iterator[BenchSession]:
    if haystack == "haystack":
        for sid, date in entry["haystack"]:
            yield BenchSession(opaque(sid), _moment(date), _turns(data["sessions"][sid]))
        return
    dated = [(sid, date) for sid, date in entry["haystack_real"]]
    if haystack == "m500":
        dated += [(sid, data["date500"][sid]) for sid in entry["haystack_m500_extra"]]
    for sid, date in dated:
        text = entry["evidence500"].get(sid) or data["text500"].get(sid, "")
        yield BenchSession(opaque(sid), _moment(date), (BenchTurn("user", text),))


def _original(entries: Sequence[Mapping[str, Any]]) -> Iterator[BenchQuestion]:
    for entry in entries:
        if entry["question_id"].endswith("_abs"):
            continue
        triples = zip(
            entry["haystack_session_ids"],
            entry["haystack_dates"],
            entry["haystack_sessions"],
            strict=True,
        )
        chats = list(triples)
        yield BenchQuestion(
            id=entry["question_id"],
            type=entry["question_type"],
            question=entry["question"],
            asked_at=_moment(entry["question_date"]),
            sessions=tuple(
                BenchSession(opaque(sid), _moment(date), _turns(turns))
                for sid, date, turns in chats
            ),
            gold=frozenset(opaque(sid) for sid in entry["answer_session_ids"]),
            gold_turns=frozenset(
                (opaque(sid), number)
                for sid, _, turns in chats
                for number, turn in enumerate(turns)
                if turn.get("has_answer")
            ),
        )


def _turns(turns: Sequence[Mapping[str, Any]]) -> tuple[BenchTurn, ...]:
    return tuple(BenchTurn(turn["role"], turn["content"]) for turn in turns)


def _moment(text: str) -> datetime:
    """`2023/04/10 (Mon) 23:07` as a moment in UTC."""
    date, _, rest = text.partition(" (")
    clock = rest.partition(") ")[2] or "12:00"
    return datetime.strptime(f"{date} {clock}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
