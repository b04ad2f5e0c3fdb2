"""Precision and recall of an extractor over a half, by language and by kind."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from bench.extraction.judging import Judged
from bench.extraction.reading import Reading

Part = tuple[str, str, str]
"""One thing counted: `hit`, `missed` or `wrong`, with its language and its kind."""


def score(judged: Sequence[Judged]) -> dict[str, Any]:
    """Shares from 0 to 1 with the counts they come from; None where there is nothing to share.

    A hit counts under the reader's kind of fact, something wrong under its own. Nothing here
    repeats a sentence.
    """
    parts = tuple(part for verdict in judged for part in _parts(verdict))
    return {
        "sentences": len(judged),
        **_shares(parts),
        "by_language": _grouped(parts, lambda part: part[1]),
        "by_kind": _grouped(parts, lambda part: part[2]),
        "by_kind_english": _grouped(
            (part for part in parts if part[1] == "en"), lambda part: part[2]
        ),
        "negatives": _negatives(judged),
        "waiting_for_review": sum(len(verdict.reviewed) for verdict in judged),
        **_details(judged),
    }


def answers(readings: Iterable[Reading]) -> dict[str, Any]:
    """How a model answered: valid JSON at first and after one repair, as shares of the sentences
    it was asked about and did answer, and the tokens it took."""
    several = [reading for reading in readings if reading.outcome != "rules"]
    outcomes = Counter(reading.outcome for reading in several)
    answered = outcomes["valid"] + outcomes["repaired"] + outcomes["unreadable"]
    calls = [usage for reading in several for usage in reading.usage]
    return {
        "asked": len(several),
        "valid_json_first": _share(outcomes["valid"], answered),
        "valid_json_after_repair": _share(outcomes["valid"] + outcomes["repaired"], answered),
        **{name: outcomes[name] for name in ("repaired", "unreadable", "declined", "unanswered")},
        "input_tokens": sum(usage.input_tokens for usage in calls),
        "output_tokens": sum(usage.output_tokens for usage in calls),
    }


def _parts(verdict: Judged) -> Iterator[Part]:
    language = verdict.sentence.language
    for gold, _ in verdict.hits:
        yield "hit", language, gold.kinds[0]
    for gold in verdict.missed:
        yield "missed", language, gold.kinds[0]
    for fact in verdict.wrong:
        yield "wrong", language, fact.kind


def _grouped(parts: Iterable[Part], key: Callable[[Part], str]) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[Part]] = {}
    for part in parts:
        groups.setdefault(key(part), []).append(part)
    return {name: _shares(group) for name, group in sorted(groups.items())}


def _shares(parts: Iterable[Part]) -> dict[str, Any]:
    counts = Counter(verdict for verdict, _, _ in parts)
    return {
        "precision": _share(counts["hit"], counts["hit"] + counts["wrong"]),
        "recall": _share(counts["hit"], counts["hit"] + counts["missed"]),
        **{name: counts[name] for name in ("hit", "missed", "wrong")},
    }


def _negatives(judged: Sequence[Judged]) -> dict[str, Any]:
    negatives = [verdict for verdict in judged if verdict.sentence.why]
    fooled = Counter(verdict.sentence.why for verdict in negatives if verdict.wrong)
    return {
        "sentences": len(negatives),
        "with_facts": sum(fooled.values()),
        "with_facts_by_reason": dict(sorted(fooled.items())),
    }


def _details(judged: Sequence[Judged]) -> dict[str, Any]:
    """Of the hits that have a date, or that end an older value: how many say so."""
    hits = [match for verdict in judged for match in verdict.hits]
    dated = [
        fact.event_time is not None and fact.event_time.date() == gold.event_date
        for gold, fact in hits
        if gold.event_date
    ]
    single = [fact.single_valued for gold, fact in hits if gold.single_valued]
    return {
        "right_event_date": _share(sum(dated), len(dated)),
        "known_as_single_valued": _share(sum(single), len(single)),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
