"""Measure whether facts are found in each language.

Sixty questions, phrased with other forms of the words, about remarks among ninety others, and twelve
questions without an answer.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from bench.cases import DATA, BenchmarkImpossible, BenchQuestion, BenchSession, BenchTurn, Report
from bench.palaces import ingest, own_database, owner_of
from bench.rankings import Ranking, ask
from bench.retrieval import write_json
from bench.scoring import mean

LANGUAGES = ("en", "de", "es", "fr", "ru", "zh", "ja", "ar")
TURNS = 5
BEGINNING = datetime(2025, 3, 3, 18, tzinfo=UTC)
ASKED_AT = datetime(2025, 6, 2, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Story:
    """One remark and the question it answers, either of which may be missing."""

    said: str = ""
    id: str = ""
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The languages to ask in; `show_misses` lists the questions that were not answered. With `across`,
    what was said in each language is asked for in English."""

    languages: tuple[str, ...]
    out: Path
    show_misses: bool = False
    across: bool = False


def run(plan: Plan, report: Report, show: Report) -> dict[str, Any]:
    """Hit rates by language, also written to `scores.json`. Raises BenchmarkImpossible."""
    rankings: dict[str, list[Ranking]] = {}
    with own_database("palace_bench_languages"):
        for language in plan.languages:
            rankings[language] = _rankings(language, across=plan.across)
            report(f"{language} done")
            for missed in (each for each in rankings[language] if each.gold_turns and not _given(each, 5)):
                if plan.show_misses:
                    show(f"{language}: {missed.question_id} <- {missed.gold_turns[0][1]}")
    scores = {
        "benchmark": "languages",
        "questions": sum(map(len, rankings.values())),
        "by_language": {language: score(several) for language, several in rankings.items()},
    }
    write_json(plan.out / "scores.json", scores)
    return scores


def score(rankings: Sequence[Ranking]) -> dict[str, float]:
    """The share of questions answered in the first five drawers or the first, and of empty results.

    Both as given to the assistant and as ranked before anything is held back; empty results are wrong where a
    drawer holds the answer and right where none does.
    """
    told = [each for each in rankings if each.gold_turns]
    return {
        "top_5": mean(_given(each, 5) for each in told),
        "top_1": mean(_given(each, 1) for each in told),
        "ranked_top_5": mean(each.gold_turns[0] in each.turns[:5] for each in told),
        "ranked_top_1": mean(each.gold_turns[0] in each.turns[:1] for each in told),
        "wrongly_silent": mean(not each.injected for each in told),
        "rightly_silent": mean(not each.injected for each in rankings if not each.gold_turns),
    }


def stories(language: str) -> tuple[Story, ...]:
    """All remarks and questions in one language."""
    lines = (DATA / "languages" / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(Story(**json.loads(line)) for line in lines)


def sessions(told: Sequence[Story]) -> tuple[BenchSession, ...]:
    """The remarks as daily chats of five, shuffled alike for every language."""
    remarks = [story.said for story in told if story.said]
    Random(7).shuffle(remarks)  # noqa: S311 - a mixture, not a secret
    return tuple(
        BenchSession(
            key=f"story-{day}",
            said_at=BEGINNING + timedelta(days=day),
            turns=tuple(BenchTurn("user", words, words) for words in remarks[start : start + TURNS]),
            name="stories",
        )
        for day, start in enumerate(range(0, len(remarks), TURNS))
    )


def _rankings(language: str, *, across: bool) -> list[Ranking]:
    told = _asked_in_english(stories(language)) if across else stories(language)
    chats = sessions(told)
    owner = owner_of(language).id
    ingest(owner, chats, ASKED_AT)
    found = [ask(owner, _question(each), chats)[0] for each in told if each.asked]
    if any(each.degraded for each in found):
        raise BenchmarkImpossible("A part of recall failed, so these figures would mean nothing.")
    return found


def _asked_in_english(told: Iterable[Story]) -> list[Story]:
    english = {story.id: story.asked for story in stories("en") if story.id}
    return [replace(story, asked=english.get(story.id, "")) for story in told]


def _question(story: Story) -> BenchQuestion:
    gold = frozenset({("stories", story.said)}) if story.said else frozenset()
    return BenchQuestion(story.asked, "language", story.asked, ASKED_AT, gold_turns=gold)


def _given(ranking: Ranking, most: int) -> bool:
    return ranking.gold_turns[0] in ranking.injected[:most]
