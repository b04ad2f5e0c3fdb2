"""BEAM: one very long conversation in a few sittings, with ten types of questions about it."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.cases import BenchQuestion, BenchSession, BenchTurn, Case, Entry, opaque, read_cases

ABSTENTION = "abstention"
ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")
BEGINNING = datetime(2024, 1, 1, 12, tzinfo=UTC)

_MARK = re.compile(r"\s*->->[^\n]{0,24}\s*$")


def read(data: Any, haystack: str) -> Iterator[Case]:
    """A case per conversation. Raises BenchmarkImpossible."""
    return read_cases(data, _case, "BEAM")


def _case(entry: Entry) -> Case:
    name = str(entry.get("id") or entry["conversation_id"])
    sessions = tuple(_sessions(name, entry["chat"]))
    session_of = {turn.name: session.name for session in sessions for turn in session.turns}
    asked_at = sessions[-1].said_at + timedelta(days=1)
    probes = entry["probing_questions"]
    # The published tables hold the questions as a Python literal.
    by_type: Mapping[str, Sequence[Entry]] = ast.literal_eval(probes) if isinstance(probes, str) else probes
    questions = tuple(
        _question(f"{name}:{kind}:{number}", kind, probe, session_of, asked_at)
        for kind, several in by_type.items()
        for number, probe in enumerate(several)
        if probe.get("question")
    )
    return Case(name, sessions, questions)


def _sessions(name: str, chat: Sequence[Any]) -> Iterator[BenchSession]:
    """A chat per sitting, on the day that the sitting or one of its messages names, or else on that
    of the sitting before."""
    said_at = BEGINNING
    for number, sitting in enumerate(chat, start=1):
        messages = list(_messages(sitting))
        dated = [sitting, *messages] if isinstance(sitting, Mapping) else messages
        anchor = next((each["time_anchor"] for each in dated if each.get("time_anchor")), None)
        if anchor:
            said_at = datetime.strptime(anchor.strip(), "%B-%d-%Y").replace(hour=12, tzinfo=UTC)
        if messages:
            session_name = f"{name}/{number}"
            turns = tuple(map(_turn, messages))
            yield BenchSession(opaque(session_name), said_at, turns, session_name)


def _messages(sitting: Any) -> Iterator[Entry]:
    """The messages of a sitting, however deeply nested."""
    if isinstance(sitting, Mapping):
        if "role" in sitting:
            yield sitting
            return
        sitting = sitting["turns"]
    for part in sitting:
        yield from _messages(part)


def _turn(message: Entry) -> BenchTurn:
    return BenchTurn(str(message["role"]), _MARK.sub("", str(message["content"])), int(message["id"]))


def _question(
    name: str, kind: str, probe: Entry, session_of: Mapping[Any, str], asked_at: datetime
) -> BenchQuestion:
    cited = set(_ids(probe.get("source_chat_ids")))
    turns = frozenset((session_of[turn], turn) for turn in cited if turn in session_of)
    return BenchQuestion(
        id=name,
        type=kind,
        question=probe["question"],
        asked_at=asked_at,
        gold=frozenset(session for session, _ in turns),
        gold_turns=turns,
        counted=bool(turns),
        answer=next((str(probe[key]) for key in ANSWERS if probe.get(key)), ""),
        rubric=tuple(str(point) for point in probe.get("rubric") or ()),
        unanswerable=kind == ABSTENTION,
        missing=len(cited) - len(turns),
    )


def _ids(value: Any) -> Iterator[int]:
    """The message ids in a list, a mapping of lists, or nested lists."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _ids(part)
    elif isinstance(value, (int, str)) and str(value).isdigit():
        yield int(value)
