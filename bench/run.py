"""Measures retrieval on a data set, question by question, so that a run that was killed goes on
where it was."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from itertools import count, groupby
from pathlib import Path
from typing import Any
from uuid import UUID

from bench.cache import CachingEmbedder
from bench.cases import BenchQuestion, Case
from bench.datasets import DATA_SETS
from bench.errors import BenchmarkImpossible
from bench.ingest import ingest, kept_sessions, owner_of
from bench.isolation import own_database
from bench.journal import Journal
from bench.plan import Plan, cases_of
from bench.progress import Progress, Report
from bench.retrieve import Ranking, ask, ranking_of
from bench.score import score
from bench.sharing import NAME, all_of, furnish, own
from llm import current
from memory.recall.types import RecallSettings

OF_THE_CHATS = ("benchmark", "haystack", "pooled", "mined_once", "data_sha256", "embedding_model")


def run(plan: Plan, report: Report) -> dict[str, Any]:
    """Ingest, ask and score as the stage says; returns the scores (empty after `ingest`).

    Raises BenchmarkImpossible.
    """
    cases = cases_of(plan)
    total = sum(len(case.questions) for case in cases())
    if not total:
        raise BenchmarkImpossible(f"The data file {plan.data} holds no questions.")
    about = _about(plan)
    _claim_folder(plan.out, about)
    if plan.stage != "score-retrieval":
        keep = plan.keep or plan.stage == "ingest" or plan.ingested is not None
        with own_database(_database(plan, about), keep=keep), _caching(plan):
            if plan.mined_once:
                _mine_once(cases(), report)
            _Run(plan, Journal(plan.out / "rankings.jsonl"), total, report).go(cases())
    if plan.stage == "ingest":
        return {}
    return _scores(plan, about, cases())


class _Run:
    """One pass over the cases: what is done is left alone, what is not is mined and asked."""

    def __init__(self, plan: Plan, rankings: Journal, total: int, report: Report) -> None:
        self._stage = plan.stage
        self._variant = plan.variant
        self._mined_once = plan.mined_once
        self._rankings = rankings
        self._contexts = Journal(plan.out / "contexts.jsonl")
        self._done = {} if plan.stage == "ingest" else rankings.rows()
        self._progress = Progress(report, "question", total)

    def go(self, cases: Iterable[Case]) -> None:
        """Work through all cases."""
        for case in cases:
            left = [question for question in case.questions if question.id not in self._done]
            self._progress.done += len(case.questions) - len(left)
            if not left:
                continue
            if self._mined_once:
                self._ask_copy(own(case), left)
            elif self._stage == "ingest":
                self._ingest(case)
            elif case.in_order_of_time:
                self._ask_between(case, left)
            else:
                user_id = owner_of(case.id).id
                ingest(user_id, case.sessions, left[-1].asked_at)
                self._ask(case, user_id, left)

    def _ask_copy(self, case: Case, left: Sequence[BenchQuestion]) -> None:
        user_id = owner_of(case.id).id
        if not kept_sessions(user_id):
            furnish(user_id, owner_of(NAME).id, case)
        if self._stage != "ingest":
            self._ask(case, user_id, left)

    def _ingest(self, case: Case) -> None:
        name = f"{case.id} 0" if case.in_order_of_time else case.id
        ingest(owner_of(name).id, case.sessions, case.questions[-1].asked_at)
        for _ in case.questions:
            self._progress.step(f"{len(case.sessions)} chats")

    def _ask_between(self, case: Case, left: Iterable[BenchQuestion]) -> None:
        for before, several in groupby(left, key=lambda question: question.before or 0):
            questions = list(several)
            earlier = case.sessions[:before]
            user_id = _palace_of(case, {session.key for session in earlier})
            ingest(user_id, earlier, questions[0].asked_at)
            self._ask(case, user_id, questions)

    def _ask(self, case: Case, user_id: UUID, questions: Iterable[BenchQuestion]) -> None:
        for question in questions:
            asked = ask(user_id, question, case.sessions, self._variant)
            self._contexts.add({"question_id": question.id, "block": asked.block})
            self._rankings.add(asked.ranking.as_json())
            self._progress.step(f"{len(case.sessions)} chats")


def _mine_once(cases: Iterable[Case], report: Report) -> None:
    everything = all_of(cases)
    if everything.in_order_of_time:
        raise BenchmarkImpossible(
            "Questions of this data set are asked between the chats, so its haystacks share none."
        )
    report(f"mining {len(everything.sessions)} different chats once")
    latest = max(question.asked_at for question in everything.questions)
    ingest(owner_of(NAME).id, everything.sessions, latest)


def _palace_of(case: Case, allowed: set[str]) -> UUID:
    """A palace that holds nothing said later than these chats."""
    palaces = (owner_of(f"{case.id} {number}").id for number in count())
    return next(user_id for user_id in palaces if kept_sessions(user_id) <= allowed)


def _scores(plan: Plan, about: dict[str, Any], cases: Iterable[Case]) -> dict[str, Any]:
    rows = Journal(plan.out / "rankings.jsonl").rows()
    found = list(cases)
    asked = [question.id for case in found for question in case.questions]
    rankings = [ranking_of(rows[name]) for name in asked if name in rows]
    scores = {
        **about,
        "limit": plan.limit,
        "seed": plan.seed,
        "not_asked": len(asked) - len(rankings),
        "evidence_not_in_the_data": sum(case.unresolved for case in found),
        "slower_than_the_product_allows": _slow(rankings),
        **score(rankings, DATA_SETS[plan.benchmark].unit, plan.seed),
    }
    (plan.out / "scores.json").write_text(json.dumps(scores, indent=2) + "\n")
    return scores


def _slow(rankings: Iterable[Ranking]) -> int:
    allowed = RecallSettings().patience_ms
    return sum(ranking.milliseconds - ranking.embedding_ms > allowed for ranking in rankings)


@contextmanager
def _caching(plan: Plan) -> Iterator[None]:
    path = plan.vectors or plan.out / "vectors.sqlite"
    with current.using(embedder=CachingEmbedder(current.embedder(), path)):
        yield


def _database(plan: Plan, about: dict[str, Any]) -> str:
    """The name of the database: that of another run, if it held the same chats."""
    home = plan.ingested or plan.out
    path = home / "run.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    if any(known.get(name) != about[name] for name in OF_THE_CHATS):
        raise BenchmarkImpossible(f"{home} holds no run over the same chats.")
    return f"palace_bench_{sha256(str(home.resolve()).encode()).hexdigest()[:10]}"


def _about(plan: Plan) -> dict[str, Any]:
    about = {
        "benchmark": plan.benchmark,
        "haystack": plan.haystack,
        "pooled": plan.pooled,
        "mined_once": plan.mined_once,
        "data_sha256": sha256(plan.data.read_bytes()).hexdigest(),
        "embedding_model": current.embedder().model.key,
        "without": plan.without,
        "only": plan.only,
        "settings": asdict(plan.variant.settings),
    }
    plain: dict[str, Any] = json.loads(json.dumps(about, default=sorted))
    return plain


def _claim_folder(out: Path, about: dict[str, Any]) -> None:
    """Note what a folder holds the results of, so that two runs are never mixed."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / "run.json"
    if path.exists() and json.loads(path.read_text()) != about:
        raise BenchmarkImpossible(
            f"{out} holds the results of another run; choose another folder with --out."
        )
    path.write_text(json.dumps(about, indent=2) + "\n")
