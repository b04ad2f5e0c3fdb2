"""MemDaily: short trajectories of everyday messages in Chinese, one question each."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from bench.cases import BenchQuestion, BenchSession, BenchTurn, Case, Entry, opaque, read_cases

_TIME = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日(?:\D*?(\d{1,2}):(\d{2}))?")


def read(data: Any, haystack: str) -> Iterator[Case]:
    """A case per trajectory. Raises BenchmarkImpossible."""
    if isinstance(data, dict):  # the original tables, by type of question and topic
        data = [
            {"id": f"{kind}-{topic}-{entry['tid']}", "type": kind, **entry}
            for kind, topics in data.items()
            for topic, several in topics.items()
            for entry in several
        ]
    elif isinstance(data, list):
        data = [{"id": str(number), **entry} for number, entry in enumerate(data)]
    return read_cases(data, _case, "MemDaily")


def _case(entry: Entry) -> Case:
    name = str(entry["id"])
    said = [message for message in entry["message_list"] if message.get("message")]
    turns = tuple(
        BenchTurn("user", message["message"], int(message["mid"]), _moment(message["time"]))
        for message in said
    )
    session = BenchSession(opaque(name), _moment(said[0]["time"]), turns, name)
    kind = str(entry.get("type", "all"))
    several = entry.get("question_list") or [entry["QA"]]
    return Case(name, (session,), tuple(_question(kind, qa, session) for qa in several))


def _question(kind: str, qa: Entry, session: BenchSession) -> BenchQuestion:
    cited = {int(mid) for mid in qa["target_step_id"]}
    turns = frozenset((session.name, mid) for mid in cited & {turn.name for turn in session.turns})
    return BenchQuestion(
        id=f"{session.name}:{qa.get('qid', 0)}",
        type=kind,
        question=qa["question"],
        asked_at=_moment(qa["time"]),
        gold_turns=turns,
        counted=bool(turns),
        answer=str(qa["answer"]),
        missing=len(cited) - len(turns),
    )


def _moment(text: str) -> datetime:
    """Parse `2024年04月01日 周一 08:30` as UTC; noon without a time of day."""
    found = _TIME.search(text)
    if not found:
        raise ValueError(f"{text!r} is not a MemDaily date")
    year, month, day, hour, minute = (int(part or 0) for part in found.groups())
    return datetime(year, month, day, *((hour, minute) if found[4] else (12, 0)), tzinfo=UTC)
