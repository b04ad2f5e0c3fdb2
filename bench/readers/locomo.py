"""LoCoMo and REALTALK: two friends chatting over months.

Both are people, so both speak as users and each message starts with its speaker's name, as in an
exported chat. Observations, summaries and the questions are never shown to the product.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.cases import BenchQuestion, BenchSession, BenchTurn, Case, Entry, opaque, read_cases

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
ADVERSARIAL = 5

_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")
_DATES = ("%I:%M %p on %d %B, %Y", "%I:%M %p on %d %b, %Y", "%d.%m.%Y, %H:%M:%S")


def read(data: Any, haystack: str) -> Iterator[Case]:
    """A case per conversation. Raises BenchmarkImpossible."""
    return read_cases(data, _case, "LoCoMo")


def _case(entry: Entry) -> Case:
    name = str(entry.get("sample_id") or entry.get("chat_id") or "-".join(map(str, entry["name"].values())))
    sessions = tuple(_sessions(name, entry.get("conversation", entry)))
    session_of = {str(turn.name): session.name for session in sessions for turn in session.turns}
    asked_at = sessions[-1].said_at + timedelta(days=1)
    questions = tuple(
        _question(f"{name}:{number}", qa, session_of, asked_at)
        for number, qa in enumerate(entry["qa"])
        if qa.get("question")
    )
    return Case(name, sessions, questions)


def _sessions(name: str, conversation: Entry) -> Iterator[BenchSession]:
    numbers = (int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key)))
    for key in (f"session_{number}" for number in sorted(numbers)):
        if said := conversation[key]:
            said_at = _moment(conversation.get(f"{key}_date_time") or said[0]["date_time"])
            turns = tuple(_turn(message) for message in said if message.get("dia_id"))
            yield BenchSession(opaque(f"{name}/{key}"), said_at, turns, f"{name}/{key}")


def _turn(message: Entry) -> BenchTurn:
    words = str(message.get("text") or message.get("clean_text") or "").strip()
    caption = str(message.get("blip_caption") or "").strip()
    shown = f"{words}\n[shares a picture: {caption}]" if caption else words
    stamp = message.get("date_time")
    return BenchTurn(
        role="user",
        content=f"{message['speaker']}: {shown}",
        name=next(_ids(message["dia_id"]), message["dia_id"]),
        said_at=_moment(stamp) if stamp else None,
    )


def _question(name: str, qa: Entry, session_of: Mapping[str, str], asked_at: datetime) -> BenchQuestion:
    category = int(qa.get("category") or 0)
    cited = set(_ids(qa.get("evidence")))
    turns = frozenset((session_of[turn], turn) for turn in cited if turn in session_of)
    return BenchQuestion(
        id=name,
        type=CATEGORIES.get(category, f"category {category}"),
        question=qa["question"],
        asked_at=asked_at,
        gold=frozenset(session for session, _ in turns),
        gold_turns=turns,
        counted=bool(turns) and category != ADVERSARIAL,
        answer=str(qa.get("answer", qa.get("adversarial_answer", ""))),
        unanswerable=category == ADVERSARIAL,
        missing=len(cited) - len(turns),
    )


def _ids(value: Any) -> Iterator[str]:
    """Evidence ids as `D8:6`, also from entries like `D8:6; D9:17`, `D:11:26` or `D30:05`."""
    for words in value if isinstance(value, list) else [value or ""]:
        for match in _EVIDENCE.finditer(str(words)):
            yield f"D{match[1]}:{match[2]}"


def _moment(text: str) -> datetime:
    """Parse `1:56 pm on 8 May, 2023` or `06.01.2024, 16:43:00` as UTC."""
    for form in _DATES:
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise ValueError(f"{text!r} is not a LoCoMo date")
