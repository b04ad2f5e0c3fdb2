"""LongMemEval retrieval, question by question, so that an interrupted run goes on where it was."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench.cache import CachingEmbedder
from bench.datasets import BenchQuestion, read_longmemeval
from bench.errors import BenchmarkImpossible
from bench.ingest import ingest, owner_of
from bench.isolation import own_database
from bench.retrieve import Ranking, ask
from bench.score import score
from llm import current
from memory.recall.types import RecallSettings

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: the data file, which haystack, how many questions, and where results go."""

    data: Path
    haystack: str
    out: Path
    limit: int | None = None
    stage: str = "full"
    keep: bool = False


def run(plan: Plan, report: Report) -> dict[str, Any]:
    """Ingest, ask and score as the stage says; returns the scores (empty after `ingest`).

    Raises BenchmarkImpossible.
    """
    if not list(read_longmemeval(plan.data, plan.haystack, 1)):
        raise BenchmarkImpossible(f"The data file {plan.data} holds no questions.")
    plan.out.mkdir(parents=True, exist_ok=True)
    if plan.stage != "score-retrieval":
        with own_database(_database(plan), keep=plan.keep), _caching(plan.out):
            _run_questions(plan, report)
    if plan.stage == "ingest":
        return {}
    scores = {**_about(plan), **score(list(_done(plan.out).values()))}
    (plan.out / "scores.json").write_text(json.dumps(scores, indent=2) + "\n")
    return scores


def _run_questions(plan: Plan, report: Report) -> None:
    done = _done(plan.out)
    with (plan.out / "rankings.jsonl").open("a") as file:
        for number, question in enumerate(
            read_longmemeval(plan.data, plan.haystack, plan.limit), start=1
        ):
            if question.id in done and plan.stage != "ingest":
                continue
            ranking = _one(plan, question)
            if ranking is not None:
                file.write(json.dumps(asdict(ranking)) + "\n")
                file.flush()
            report(f"question {number}: {len(question.sessions)} chats")


def _one(plan: Plan, question: BenchQuestion) -> Ranking | None:
    user = owner_of(question)
    if plan.stage != "retrieve":
        ingest(user.id, question.sessions, question.asked_at)
    if plan.stage == "ingest":
        return None
    return ask(user.id, question, RecallSettings())


def _done(out: Path) -> dict[str, Ranking]:
    path = out / "rankings.jsonl"
    if not path.exists():
        return {}
    found: dict[str, Ranking] = {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        row["turns"] = tuple((session, turn) for session, turn in row["turns"])
        row["gold_turns"] = tuple((session, turn) for session, turn in row["gold_turns"])
        found[row["question_id"]] = Ranking(**row)
    return found


@contextmanager
def _caching(out: Path) -> Iterator[None]:
    with current.using(embedder=CachingEmbedder(current.embedder(), out / "vectors.sqlite")):
        yield


def _database(plan: Plan) -> str:
    return f"palace_bench_{sha256(str(plan.out.resolve()).encode()).hexdigest()[:10]}"


def _about(plan: Plan) -> dict[str, Any]:
    return {
        "benchmark": "longmemeval",
        "haystack": plan.haystack,
        "data_sha256": sha256(plan.data.read_bytes()).hexdigest(),
        "embedding_model": current.embedder().model.key,
    }
