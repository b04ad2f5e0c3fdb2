"""A benchmark of about a minute: questions about the demo palace, and figures at small size."""

import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.cases import DATA, BenchmarkImpossible, BenchQuestion, BenchSession, BenchTurn, Report
from bench.palaces import ingest, own_database, owner_of
from bench.rankings import ask
from bench.retrieval import write_json
from bench.scoring import score
from bench.speed import Plan, figures
from transfer.demo import DEMO_PREFIX, demo_conversations

LEAST_ANY_AT_5 = 0.9
MINED = 200


def run(out: Path, now: datetime, report: Report) -> dict[str, Any]:
    """Retrieval scores and figures, also written to `scores.json`.

    Raises BenchmarkImpossible if recall misses what it should find in the demo palace.
    """
    sessions = [
        BenchSession(
            key=chat.external_id,
            said_at=chat.created_at or now,
            turns=tuple(BenchTurn(turn.role, turn.content) for turn in chat.messages),
            name=chat.external_id,
        )
        for chat in demo_conversations(now)
    ]
    asked = tomllib.loads((DATA / "smoke.toml").read_text(encoding="utf-8"))
    questions = [
        BenchQuestion(words, "demo", words, now, gold=frozenset({f"{DEMO_PREFIX}{key}"}))
        for words, key in asked.items()
    ]
    with own_database("palace_bench_smoke"):
        measured = figures(Plan(sizes=(), mined=MINED), now, report)
        owner = owner_of("demo").id
        ingest(owner, sessions, now)
        scores = score([ask(owner, each, sessions)[0] for each in questions])
    scores = {"benchmark": "smoke", **scores, "figures": measured}
    write_json(out / "scores.json", scores)
    if scores["recall_any@5"] < LEAST_ANY_AT_5:
        raise BenchmarkImpossible("Recall misses what it should find in the demo palace.")
    return scores
