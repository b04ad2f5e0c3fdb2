"""RealMem: a person's projects over months. Questions are asked inside a chat, and only earlier
chats may answer them."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.cases import BenchQuestion, BenchSession, BenchTurn, Case, Entry, opaque, read_cases


def read(data: Any, haystack: str) -> Iterator[Case]:
    """A case per persona. Raises BenchmarkImpossible."""
    return read_cases(data, _case, "RealMem")


def _case(entry: Entry) -> Case:
    name = str(entry.get("id") or entry["_metadata"]["person_name"])
    sessions: list[BenchSession] = []
    questions: list[BenchQuestion] = []
    for number, dialogue in enumerate(entry["dialogues"]):
        session = _session(name, dialogue, number)
        questions += _questions(name, dialogue, session, sessions)
        sessions.append(session)
    return Case(name, tuple(sessions), tuple(questions))


def _session(name: str, dialogue: Entry, number: int) -> BenchSession:
    """A chat; chats of one day keep their order in the file."""
    uuid = str(dialogue["session_uuid"])
    day = datetime.strptime(dialogue["current_time"][:10], "%Y-%m-%d").replace(tzinfo=UTC)
    turns = tuple(
        BenchTurn("assistant" if _speaker(turn) == "assistant" else "user", str(turn["content"]))
        for turn in dialogue["dialogue_turns"]
        if turn.get("content")
    )
    said_at = day + timedelta(hours=8, minutes=number % 600)
    return BenchSession(opaque(f"{name}/{uuid}"), said_at, turns, uuid)


def _questions(
    name: str, dialogue: Entry, session: BenchSession, earlier: Sequence[BenchSession]
) -> Iterator[BenchQuestion]:
    known = {chat.name for chat in earlier}
    turns = dialogue["dialogue_turns"]
    for index, turn in enumerate(turns):
        if not turn.get("is_query") or not turn.get("content"):
            continue
        reply = turns[index + 1] if index + 1 < len(turns) else {}
        cited = {str(uuid) for uuid in reply.get("memory_session_uuids") or ()}
        said = (each for each in turns[:index] if _speaker(each) == "user" and each.get("content"))
        yield BenchQuestion(
            id=f"{name}:{turn.get('query_id') or f'{session.name}:{index}'}",
            type=f"{turn.get('category_name') or 'other'}/{turn.get('session_type') or 'any'}",
            question=turn["content"],
            asked_at=session.said_at,
            gold=frozenset(cited & known),
            counted=bool(cited & known),
            before=len(earlier),
            history=tuple(str(each["content"]) for each in said),
            answer=str(reply.get("content") or ""),
            missing=len(cited - known),
        )


def _speaker(turn: Entry) -> str:
    return str(turn["speaker"]).lower()
