"""The same sixty facts told in several languages, each among ninety other remarks of its own, and
twelve questions that none of them answers.

The questions name what they are about in other forms of its words than those that were said.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from bench.cases import BenchSession, BenchTurn
from bench.errors import BenchmarkImpossible

LANGUAGES = ("en", "de", "es", "fr", "ru", "zh", "ja", "ar")
TURNS = 5
BEGINNING = datetime(2025, 3, 3, 18, tzinfo=UTC)
ASKED_AT = datetime(2025, 6, 2, 9, tzinfo=UTC)

_HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Story:
    """One remark of a person; with `asked`, the question that it answers. A question without a
    remark has no answer in the palace."""

    said: str = ""
    id: str = ""
    asked: str = ""


def stories(language: str) -> tuple[Story, ...]:
    """All remarks and questions in one language. Raises BenchmarkImpossible."""
    try:
        lines = (_HERE / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BenchmarkImpossible(f"There are no stories in the language {language}.") from error
    return tuple(Story(**json.loads(line)) for line in lines)


def sessions(told: tuple[Story, ...]) -> tuple[BenchSession, ...]:
    """The remarks as chats of five on following days, in the same mixture for every language."""
    remarks = [story.said for story in told if story.said]
    order = list(range(len(remarks)))
    Random(7).shuffle(order)  # noqa: S311 - a mixture, not a secret
    chats = [order[start : start + TURNS] for start in range(0, len(order), TURNS)]
    return tuple(
        BenchSession(
            key=f"story-{day}",
            said_at=BEGINNING + timedelta(days=day),
            turns=tuple(BenchTurn("user", remarks[number]) for number in chat),
        )
        for day, chat in enumerate(chats)
    )
