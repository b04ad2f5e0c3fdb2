"""Measure retrieval on a data set, question by question; a run that was killed continues where it
stopped."""

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from hashlib import sha256
from itertools import count, groupby, product
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import UUID

from bench.cases import DATA, BenchmarkImpossible, BenchQuestion, Case, Report, limited, pooled
from bench.datasets import DATA_SETS, load
from bench.embedding import CachingEmbedder
from bench.palaces import (
    MINED_ONCE,
    copy_sessions,
    filed_sessions,
    ingest,
    own_database,
    owner_of,
    with_distinct_keys,
)
from bench.rankings import PATIENT, Ranking, ask
from bench.scoring import score
from llm import current
from memory.recall.types import RecallSettings

HAYSTACK_KEYS = ("benchmark", "haystack", "pooled", "mined_once", "data_sha256", "embedding_model")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run.

    `ingested` is the folder of a kept run to query, `judge` the model that judges answers (the chat model by
    default); the other fields are the options of the command.
    """

    benchmark: str
    data: Path
    out: Path
    haystack: str = "haystack"
    limit: int | None = None
    stage: str = "full"
    keep: bool = False
    pooled: bool = False
    mined_once: bool = False
    ingested: Path | None = None
    seed: int = 0
    time_limit_ms: int = PATIENT.time_limit_ms
    never_said: bool = False
    tokens: int = PATIENT.token_budget
    top_k: int | None = None
    judge: str = ""

    @property
    def settings(self) -> RecallSettings:
        """The settings of recall."""
        settings = RecallSettings(time_limit_ms=self.time_limit_ms, token_budget=self.tokens)
        return settings if self.top_k is None else settings.limited_to(self.top_k)


class Journal:
    """Rows of a JSON Lines file by `question_id`; the last row of a question counts."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def rows(self) -> dict[str, Row]:
        """The rows so far. A last line torn by a kill is removed from the file."""
        if not self._path.exists():
            return {}
        text = self._path.read_text()
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            self._path.write_text(whole)
        return {row["question_id"]: row for row in map(json.loads, whole.splitlines())}

    def add(self, row: Mapping[str, Any]) -> None:
        with self._path.open("a") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


class Progress:
    """Reports how many of `total` things are done and how long the rest will take."""

    def __init__(self, report: Report, what: str, total: int) -> None:
        self.done = self._steps = 0
        self._report, self._what, self._total = report, what, total
        self._started = monotonic()

    def step(self, note: str = "") -> None:
        self.done += 1
        self._steps += 1
        each = (monotonic() - self._started) / self._steps
        left = timedelta(seconds=round(each * max(0, self._total - self.done)))
        self._report(f"{self._what} {self.done} of {self._total}, {left} left{note and f' ({note})'}")


def cases_of(plan: Plan) -> Callable[[], Iterable[Case]]:
    """A function that reads the cases anew each time, because haystacks of hundreds of chats do not
    all fit in memory. Raises BenchmarkImpossible."""
    data = load(plan.data)

    def read() -> Iterable[Case]:
        found = limited(DATA_SETS[plan.benchmark].read(data, plan.haystack), plan.limit)
        cases = [pooled(found)] if plan.pooled else found
        return map(_with_never_said, cases) if plan.never_said else cases

    return read


def _with_never_said(case: Case) -> Case:
    """The case with the 300 questions about things that nobody said, scored apart by their kind."""
    latest = max(question.asked_at for question in case.questions)
    kinds = tomllib.loads((DATA / "never_said.toml").read_text())
    more = (
        BenchQuestion(f"{case.id} {text}", f"never said: {kind}", text, latest, counted=False)
        for kind, given in kinds.items()
        for subject, frame in product(given["subjects"], given["frames"])
        for text in [frame.format(subject)]
    )
    return replace(case, questions=(*case.questions, *more))


def run(plan: Plan, report: Report) -> dict[str, Any]:
    """Ingest, ask and score up to the plan's stage; returns the scores, empty after `ingest`.

    Raises BenchmarkImpossible.
    """
    cases = cases_of(plan)
    total = sum(len(case.questions) for case in cases())
    if not total:
        raise BenchmarkImpossible(f"The data file {plan.data} contains no questions.")
    about = _about(plan)
    _claim_folder(plan.out, about)
    if plan.stage != "score-retrieval":
        keep = plan.keep or plan.stage == "ingest" or plan.ingested is not None
        embedder = CachingEmbedder(current.embedder(), plan.out / "vectors.sqlite")
        with own_database(_database(plan, about), keep=keep), current.using(embedder=embedder):
            if plan.mined_once:
                _mine_once(cases(), report)
            _Run(plan, Progress(report, "question", total)).work(cases())
    return {} if plan.stage == "ingest" else _scores(plan, about, list(cases()))


class _Run:
    """One pass over the cases that only mines and asks what earlier passes did not."""

    def __init__(self, plan: Plan, progress: Progress) -> None:
        self._plan = plan
        self._progress = progress
        self._rankings = Journal(plan.out / "rankings.jsonl")
        self._contexts = Journal(plan.out / "contexts.jsonl")
        self._ingest_only = plan.stage == "ingest"

    def work(self, cases: Iterable[Case]) -> None:
        done = {} if self._ingest_only else self._rankings.rows()
        for case in cases:
            left = [question for question in case.questions if question.id not in done]
            self._progress.done += len(case.questions) - len(left)
            if left and self._plan.mined_once:
                self._ask_copy(with_distinct_keys(case), left)
            elif left and case.interleaved:
                self._ask_between(case, left)
            elif left:
                owner = owner_of(case.id).id
                ingest(owner, case.sessions, left[-1].asked_at)
                self._ask(case, owner, left)

    def _ask_copy(self, case: Case, left: Sequence[BenchQuestion]) -> None:
        owner = owner_of(case.id).id
        if not filed_sessions(owner):
            copy_sessions(owner, owner_of(MINED_ONCE).id, case)
        self._ask(case, owner, left)

    def _ask_between(self, case: Case, left: Sequence[BenchQuestion]) -> None:
        """Mine up to each question before it is asked."""
        for before, some in groupby(left, key=lambda question: question.before or 0):
            questions, sessions = list(some), case.sessions[:before]
            owner = _palace_within(case, {session.key for session in sessions})
            ingest(owner, sessions, questions[0].asked_at)
            self._ask(case, owner, questions)

    def _ask(self, case: Case, owner: UUID, questions: Iterable[BenchQuestion]) -> None:
        for question in questions:
            if not self._ingest_only:
                ranking, block = ask(owner, question, case.sessions, self._plan.settings)
                self._contexts.add({"question_id": question.id, "block": block})
                self._rankings.add(asdict(ranking))
            self._progress.step(f"{len(case.sessions)} chats")


def _mine_once(cases: Iterable[Case], report: Report) -> None:
    everything = pooled(map(with_distinct_keys, cases), MINED_ONCE)
    report(f"mining {len(everything.sessions)} different chats once")
    latest = max(question.asked_at for question in everything.questions)
    ingest(owner_of(MINED_ONCE).id, everything.sessions, latest)


def _palace_within(case: Case, allowed: set[str]) -> UUID:
    """A palace of the case that holds none but these sessions."""
    palaces = (owner_of(f"{case.id} {number}").id for number in count())
    return next(owner for owner in palaces if filed_sessions(owner) <= allowed)


def _scores(plan: Plan, about: dict[str, Any], cases: Sequence[Case]) -> dict[str, Any]:
    rows = Journal(plan.out / "rankings.jsonl").rows()
    questions = [question for case in cases for question in case.questions]
    rankings = [Ranking.from_row(rows[each.id]) for each in questions if each.id in rows]
    allowed = RecallSettings().time_limit_ms
    slow = (each.milliseconds - each.embedding_ms > allowed for each in rankings)
    scores = {
        **about,
        "limit": plan.limit,
        "seed": plan.seed,
        "not_asked": len(questions) - len(rankings),
        "evidence_not_in_the_data": sum(question.missing for question in questions),
        "slower_than_the_product_allows": sum(slow),
        **score(rankings, DATA_SETS[plan.benchmark].unit, plan.seed),
    }
    write_json(plan.out / "scores.json", scores)
    return scores


def write_json(path: Path, value: Any) -> None:
    """Write a result file, making its folder if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2) + "\n")


def _database(plan: Plan, about: dict[str, Any]) -> str:
    """The database of this folder, or of the earlier run over the same chats."""
    home = plan.ingested or plan.out
    path = home / "run.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    if any(known.get(name) != about[name] for name in HAYSTACK_KEYS):
        raise BenchmarkImpossible(f"{home} contains no run over the same chats.")
    return f"palace_bench_{sha256(str(home.resolve()).encode()).hexdigest()[:10]}"


def _about(plan: Plan) -> dict[str, Any]:
    about = {
        "benchmark": plan.benchmark,
        "haystack": plan.haystack,
        "pooled": plan.pooled,
        "mined_once": plan.mined_once,
        "data_sha256": sha256(plan.data.read_bytes()).hexdigest(),
        "embedding_model": current.embedder().model.key,
        "settings": asdict(plan.settings),
    }
    plain: dict[str, Any] = json.loads(json.dumps(about, default=sorted))
    return plain


def _claim_folder(out: Path, about: dict[str, Any]) -> None:
    """Record which run a folder belongs to, so that two runs are never mixed."""
    path = out / "run.json"
    if path.exists() and json.loads(path.read_text()) != about:
        raise BenchmarkImpossible(
            f"{out} contains the results of another run; choose another folder with --out."
        )
    write_json(path, about)
