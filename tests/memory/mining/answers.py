"""Answers of a model, and what validation accepts of them."""

import json
from typing import Any

from memory.mining.prompts import local_ids
from memory.mining.transcripts import Turn
from memory.mining.types import Extraction
from memory.mining.validation import validate
from tests.memory.mining.chats import chat

TAGS: dict[str, list[str]] = {"people": [], "places": [], "events": [], "items": [], "times": []}


def placed(name: str = "t1", **changes: Any) -> dict[str, Any]:
    return {"id": name, "topic": "Daily life", "tags": TAGS} | changes


TIMELESS: dict[str, Any] = {"valid_from": None, "valid_to": None, "ended": False}
HOME: dict[str, Any] = {
    "turn": "t1",
    "object": "Zürich",
    "quote": "I live in Zürich",
    "confidence": 0.8,
    "single_valued": True,
}


def stated(**changes: Any) -> dict[str, Any]:
    """A fact the first turn ("I live in Zürich …") supports."""
    fact: dict[str, Any] = {
        "kind": "identity",
        "key": "home_city",
        "value": "Zürich",
        "predicate": "lives_in",
    }
    fact |= {"statement": "The user lives in Zürich.", "source": "stated"}
    return HOME | TIMELESS | fact | {"event_time": None, "persons": [], "location": ""} | changes


def edge(**changes: Any) -> dict[str, Any]:
    return HOME | TIMELESS | {"subject": "user", "relation": "lives_in"} | changes


def answer(**parts: Any) -> str:
    whole: dict[str, Any] = {"wing": {"kind": "topic", "name": "Home"}, "turns": [placed()]}
    whole |= {"facts": [], "entities": [], "relations": []}
    return json.dumps(whole | parts, ensure_ascii=False)


WORDS = "I live in Zürich with my wife Wang Min. I'm tired of\n  winter."


def read(raw: str, *turns: str | Turn) -> Extraction:
    return validate(raw, local_ids((chat(*(turns or (WORDS,)))).turns))


def fact(*turns: str | Turn, **changes: Any) -> Any:
    """The one fact of an answer, or the reason why it was refused."""
    found = read(answer(facts=[stated(**changes)]), *turns)
    [only] = found.facts or [refusal.reason for refusal in found.refused]
    return only
