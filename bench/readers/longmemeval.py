"""LongMemEval: the original format, several questions per haystack, or a shared pool of chats.

Session ids in the data give the answers away, so the product gets opaque ones.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from bench.cases import (
    BenchmarkImpossible,
    BenchQuestion,
    BenchSession,
    BenchTurn,
    Case,
    Entry,
    Turn,
    opaque,
    read_cases,
)

HAYSTACKS = ("haystack", "haystack_real", "m500")
ABSTENTION = "_abs"


def read(data: Any, haystack: str) -> Iterator[Case]:
    """A case per haystack, in the order of the file. Raises BenchmarkImpossible."""
    if isinstance(data, dict) and "questions" in data and "sessions" in data:
        return read_cases(data["questions"], partial(_from_pool, data, haystack), "LongMemEval")
    if haystack != HAYSTACKS[0]:
        raise BenchmarkImpossible(f"This file has one haystack per question and no “{haystack}”.")
    return read_cases(data, _original, "LongMemEval")


def _from_pool(data: Entry, haystack: str, entry: Entry) -> Case:
    turns = entry["evidence_turns"] if haystack == "haystack" else ()
    gold = (entry["answer_session_ids"], ((sid, int(turn)) for sid, turn in turns))
    question = _question(entry, entry["question"], entry.get("answer", ""), *gold)
    return Case(question.id, tuple(_sessions(data, entry, haystack)), (question,))


def _sessions(data: Entry, entry: Entry, haystack: str) -> Iterator[BenchSession]:
    if haystack == "haystack":
        for sid, date in entry["haystack"]:
            yield BenchSession(opaque(sid), _moment(date), _turns(data["sessions"][sid]), sid)
        return
    dated = [(sid, date) for sid, date in entry["haystack_real"]]
    if haystack == "m500":
        dated += [(sid, data["date500"][sid]) for sid in entry["haystack_m500_extra"]]
    for sid, date in dated:
        text = entry["evidence500"].get(sid) or data["text500"].get(sid, "")
        yield BenchSession(opaque(sid), _moment(date), (BenchTurn("user", text),), sid)


def _original(entry: Entry) -> Case:
    names = ("haystack_session_ids", "haystack_dates", "haystack_sessions")
    chats = list(zip(*(entry[name] for name in names), strict=True))
    sessions = tuple(
        BenchSession(opaque(sid), _moment(date), _turns(turns), sid) for sid, date, turns in chats
    )
    if "questions" in entry:
        several = zip(entry["questions"], entry["answers"], entry["answer_session_ids"], strict=True)
        questions = [_question(entry, *each, number=number) for number, each in enumerate(several)]
    elif entry["question_id"].endswith(ABSTENTION):
        questions = [_question(entry, entry["question"], entry.get("answer", ""), ())]
    else:
        turns = (
            (sid, at) for sid, _, said in chats for at, turn in enumerate(said) if turn.get("has_answer")
        )
        gold = (entry["answer_session_ids"], turns)
        questions = [_question(entry, entry["question"], entry.get("answer", ""), *gold)]
    return Case(entry["question_id"], sessions, tuple(questions))


def _question(
    entry: Entry,
    words: str,
    answer: object,
    sessions: Iterable[str],
    turns: Iterable[Turn] = (),
    number: int = 0,
) -> BenchQuestion:
    """A question with the sessions and turns that answer it. Of several about one haystack the first
    keeps the id and type of the entry."""
    gold = frozenset(sessions)
    return BenchQuestion(
        id=f"{entry['question_id']}#{number + 1}" if number else entry["question_id"],
        type="added" if number else entry["question_type"],
        question=words,
        asked_at=_moment(entry["question_date"]),
        gold=gold,
        gold_turns=frozenset(turns),
        counted=bool(gold),
        answer=str(answer),
        unanswerable=not gold,
    )


def _turns(turns: Sequence[Entry]) -> tuple[BenchTurn, ...]:
    return tuple(BenchTurn(turn["role"], str(turn["content"] or "")) for turn in turns)


def _moment(text: str) -> datetime:
    """Parse `2023/04/10 (Mon) 23:07` as UTC."""
    date, _, rest = text.partition(" (")
    clock = rest.partition(") ")[2] or "12:00"
    return datetime.strptime(f"{date} {clock}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
