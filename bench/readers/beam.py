"""BEAM: one very long conversation in a few sittings, and ten kinds of questions about it."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.cases import BenchQuestion, BenchSession, BenchTurn, Case, opaque
from bench.errors import BenchmarkImpossible
from bench.files import cases

UNANSWERABLE = "abstention"
ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")
BEGAN = datetime(2024, 1, 1, 12, tzinfo=UTC)
AFTERWARDS = timedelta(days=1)

_MARK = re.compile(r"\s*->->[^\n]{0,24}\s*$")
_ANCHOR = "%B-%d-%Y"


def read(data: Any, haystack: str) -> Iterator[Case]:
    """A case for each conversation of the file. Raises BenchmarkImpossible."""
    entries = [data] if isinstance(data, dict) else data
    if not isinstance(entries, list):
        raise BenchmarkImpossible("The data file is not in the format of BEAM.")
    return cases(entries, _case)


def _case(entry: Mapping[str, Any]) -> Case:
    name = str(entry.get("id") or entry["conversation_id"])
    sessions = tuple(_sessions(name, entry["chat"]))
    homes = {turn.name: session.name for session in sessions for turn in session.turns}
    asked_at = sessions[-1].said_at + AFTERWARDS
    asked = [
        _question(f"{name}:{kind}:{number}", kind, probe, homes, asked_at)
        for kind, several in _probes(entry["probing_questions"]).items()
        for number, probe in enumerate(several)
        if probe.get("question")
    ]
    unresolved = sum(missing for _, missing in asked)
    return Case(name, sessions, tuple(question for question, _ in asked), unresolved)


def _sessions(name: str, chat: Sequence[Any]) -> Iterator[BenchSession]:
    """A sitting each, at the day that a message or the sitting itself names."""
    said_at = BEGAN
    for number, sitting in enumerate(chat, start=1):
        messages = list(_messages(sitting))
        anchors = [sitting.get("time_anchor")] if isinstance(sitting, Mapping) else []
        anchors += [message.get("time_anchor") for message in messages]
        anchor = next((anchor for anchor in anchors if anchor), None)
        said_at = _anchored(anchor) if anchor else said_at
        turns = tuple(_turn(message) for message in messages)
        if turns:
            called = f"{name}/{number}"
            yield BenchSession(opaque(called), said_at, turns, called)


def _messages(sitting: Any) -> Iterator[Mapping[str, Any]]:
    """The messages of a sitting, however deep the lists go in which they lie."""
    if isinstance(sitting, Mapping):
        if "role" in sitting:
            yield sitting
            return
        sitting = sitting["turns"]
    for part in sitting:
        yield from _messages(part)


def _turn(message: Mapping[str, Any]) -> BenchTurn:
    content = _MARK.sub("", str(message["content"]))
    return BenchTurn(str(message["role"]), content, int(message["id"]))


def _probes(value: Any) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """The questions by kind; the published tables hold them as a Python literal."""
    found: Mapping[str, Sequence[Mapping[str, Any]]] = (
        ast.literal_eval(value) if isinstance(value, str) else value
    )
    return found


def _question(
    name: str,
    kind: str,
    probe: Mapping[str, Any],
    homes: Mapping[Any, str],
    asked_at: datetime,
) -> tuple[BenchQuestion, int]:
    """The question, and how many messages of its evidence do not exist."""
    named = set(_ids(probe.get("source_chat_ids")))
    turns = frozenset((homes[turn], turn) for turn in named if turn in homes)
    question = BenchQuestion(
        id=name,
        type=kind,
        question=probe["question"],
        asked_at=asked_at,
        gold=frozenset(session for session, _ in turns),
        gold_turns=turns,
        counted=bool(turns),
        answer=next((str(probe[key]) for key in ANSWERS if probe.get(key)), ""),
        rubric=tuple(str(point) for point in probe.get("rubric") or ()),
        unanswerable=kind == UNANSWERABLE,
    )
    return question, len(named) - len(turns)


def _ids(value: Any) -> Iterator[int]:
    """The numbers in a list, a table of lists, or lists of lists."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _ids(part)
    elif isinstance(value, (int, str)) and str(value).isdigit():
        yield int(value)


def _anchored(text: str) -> datetime:
    """`March-15-2024` as a moment in UTC."""
    return datetime.strptime(text.strip(), _ANCHOR).replace(hour=12, tzinfo=UTC)
