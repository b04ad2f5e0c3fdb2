"""How much a paste around a question changes what recall looks for.

Every question of a data set is asked alone and with each paste before, after and around it. What
counts is whether the same is looked for: the same words, and the same text or one whose vector is
nearly the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from bench.cases import BenchQuestion, limited
from bench.datasets import DATA_SETS
from bench.files import load
from bench.pollution.polluters import LENGTH, PLACES, Polluter, polluters
from bench.progress import Report
from llm import current
from llm.gateway import Embedder
from memory.recall.rewriting import rewrite
from memory.recall.types import Query, RecallRequest

NEARLY = 0.95
NOBODY = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Plan:
    """Which questions: of a data set's file, the first `limit` of them; pastes of which length."""

    benchmark: str
    data: Path
    limit: int | None = None
    length: int = LENGTH


def run(plan: Plan, report: Report) -> dict[str, Any]:
    """The share of questions that come through each paste, from 0 to 1, by paste and by place."""
    found = limited(DATA_SETS[plan.benchmark].read(load(plan.data), "haystack"), plan.limit)
    questions = [question for case in found for question in case.questions]
    same: dict[tuple[str, str], list[bool]] = defaultdict(list)
    pastes = polluters(plan.length)
    for done, question in enumerate(questions, start=1):
        for key, kept in _tried(question, pastes, current.embedder()):
            same[key].append(kept)
        report(f"{done} of {len(questions)} questions")
    return {
        "questions": len(questions),
        "length": plan.length,
        "same": _share(kept for each in same.values() for kept in each),
        "by_place": {place: _share(_of(same, place=place)) for place in PLACES},
        "by_paste": {paste.name: _share(_of(same, name=paste.name)) for paste in pastes},
    }


def is_same(clean: Query, polluted: Query, embedder: Embedder) -> bool:
    """Whether both look for the same: the same words, and a vector that is nearly the same."""
    if clean.text == polluted.text:
        return True
    if set(clean.words) != set(polluted.words):
        return False
    first, second = (embedder.embed_query(query.text).vectors[0] for query in (clean, polluted))
    return float(first @ second) >= NEARLY


def _tried(
    question: BenchQuestion, pastes: Sequence[Polluter], embedder: Embedder
) -> Iterable[tuple[tuple[str, str], bool]]:
    clean = _looked_for(question, question.question)
    for paste in pastes:
        for place in PLACES:
            polluted = _looked_for(question, paste.around(question.question, place))
            yield (paste.name, place), is_same(clean, polluted, embedder)


def _looked_for(question: BenchQuestion, message: str) -> Query:
    return rewrite(RecallRequest(NOBODY, message, question.asked_at))


def _of(same: dict[tuple[str, str], list[bool]], name: str = "", place: str = "") -> Iterable[bool]:
    for (paste, where), kept in same.items():
        if paste == name or where == place:
            yield from kept


def _share(kept: Iterable[bool]) -> float:
    every = list(kept)
    return round(sum(every) / max(1, len(every)), 4)
