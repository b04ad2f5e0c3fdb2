"""Benchmark data in one shape: cases, each a haystack of chats with questions about it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

DATA = Path(__file__).resolve().parent / "data"

TurnName = int | str
Turn = tuple[str, TurnName]
Unit = Literal["session", "turn"]
Report = Callable[[str], None]
Entry = Mapping[str, Any]


class BenchmarkImpossible(Exception):
    """The benchmark cannot run; the message is a sentence that says why."""


@dataclass(frozen=True, slots=True)
class BenchTurn:
    """One message. Without a `name` the data set refers to it by its index in the chat; without
    `said_at` it was said when the chat began."""

    role: str
    content: str
    name: TurnName | None = None
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class BenchSession:
    """One chat. The product only sees `key`, which is opaque; result files show `name`, the id in
    the data set."""

    key: str
    said_at: datetime
    turns: tuple[BenchTurn, ...]
    name: str = ""

    def turn_name(self, index: int) -> TurnName:
        """The data set's name for the message at this index."""
        name = self.turns[index].name
        return index if name is None else name


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """A question with its evidence: the names of sessions, and of turns within sessions.

    Questions with `counted` off are scored apart: nothing answers them, or the data set keeps them
    separate. `before` limits the search to that many leading sessions of the case, None to all.
    `history` holds the user's preceding messages in the running chat, `missing` counts evidence
    that the data set cites but does not contain.
    """

    id: str
    type: str
    question: str
    asked_at: datetime
    gold: frozenset[str] = frozenset()
    gold_turns: frozenset[Turn] = frozenset()
    counted: bool = True
    before: int | None = None
    history: tuple[str, ...] = ()
    answer: str = ""
    rubric: tuple[str, ...] = ()
    unanswerable: bool = False
    missing: int = 0


@dataclass(frozen=True, slots=True)
class Case:
    """One person's chats, oldest first, and the questions about them."""

    id: str
    sessions: tuple[BenchSession, ...]
    questions: tuple[BenchQuestion, ...]

    @property
    def interleaved(self) -> bool:
        """Whether questions are asked between the chats rather than after the last one."""
        return any(question.before is not None for question in self.questions)


def opaque(name: str) -> str:
    """A key for a chat that does not reveal whether it holds the answer."""
    return sha256(name.encode()).hexdigest()[:16]


def read_cases(data: Any, read: Callable[[Entry], Case], data_set: str) -> Iterator[Case]:
    """Read a list of entries, or a single one. Raises BenchmarkImpossible with the number of the
    first entry in another format."""
    entries = [data] if isinstance(data, dict) else data
    if not isinstance(entries, list):
        raise BenchmarkImpossible(f"The data file is not in the format of {data_set}.")
    for number, entry in enumerate(entries, start=1):
        try:
            yield read(entry)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise BenchmarkImpossible(
                f"Entry {number} of the data file is not in the format of {data_set} "
                f"({type(error).__name__}: {error})."
            ) from error


def limited(cases: Iterable[Case], limit: int | None) -> Iterator[Case]:
    """The cases up to the `limit`-th counted question; uncounted ones in between are kept."""
    left = limit
    for case in cases:
        if left is None:
            yield case
            continue
        kept = tuple(_first(case.questions, left))
        left -= sum(question.counted for question in kept)
        if kept:
            yield replace(case, questions=kept)
        if left <= 0:
            return


def pooled(cases: Iterable[Case], name: str = "pooled") -> Case:
    """One case in which one person owns every chat.

    A chat shared by several haystacks appears once, in the version that is evidence.
    Raises BenchmarkImpossible if questions have to be asked between the chats.
    """
    sessions: dict[str, BenchSession] = {}
    questions: list[BenchQuestion] = []
    for case in cases:
        if case.interleaved:
            raise BenchmarkImpossible(
                "This data set asks questions between the chats, so its haystacks cannot be pooled."
            )
        questions += case.questions
        gold = {name for question in case.questions for name in question.gold}
        own = {session.key: session for session in case.sessions}
        evidence = {key: session for key, session in own.items() if session.name in gold}
        sessions = own | sessions | evidence
    ordered = sorted(sessions.values(), key=lambda session: session.said_at)
    return Case(name, tuple(ordered), tuple(questions))


def _first(questions: Iterable[BenchQuestion], count: int) -> Iterator[BenchQuestion]:
    for question in questions:
        if count <= 0:
            return
        count -= question.counted
        yield question
