"""What every data set is read into: cases, each a haystack of chats with questions about it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Literal

TurnName = int | str
Unit = Literal["session", "turn"]


@dataclass(frozen=True, slots=True)
class BenchTurn:
    """One message. `name` is what the data set calls it, its place in the chat when that is
    nothing; `said_at` is the time of the chat when nothing else is known."""

    role: str
    content: str
    name: TurnName | None = None
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class BenchSession:
    """One chat of a haystack. The product sees `key`, which is opaque; result files show `name`,
    what the data set calls it."""

    key: str
    said_at: datetime
    turns: tuple[BenchTurn, ...]
    name: str = ""

    def turn_name(self, place: int) -> TurnName:
        """What the data set calls the message at this place, counted from 0."""
        name = self.turns[place].name
        return place if name is None else name


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """A question with its evidence: names of sessions, and pairs of a session and a turn.

    `counted` is False for questions that no evidence answers and for those a data set reports
    apart. `before` is the number of sessions, in the order of the case, that may be searched;
    None means all. `history` are the words of the user just before, in the running chat.
    """

    id: str
    type: str
    question: str
    asked_at: datetime
    gold: frozenset[str] = frozenset()
    gold_turns: frozenset[tuple[str, TurnName]] = frozenset()
    counted: bool = True
    before: int | None = None
    history: tuple[str, ...] = ()
    answer: str = ""
    rubric: tuple[str, ...] = ()
    unanswerable: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One person's chats, in order of time, and the questions about them. `unresolved` counts
    evidence that the data set names but does not hold."""

    id: str
    sessions: tuple[BenchSession, ...]
    questions: tuple[BenchQuestion, ...]
    unresolved: int = 0

    @property
    def in_order_of_time(self) -> bool:
        """Whether questions are asked between the chats rather than after them."""
        return any(question.before is not None for question in self.questions)


def opaque(name: str) -> str:
    """A name for a chat that does not tell whether it holds the answer."""
    return sha256(name.encode()).hexdigest()[:16]


def limited(cases: Iterable[Case], limit: int | None) -> Iterator[Case]:
    """The cases with the first `limit` counted questions, and those between them that are not."""
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


def _first(questions: Iterable[BenchQuestion], count: int) -> Iterator[BenchQuestion]:
    for question in questions:
        if count <= 0:
            return
        count -= question.counted
        yield question
