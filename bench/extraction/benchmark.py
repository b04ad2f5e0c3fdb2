"""The extractor against sentences a reader has marked: rules alone, or the product with a model."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.errors import BenchmarkImpossible
from bench.extraction.judging import Judged, judge
from bench.extraction.reading import Reading, read_by_model, read_by_rules
from bench.extraction.scoring import answers, score
from bench.extraction.sentences import DEVELOPMENT, SETS, Sentence, read_half
from llm import current
from llm.errors import NoEndpoint

EVERY = 100

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """`half` is one of SETS, or "both" for all of them; `by_model` asks the configured endpoint;
    `show_errors` reports what was missed and what is wrong, sentence by sentence, for the sets of
    DEVELOPMENT and never for the held ones."""

    half: str
    out: Path
    by_model: bool = False
    show_errors: bool = False


def run(plan: Plan, report: Report, show: Report) -> dict[str, Any]:
    """Scores by set, also written to `scores.json` in the plan's folder. `report` is told of
    progress, `show` of each error. Raises BenchmarkImpossible."""
    sets = SETS if plan.half == "both" else (plan.half,)
    if plan.show_errors and not set(sets) & set(DEVELOPMENT):
        raise BenchmarkImpossible("The sentences of a held set are not shown to anybody.")
    scores: dict[str, Any] = {"benchmark": "extraction", "extractor": _extractor(plan)}
    for name in sets:
        readings = tuple(_counted(_read(read_half(name), plan), name, report))
        judged = _judged(readings)
        scores[name] = score(judged) | ({"answers": answers(readings)} if plan.by_model else {})
        if plan.show_errors and name in DEVELOPMENT:
            _show(judged, show)
    plan.out.mkdir(parents=True, exist_ok=True)
    (plan.out / "scores.json").write_text(json.dumps(scores, indent=2) + "\n")
    return scores


def _extractor(plan: Plan) -> str:
    return current.configuration().extraction_model if plan.by_model else "rules"


def _read(sentences: Sequence[Sentence], plan: Plan) -> Iterator[Reading]:
    if not plan.by_model:
        return read_by_rules(sentences)
    try:
        chat = current.chat()
    except NoEndpoint as error:
        raise BenchmarkImpossible(str(error)) from error
    return read_by_model(sentences, chat, current.configuration().extraction_model)


def _counted(readings: Iterable[Reading], name: str, report: Report) -> Iterator[Reading]:
    for number, reading in enumerate(readings, 1):
        if number % EVERY == 0:
            report(f"{name}: {number} sentences read")
        yield reading


def _judged(readings: Sequence[Reading]) -> tuple[Judged, ...]:
    return tuple(judge(reading) for reading in readings if reading.outcome != "unanswered")


def _show(judged: Sequence[Judged], show: Report) -> None:
    for verdict in judged:
        if verdict.missed or verdict.wrong:
            show("\n".join(_errors(verdict)))


def _errors(verdict: Judged) -> Iterator[str]:
    yield f"{verdict.sentence.id} {verdict.sentence.why}".rstrip() + f": {verdict.sentence.text}"
    for gold in verdict.missed:
        yield f"    missed  {' | '.join(gold.kinds)}: {' | '.join(gold.objects)}"
    for fact in verdict.wrong:
        yield f"    wrong   {fact.kind} {fact.predicate}: {fact.statement}"
    for fact in verdict.reviewed:
        yield f"    waits   {fact.kind} {fact.predicate}: {fact.statement}"
