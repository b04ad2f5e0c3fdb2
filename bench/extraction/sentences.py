"""Sentences with the facts a reader finds in them, in two halves and later sets.

Whoever writes rules looks at `dev` and the later `dev2` to `dev6` only; `held`, `held2` and
`held3` say how the rules do on what they never saw. The later sets were written after the first rules,
by people who did not know them: `dev4` and `held3` are two halves again, `dev5` and `dev6` are messages after
the pattern of those in `dev`, in `dev6` many of them made to deceive.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, cast

from bench.errors import BenchmarkImpossible
from memory.mining.types import FACT_KINDS
from memory.transcripts import Role

HALVES = ("dev", "held")
DEVELOPMENT = ("dev", "dev2", "dev3", "dev4", "dev5", "dev6")
SETS = (*DEVELOPMENT, "held", "held2", "held3")
LANGUAGES = ("en", "de", "es", "fr", "zh", "ru")
REASONS = (
    "assistant",
    "command",
    "discussed",
    "general_knowledge",
    "hypothetical",
    "joke",
    "negated",
    "other_person",
    "passing_state",
    "pasted",
    "pleasantry",
    "question",
    "quoted",
    "role_play",
    "tool",
)
_HERE = Path(__file__).resolve().parent
_ROLES = ("user", "assistant", "tool")
_FACT_KEYS = {"kind", "accept_kinds", "object", "single_valued", "event_date"} | {
    "opposite",
    "optional",
}


@dataclass(frozen=True, slots=True)
class GoldFact:
    """What a reader finds in a sentence.

    `kinds` are the kinds a reasonable reader accepts, the best first. A found fact has to hold
    every word of one of `objects`, and must not have the predicate `opposite`, which would turn
    it round. An `optional` one may be found and need not be.
    """

    kinds: tuple[str, ...]
    objects: tuple[str, ...]
    single_valued: bool = False
    event_date: date | None = None
    opposite: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """One message. Without facts it is a negative, and `why` names the reason."""

    id: str
    language: str
    text: str
    role: Role
    said_at: datetime
    facts: tuple[GoldFact, ...]
    why: str = ""


def read_half(name: str) -> tuple[Sentence, ...]:
    """The sentences of one of SETS, in the order of the file."""
    return read_sentences(_HERE / f"sentences_{name}.jsonl")


def read_sentences(path: Path) -> tuple[Sentence, ...]:
    """The sentences of a file. Raises BenchmarkImpossible, naming the line, when one is not as it
    should be."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise BenchmarkImpossible(f"The sentences in {path} cannot be read.") from error
    return tuple(_read(line, number, path) for number, line in enumerate(lines, 1) if line)


def _read(line: str, number: int, path: Path) -> Sentence:
    try:
        return _sentence(json.loads(line))
    except (KeyError, TypeError, ValueError) as error:
        raise BenchmarkImpossible(f"Line {number} of {path.name} is wrong: {error}") from error


def _sentence(entry: Mapping[str, Any]) -> Sentence:
    sentence = Sentence(
        id=_words(entry["id"]),
        language=_one_of(entry["language"], LANGUAGES),
        text=_words(entry["text"]),
        role=cast("Role", _one_of(entry["role"], _ROLES)),
        said_at=datetime.fromisoformat(entry["said_at"]),
        facts=tuple(_fact(fact) for fact in entry["facts"]),
        why=_one_of(entry["why"], REASONS) if "why" in entry else "",
    )
    if bool(sentence.facts) == bool(sentence.why):
        raise ValueError("a sentence has either facts or a reason for having none")
    if sentence.said_at.tzinfo is None:
        raise ValueError("the moment it was said has no time zone")
    return sentence


def _fact(entry: Mapping[str, Any]) -> GoldFact:
    unknown = entry.keys() - _FACT_KEYS
    if unknown:
        raise ValueError(f"nobody knows {', '.join(sorted(unknown))}")
    objects = entry["object"]
    kinds = (entry["kind"], *entry.get("accept_kinds", ()))
    day = entry.get("event_date")
    return GoldFact(
        kinds=tuple(_one_of(kind, FACT_KINDS) for kind in kinds),
        objects=tuple(
            _words(each) for each in ([objects] if isinstance(objects, str) else objects)
        ),
        single_valued=bool(entry.get("single_valued", False)),
        event_date=date.fromisoformat(day) if day else None,
        opposite=entry.get("opposite", ""),
        optional=bool(entry.get("optional", False)),
    )


def _words(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a text is missing")
    return value


def _one_of(value: Any, known: tuple[str, ...]) -> str:
    if value not in known:
        raise ValueError(f"{value!r} is not one of {', '.join(known)}")
    return str(value)
