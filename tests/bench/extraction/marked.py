"""Marked sentences, and what was found in them, for tests."""

from datetime import UTC, date, datetime
from uuid import UUID

from bench.extraction.reading import Outcome, Reading
from bench.extraction.sentences import GoldFact, Sentence
from memory.mining.types import ExtractedFact

SAID_AT = datetime(2024, 5, 15, 10, tzinfo=UTC)
HOME = GoldFact(("identity",), ("Zürich",), single_valued=True)
TEA = GoldFact(("preference", "behaviour"), ("tea",), opposite="dislikes")
DENTIST = GoldFact(("event",), ("dentist",), event_date=date(2024, 5, 16))


def sentence(text: str = "I live in Zürich", *facts: GoldFact, **more: str) -> Sentence:
    """A sentence; without facts it is a joke."""
    return Sentence(
        id=more.get("id", text),
        language=more.get("language", "en"),
        text=text,
        role="user",
        said_at=SAID_AT,
        facts=facts,
        why=more.get("why", "" if facts else "joke"),
    )


def found(kind: str, value: str, **more: object) -> ExtractedFact:
    """A fact as an extractor hands it over."""
    values: dict[str, object] = {
        "message_id": UUID(int=1),
        "kind": kind,
        "key": kind,
        "value": value,
        "statement": f"About the user: {value}.",
        "predicate": "",
        "object": value,
        "quote": value,
        "span": (0, len(value)),
        "confidence": 0.9,
    }
    return ExtractedFact(**{**values, **more})  # type: ignore[arg-type]


def reading(of: Sentence, *facts: ExtractedFact, outcome: Outcome = "rules") -> Reading:
    return Reading(of, facts, outcome)
