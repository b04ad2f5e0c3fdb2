"""MemDaily: short trajectories of everyday messages, in Chinese, with one question each."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from bench.cases import BenchQuestion, BenchSession, BenchTurn, Case, opaque
from bench.errors import BenchmarkImpossible
from bench.files import cases

_TIME = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日(?:\D*?(\d{1,2}):(\d{2}))?")


def read(data: Any, haystack: str) -> Iterator[Case]:
    """A case for each trajectory of the file. Raises BenchmarkImpossible."""
    return cases(list(_entries(data)), _case)


def _entries(data: Any) -> Iterator[Mapping[str, Any]]:
    """Trajectories in a list, or in tables by kind of question and by topic."""
    if isinstance(data, list):
        for number, entry in enumerate(data):
            yield {"id": str(number), **entry}
        return
    if not isinstance(data, Mapping):
        raise BenchmarkImpossible("The data file is not in the format of MemDaily.")
    for kind, topics in data.items():
        for topic, several in topics.items():
            for entry in several:
                yield {"id": f"{kind}-{topic}-{entry['tid']}", "type": kind, **entry}


def _case(entry: Mapping[str, Any]) -> Case:
    name = str(entry["id"])
    said = [message for message in entry["message_list"] if message.get("message")]
    turns = tuple(
        BenchTurn("user", message["message"], int(message["mid"]), _moment(message["time"]))
        for message in said
    )
    session = BenchSession(opaque(name), _moment(said[0]["time"]), turns, name)
    several = entry.get("question_list") or [entry["QA"]]
    questions = tuple(_question(name, str(entry.get("type", "all")), qa, session) for qa in several)
    named = sum(len(set(qa["target_step_id"])) for qa in several)
    found = sum(len(question.gold_turns) for question in questions)
    return Case(name, (session,), questions, named - found)


def _question(name: str, kind: str, qa: Mapping[str, Any], session: BenchSession) -> BenchQuestion:
    known = {turn.name for turn in session.turns}
    turns = frozenset((session.name, int(mid)) for mid in qa["target_step_id"] if int(mid) in known)
    return BenchQuestion(
        id=f"{name}:{qa.get('qid', 0)}",
        type=kind,
        question=qa["question"],
        asked_at=_moment(qa["time"]),
        gold_turns=turns,
        counted=bool(turns),
        answer=str(qa["answer"]),
    )


def _moment(text: str) -> datetime:
    """`2024年04月01日 周一 08:30` as a moment in UTC; noon without a clock time."""
    found = _TIME.search(text)
    if not found:
        raise ValueError(f"{text!r} is not a date as MemDaily writes it")
    year, month, day, hour, minute = found.groups()
    clock = (int(hour), int(minute)) if hour else (12, 0)
    return datetime(int(year), int(month), int(day), *clock, tzinfo=UTC)
