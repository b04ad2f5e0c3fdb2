"""RealMem: a person's projects over months. A question is asked inside a chat, and only what was
said in earlier chats may answer it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.cases import BenchQuestion, BenchSession, BenchTurn, Case, opaque
from bench.errors import BenchmarkImpossible
from bench.files import cases

ROLES = {"user": "user", "assistant": "assistant"}
MORNING = timedelta(hours=8)


def read(data: Any, haystack: str) -> Iterator[Case]:
    """A case for each persona of the file. Raises BenchmarkImpossible."""
    entries = [data] if isinstance(data, dict) else data
    if not isinstance(entries, list):
        raise BenchmarkImpossible("The data file is not in the format of RealMem.")
    return cases(entries, _case)


def _case(entry: Mapping[str, Any]) -> Case:
    name = str(entry.get("id") or entry["_metadata"]["person_name"])
    sessions: list[BenchSession] = []
    asked: list[tuple[BenchQuestion, int]] = []
    for number, dialogue in enumerate(entry["dialogues"]):
        session = _session(name, dialogue, number)
        asked += _questions(name, dialogue, session, sessions)
        sessions.append(session)
    unresolved = sum(missing for _, missing in asked)
    return Case(name, tuple(sessions), tuple(question for question, _ in asked), unresolved)


def _session(name: str, dialogue: Mapping[str, Any], number: int) -> BenchSession:
    """A chat; those of one day keep the order in which the file has them."""
    uuid = str(dialogue["session_uuid"])
    day = datetime.strptime(dialogue["current_time"][:10], "%Y-%m-%d").replace(tzinfo=UTC)
    said_at = day + MORNING + timedelta(minutes=number % 600)
    turns = tuple(
        BenchTurn(ROLES.get(str(turn["speaker"]).lower(), "user"), str(turn["content"]))
        for turn in dialogue["dialogue_turns"]
        if turn.get("content")
    )
    return BenchSession(opaque(f"{name}/{uuid}"), said_at, turns, uuid)


def _said(turns: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What the person said in these turns."""
    own = (turn for turn in turns if str(turn["speaker"]).lower() == "user")
    return tuple(str(turn["content"]) for turn in own if turn.get("content"))


def _questions(
    name: str,
    dialogue: Mapping[str, Any],
    session: BenchSession,
    earlier: Sequence[BenchSession],
) -> Iterator[tuple[BenchQuestion, int]]:
    """Each question of a chat, and how much of its evidence lies in no earlier chat."""
    known = {chat.name for chat in earlier}
    turns = dialogue["dialogue_turns"]
    for place, turn in enumerate(turns):
        if not turn.get("is_query") or not turn.get("content"):
            continue
        reply = turns[place + 1] if place + 1 < len(turns) else {}
        named = {str(uuid) for uuid in reply.get("memory_session_uuids") or ()}
        question = BenchQuestion(
            id=f"{name}:{turn.get('query_id') or f'{session.name}:{place}'}",
            type=f"{turn.get('category_name') or 'other'}/{turn.get('session_type') or 'any'}",
            question=turn["content"],
            asked_at=session.said_at,
            gold=frozenset(named & known),
            counted=bool(named & known),
            before=len(earlier),
            history=_said(turns[:place]),
            answer=str(reply.get("content") or ""),
        )
        yield question, len(named - known)
