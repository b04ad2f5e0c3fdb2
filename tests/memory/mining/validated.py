"""Answers of a model about what was said."""

from typing import Any

from memory.mining.prompts import local_ids
from memory.mining.transcripts import Turn
from memory.mining.validation import Validated, validate
from tests.memory.mining.answers import answer, stated
from tests.memory.mining.chats import chat

WORDS = "I live in Zürich with my wife Wang Min. I'm tired of\n  winter."


def read(raw: str, *turns: str | Turn) -> Validated:
    return validate(raw, local_ids((chat(*(turns or (WORDS,)))).turns))


def fact(*turns: str | Turn, **changes: Any) -> Any:
    """The one fact of an answer, or the reason why it was refused."""
    found = read(answer(facts=[stated(**changes)]), *turns)
    [only] = found.facts or [refusal.reason for refusal in found.refused]
    return only
