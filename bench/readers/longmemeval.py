"""LongMemEval: in its original format, with several questions to a haystack, or as a pool.

Session ids of the data give the answers away, so the product gets opaque ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from bench.cases import BenchQuestion, BenchSession, BenchTurn, Case, opaque
from bench.errors import BenchmarkImpossible
from bench.files import cases

HAYSTACKS = ("haystack", "haystack_real", "m500")
UNANSWERABLE = "_abs"


def read(data: Any, haystack: str) -> Iterator[Case]:
    """A case for each haystack of the file, in its order. Raises BenchmarkImpossible."""
    if isinstance(data, dict) and "questions" in data and "sessions" in data:
        return cases(data["questions"], partial(_pooled, data, haystack))
    if not isinstance(data, list):
        raise BenchmarkImpossible("The data file is not in a format of LongMemEval.")
    if haystack != HAYSTACKS[0]:
        raise BenchmarkImpossible(f"This file has one haystack a question and no “{haystack}”.")
    return cases(data, _original)


def _pooled(data: Mapping[str, Any], haystack: str, entry: Mapping[str, Any]) -> Case:
    turns = entry["evidence_turns"] if haystack == "haystack" else ()
    question = BenchQuestion(
        id=entry["question_id"],
        type=entry["question_type"],
        question=entry["question"],
        asked_at=_moment(entry["question_date"]),
        gold=frozenset(entry["answer_session_ids"]),
        gold_turns=frozenset((sid, int(turn)) for sid, turn in turns),
        answer=str(entry.get("answer", "")),
    )
    return Case(question.id, tuple(_sessions(data, entry, haystack)), (question,))


def _sessions(
    data: Mapping[str, Any], entry: Mapping[str, Any], haystack: str
) -> Iterator[BenchSession]:
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


def _original(entry: Mapping[str, Any]) -> Case:
    triples = zip(
        entry["haystack_session_ids"],
        entry["haystack_dates"],
        entry["haystack_sessions"],
        strict=True,
    )
    chats = list(triples)
    sessions = tuple(
        BenchSession(opaque(sid), _moment(date), _turns(turns), sid) for sid, date, turns in chats
    )
    if "questions" in entry:
        return Case(entry["question_id"], sessions, tuple(_parallel(entry)))
    turns = frozenset(
        (sid, place)
        for sid, _, said in chats
        for place, turn in enumerate(said)
        if turn.get("has_answer")
    )
    return Case(entry["question_id"], sessions, (_question(entry, turns),))


def _question(entry: Mapping[str, Any], turns: frozenset[tuple[str, int]]) -> BenchQuestion:
    unanswerable = entry["question_id"].endswith(UNANSWERABLE)
    return BenchQuestion(
        id=entry["question_id"],
        type=entry["question_type"],
        question=entry["question"],
        asked_at=_moment(entry["question_date"]),
        gold=frozenset() if unanswerable else frozenset(entry["answer_session_ids"]),
        gold_turns=frozenset() if unanswerable else turns,
        counted=not unanswerable,
        answer=str(entry.get("answer", "")),
        unanswerable=unanswerable,
    )


def _parallel(entry: Mapping[str, Any]) -> Iterator[BenchQuestion]:
    """Several questions to one haystack; the first keeps the id and the type of the entry."""
    several = zip(entry["questions"], entry["answers"], entry["answer_session_ids"], strict=True)
    for number, (words, answer, gold) in enumerate(several):
        yield BenchQuestion(
            id=f"{entry['question_id']}#{number + 1}" if number else entry["question_id"],
            type="added" if number else entry["question_type"],
            question=words,
            asked_at=_moment(entry["question_date"]),
            gold=frozenset(gold),
            counted=bool(gold),
            answer=str(answer),
            unanswerable=not gold,
        )


def _turns(turns: Sequence[Mapping[str, Any]]) -> tuple[BenchTurn, ...]:
    return tuple(BenchTurn(turn["role"], str(turn["content"] or "")) for turn in turns)


def _moment(text: str) -> datetime:
    """`2023/04/10 (Mon) 23:07` as a moment in UTC."""
    date, _, rest = text.partition(" (")
    clock = rest.partition(") ")[2] or "12:00"
    return datetime.strptime(f"{date} {clock}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
