"""Whether the same facts are found again in each language: a palace per language."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any
from uuid import UUID

from accounts.models import User
from accounts.tenancy import tenant
from bench.errors import BenchmarkImpossible
from bench.ingest import ingest
from bench.isolation import own_database
from bench.languages.stories import ASKED_AT, Story, sessions, stories
from memory.models import Drawer
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest, RecallSettings

TOP = 5
PATIENT = RecallSettings(time_limit_ms=10_000)
"""A busy machine must not change what is found."""

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """Which languages to ask in; `show_misses` reports each question that was not answered."""

    languages: tuple[str, ...]
    out: Path
    show_misses: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """At which place, from 1, the right drawer stood: among what was given to the assistant, and
    in the order before anything was held back. 0 when it was not there at all. `silent` says that
    nothing was given."""

    story: Story
    given: int
    ranked: int
    silent: bool


def run(plan: Plan, report: Report, show: Report) -> dict[str, Any]:
    """Hit rates by language, also written to `scores.json`. Raises BenchmarkImpossible."""
    answered: dict[str, list[Answer]] = {}
    with own_database("palace_bench_languages", keep=False):
        for language in plan.languages:
            answered[language] = _answers(language)
            report(f"{language} done")
            if plan.show_misses:
                _show(language, answered[language], show)
    scores = {
        "benchmark": "languages",
        "questions": sum(map(len, answered.values())),
        "by_language": {language: score(answers) for language, answers in answered.items()},
    }
    plan.out.mkdir(parents=True, exist_ok=True)
    (plan.out / "scores.json").write_text(json.dumps(scores, indent=2) + "\n")
    return scores


def score(answers: list[Answer]) -> dict[str, float]:
    """The share of questions whose drawer was given among the first five and as the first, the
    same before anything was held back; and the share to which nothing was given, wrongly where a
    drawer answers the question and rightly where none does."""
    told = [answer for answer in answers if answer.story.said]
    return {
        "top_5": _share(0 < answer.given <= TOP for answer in told),
        "top_1": _share(answer.given == 1 for answer in told),
        "ranked_top_5": _share(0 < answer.ranked <= TOP for answer in told),
        "ranked_top_1": _share(answer.ranked == 1 for answer in told),
        "wrongly_silent": _share(answer.silent for answer in told),
        "rightly_silent": _share(answer.silent for answer in answers if not answer.story.said),
    }


def _answers(language: str) -> list[Answer]:
    told = stories(language)
    user, _ = User.objects.get_or_create(email=f"{language}@bench.invalid")
    ingest(user.id, sessions(told), ASKED_AT)
    with tenant(user.id):
        return [_ask(user.id, story) for story in told if story.asked]


def _ask(user_id: UUID, story: Story) -> Answer:
    drawers = Drawer.objects.filter(user_id=user_id, content=story.said)
    wanted = drawers.values_list("id", flat=True).first()
    answer = recall(
        RecallRequest(user_id=user_id, message=story.asked, now=ASKED_AT, settings=PATIENT)
    )
    if answer.trace.degraded:
        raise BenchmarkImpossible(answer.trace.degraded[0].words)
    return Answer(
        story=story,
        given=_place(wanted, [hit.drawer_id for hit in answer.hits]),
        ranked=_place(wanted, [found.drawer_id for found in answer.trace.considered]),
        silent=not answer.hits,
    )


def _place(wanted: UUID | None, found: list[UUID]) -> int:
    return found.index(wanted) + 1 if wanted and wanted in found else 0


def _show(language: str, answers: list[Answer], show: Report) -> None:
    for answer in answers:
        if answer.story.said and not 0 < answer.given <= TOP:
            show(f"{language} {answer.ranked:3} {answer.story.asked} <- {answer.story.said}")


def _share(values: Iterable[bool]) -> float:
    several = list(values)
    return round(fmean(several), 4) if several else 0.0
