"""A benchmark of a minute: questions about the demo palace, and speed at small size."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.cases import BenchQuestion, BenchSession, BenchTurn
from bench.errors import BenchmarkImpossible
from bench.figures import figures
from bench.ingest import ingest, owner_of
from bench.isolation import own_database
from bench.retrieve import ask
from bench.score import score
from bench.variants import Variant
from chat.demo import DEMO_PREFIX, demo_conversations

LEAST_ANY_AT_5 = 0.9
DRAWERS = 200
FACTS = 500

ASKED = (
    ("Which bike did I buy, and from whom?", "a-bicycle-for-seven-hills"),
    ("What did I name my bicycle?", "a-bicycle-for-seven-hills"),
    ("Which nuts must I not eat?", "what-to-cook-when-cashews-are-out"),
    ("What did my teacher in Kyoto use to say before concerts?", "nerves-before-the-audition"),
    ("Who took over half of my cello pupils?", "they-said-yes"),
    ("How long should I steep jasmine tea?", "tea-for-the-evenings"),
    ("What happened in the tram tracks in the rain?", "tram-tracks-one-mira-nil"),
    ("What is the budget of my recording?", "the-recording-begins"),
    ("What does the cat eat?", "fado-has-opinions"),
    ("How much is the rent of the new flat?", "leaving-graça"),
    (
        "How long does it take me to ride to the rehearsal hall now?",
        "first-week-in-campo-de-ourique",
    ),
    ("玄米茶", "genmaicha"),
    ("What was sewn out of a theatre curtain?", "dona-fernanda-s-voice"),
    ("When are the rehearsals as assistant principal?", "a-promotion-maybe"),
    ("Who is coming to the birthday concert?", "planning-the-birthday-concert"),
)


def run(out: Path, now: datetime, report: Callable[[str], None]) -> dict[str, Any]:
    """Scores of retrieval and figures of speed. Raises BenchmarkImpossible when recall fails
    where it cannot be expected to."""
    out.mkdir(parents=True, exist_ok=True)
    with own_database("palace_bench_smoke", keep=False):
        sessions = tuple(_sessions(now))
        user = owner_of("demo")
        ingest(user.id, sessions, now)
        asked = [ask(user.id, each, sessions, Variant()) for each in _questions(now)]
        scores = score([each.ranking for each in asked])
    report("retrieval done")
    scores = {
        "benchmark": "smoke",
        **scores,
        "figures": figures((DRAWERS,), now, report, facts=FACTS),
    }
    (out / "scores.json").write_text(json.dumps(scores, indent=2) + "\n")
    if scores["recall_any@5"] < LEAST_ANY_AT_5:
        raise BenchmarkImpossible("Recall misses what it should find in the demo palace.")
    return scores


def _questions(now: datetime) -> Iterator[BenchQuestion]:
    for words, key in ASKED:
        yield BenchQuestion(
            id=words,
            type="demo",
            question=words,
            asked_at=now,
            gold=frozenset({f"{DEMO_PREFIX}{key}"}),
        )


def _sessions(now: datetime) -> Iterator[BenchSession]:
    for chat in demo_conversations(now):
        yield BenchSession(
            key=chat.external_id,
            said_at=chat.created_at or now,
            turns=tuple(BenchTurn(turn.role, turn.content) for turn in chat.messages),
            name=chat.external_id,
        )
