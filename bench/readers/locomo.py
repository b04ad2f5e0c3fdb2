"""LoCoMo and REALTALK: long friendships between two people, told in chats of many days.

Both are people, so both speak as users, and every message begins with the name of its speaker, as
in a chat that somebody exported and imported. Observations, summaries and the questions
themselves are never shown to the product.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.cases import BenchQuestion, BenchSession, BenchTurn, Case, opaque
from bench.errors import BenchmarkImpossible
from bench.files import cases

CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
ADVERSARIAL = 5
AFTERWARDS = timedelta(days=1)

_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")
_DATES = ("%I:%M %p on %d %B, %Y", "%I:%M %p on %d %b, %Y", "%d.%m.%Y, %H:%M:%S")


@dataclass(frozen=True, slots=True)
class _Chats:
    """The sessions of a conversation and in which of them each evidence id lies."""

    sessions: tuple[BenchSession, ...]
    places: Mapping[str, str]


def read(data: Any, haystack: str) -> Iterator[Case]:
    """A case for each conversation of the file. Raises BenchmarkImpossible."""
    entries = [data] if isinstance(data, dict) else data
    if not isinstance(entries, list):
        raise BenchmarkImpossible("The data file is not in the format of LoCoMo.")
    return cases(entries, _case)


def _case(entry: Mapping[str, Any]) -> Case:
    name = str(entry.get("sample_id") or entry.get("chat_id") or _speakers(entry))
    chats = _chats(name, entry.get("conversation", entry))
    asked_at = chats.sessions[-1].said_at + AFTERWARDS
    asked = [
        _question(f"{name}:{number}", qa, chats.places, asked_at)
        for number, qa in enumerate(entry["qa"])
        if qa.get("question")
    ]
    unresolved = sum(missing for _, missing in asked)
    return Case(name, chats.sessions, tuple(question for question, _ in asked), unresolved)


def _speakers(entry: Mapping[str, Any]) -> str:
    return "-".join(str(name) for name in entry["name"].values())


def _chats(name: str, conversation: Mapping[str, Any]) -> _Chats:
    numbers = sorted(
        int(match[1])
        for key, said in conversation.items()
        if (match := _SESSION.fullmatch(key)) and said
    )
    sessions = []
    places: dict[str, str] = {}
    for number in numbers:
        session = _session(f"{name}/session_{number}", conversation, f"session_{number}")
        sessions.append(session)
        places |= {str(turn.name): session.name for turn in session.turns}
    return _Chats(tuple(sessions), places)


def _session(name: str, conversation: Mapping[str, Any], key: str) -> BenchSession:
    said = conversation[key]
    said_at = _moment(conversation.get(f"{key}_date_time") or said[0]["date_time"])
    turns = tuple(_turn(message) for message in said if message.get("dia_id"))
    return BenchSession(opaque(name), said_at, turns, name)


def _turn(message: Mapping[str, Any]) -> BenchTurn:
    words = str(message.get("text") or message.get("clean_text") or "").strip()
    picture = str(message.get("blip_caption") or "").strip()
    shown = f"{words}\n[shares a picture: {picture}]" if picture else words
    stamp = message.get("date_time")
    return BenchTurn(
        role="user",
        content=f"{message['speaker']}: {shown}",
        name=_normal(message["dia_id"]),
        said_at=_moment(stamp) if stamp else None,
    )


def _question(
    name: str, qa: Mapping[str, Any], places: Mapping[str, str], asked_at: datetime
) -> tuple[BenchQuestion, int]:
    """The question, and how many ids of its evidence do not exist."""
    category = int(qa.get("category") or 0)
    named = _evidence(qa.get("evidence"))
    turns = frozenset((places[turn], turn) for turn in named if turn in places)
    question = BenchQuestion(
        id=name,
        type=CATEGORIES.get(category, f"category {category}"),
        question=qa["question"],
        asked_at=asked_at,
        gold=frozenset(session for session, _ in turns),
        gold_turns=turns,
        counted=bool(turns) and category != ADVERSARIAL,
        answer=str(qa.get("answer", qa.get("adversarial_answer", ""))),
        unanswerable=category == ADVERSARIAL,
    )
    return question, len(named) - len(turns)


def _evidence(value: Any) -> set[str]:
    """Ids as `D8:6`, also out of entries such as `D8:6; D9:17`, `D:11:26` or `D30:05`."""
    several = value if isinstance(value, list) else [value or ""]
    return {_named(match) for words in several for match in _EVIDENCE.finditer(str(words))}


def _normal(dia_id: str) -> str:
    match = _EVIDENCE.search(dia_id)
    return _named(match) if match else dia_id


def _named(match: re.Match[str]) -> str:
    return f"D{match[1]}:{match[2]}"


def _moment(text: str) -> datetime:
    """`1:56 pm on 8 May, 2023` or `06.01.2024, 16:43:00` as a moment in UTC."""
    for form in _DATES:
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise ValueError(f"{text!r} is not a date as LoCoMo writes it")
