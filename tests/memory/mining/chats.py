"""Small transcripts to mine, and the built-in reader."""

import tomllib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from llm.configuration import CHECKOUT_MODELS
from memory.mining import keyless
from memory.mining.reader.facts import Tagger
from memory.mining.reader.network import network
from memory.mining.transcripts import CONVERSATION, Role, Transcript, Turn
from memory.mining.types import Extraction, WingGuess
from memory.mining.wings import SubjectOf, general

# A Wednesday.
SAID_AT = datetime(2024, 4, 17, 10, 0, tzinfo=UTC)


def turn(content: str, role: Role = "user", sequence: int = 1, **tool: str) -> Turn:
    """One turn; its id and time follow from its sequence."""
    said_at = SAID_AT + timedelta(minutes=sequence)
    return Turn(UUID(int=1000 + sequence), sequence, role, content, said_at, **tool)


def chat(*turns: str | Turn, title: str = "", project: str = "") -> Transcript:
    """A chat. Texts alternate between the user and the assistant."""
    made = tuple(
        item if isinstance(item, Turn) else turn(item, "assistant" if n % 2 else "user", n + 1)
        for n, item in enumerate(turns)
    )
    return Transcript(UUID(int=1), CONVERSATION, UUID(int=2), title, SAID_AT, made, project=project)


_WRITTEN: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _pairs(chat: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Pairs of what the user says and what the assistant answers."""
    return tuple(zip(chat["said"][::2], chat["said"][1::2], strict=True))


DRIFTING = tuple((chat["exchanges_before"], _pairs(chat)) for chat in _WRITTEN["drifting"])
STEADY = tuple(_pairs(chat) for chat in _WRITTEN["steady"])


def tagger() -> Tagger:
    """The network of the built-in reader that `make install` made."""
    return network(CHECKOUT_MODELS)


def extract(
    transcript: Transcript, known_wings: Sequence[WingGuess] = (), subject_of: SubjectOf = general
) -> Extraction:
    """Extract a window with the built-in reader."""
    return keyless.extract(transcript, tagger(), known_wings, subject_of)
