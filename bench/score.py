"""Scores rankings. `all` wants every piece of evidence among the first k, `any` at least one,
and `session_recall` and `turn_recall` are the share of the evidence that is there."""

import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import log2
from statistics import fmean
from typing import Any

from bench.cases import Unit
from bench.retrieve import Ranking

CUTS = (1, 3, 5, 10, 20)
SAMPLES = 1000
SHOWN_WITH_CONFIDENCE = ("recall_all@5", "recall_any@5", "recall_any@1", "turn_recall@5")

Found = tuple[Sequence[Hashable], frozenset[Hashable]]


def score(rankings: Sequence[Ranking], unit: Unit = "session", seed: int = 0) -> dict[str, Any]:
    """Flat means over the counted questions, the same by type, latency, tokens, and the 95 %
    range of a few of them by resampling the questions. Questions that are not counted, because no
    evidence answers them or their data set reports them apart, stand by type under `apart`."""
    counted = [ranking for ranking in rankings if ranking.counted]
    apart = [ranking for ranking in rankings if not ranking.counted]
    return {
        "unit": unit,
        "questions": len(counted),
        "questions_apart": len(apart),
        **_means(counted, unit),
        "not_searched": sum(not ranking.searched for ranking in counted),
        "degraded": sum(bool(ranking.degraded) for ranking in rankings),
        **_costs(rankings),
        "confidence_95": _confidence(counted, unit, seed),
        "by_type": _by_type(counted, unit),
        "apart": _by_type(apart, unit),
    }


def _by_type(rankings: Iterable[Ranking], unit: Unit) -> dict[str, Any]:
    groups: dict[str, list[Ranking]] = defaultdict(list)
    for ranking in rankings:
        groups[ranking.type].append(ranking)
    return {
        name: {"questions": len(group), **_means(group, unit)}
        for name, group in sorted(groups.items())
    }


def _costs(rankings: Sequence[Ranking]) -> dict[str, float]:
    times = [ranking.milliseconds for ranking in rankings]
    return {
        "latency_ms_p50": _percentile(times, 0.5),
        "latency_ms_p95": _percentile(times, 0.95),
        "embedding_ms_p50": _percentile([r.embedding_ms for r in rankings], 0.5),
        "tokens_injected_mean": _mean(r.tokens for r in rankings),
    }


def _means(rankings: Sequence[Ranking], unit: Unit) -> dict[str, float]:
    """The means of every measure; none of a unit for which no question has evidence."""
    rows = [_measures(ranking, unit) for ranking in rankings]
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: _mean(row[name] for row in rows if name in row) for name in names}


def _measures(ranking: Ranking, unit: Unit) -> dict[str, float]:
    found: Mapping[str, Found] = {
        "session": (ranking.sessions, frozenset(ranking.gold)),
        "turn": (ranking.turns, frozenset(ranking.gold_turns)),
    }
    scores: dict[str, float] = {}
    if found[unit][1]:
        scores |= _at_cuts({"recall_all": _all, "recall_any": _any, "ndcg": _ndcg}, found[unit])
        scores["R@1"] = scores["recall_any@1"]
    for name, pair in found.items():
        if pair[1]:
            measures = {f"{name}_recall": _share, f"{name}_all": _all, f"{name}_any": _any}
            scores |= _at_cuts(measures, pair)
    shown = frozenset(ranking.injected)
    if ranking.gold:
        scores["injected_sessions"] = _part({s for s, _ in shown}, frozenset(ranking.gold))
    if ranking.gold_turns:
        scores["injected_turns"] = _part(shown, frozenset(ranking.gold_turns))
    return scores


def _at_cuts(
    measures: Mapping[str, Callable[[Found, int], float]], pair: Found
) -> dict[str, float]:
    return {f"{name}@{cut}": found(pair, cut) for cut in CUTS for name, found in measures.items()}


def _all(pair: Found, cut: int) -> float:
    return float(pair[1] <= set(pair[0][:cut]))


def _any(pair: Found, cut: int) -> float:
    return float(bool(pair[1] & set(pair[0][:cut])))


def _share(pair: Found, cut: int) -> float:
    return _part(pair[0][:cut], pair[1])


def _ndcg(pair: Found, cut: int) -> float:
    """The ideal is over all the evidence there is, also beyond the cut."""
    ranked, wanted = pair
    gain = sum(1 / log2(place + 2) for place, name in enumerate(ranked[:cut]) if name in wanted)
    return gain / sum(1 / log2(place + 2) for place in range(len(wanted)))


def _part(found: Iterable[Hashable], wanted: frozenset[Hashable]) -> float:
    return len(wanted.intersection(found)) / len(wanted)


def _confidence(rankings: Sequence[Ranking], unit: Unit, seed: int) -> dict[str, list[float]]:
    rows = [_measures(ranking, unit) for ranking in rankings]
    chance = random.Random(seed)  # noqa: S311 - a sample of questions needs no secrecy
    ranges = {}
    for name in SHOWN_WITH_CONFIDENCE:
        values = [row[name] for row in rows if name in row]
        if values:
            means = sorted(fmean(chance.choices(values, k=len(values))) for _ in range(SAMPLES))
            ranges[name] = [round(means[int(SAMPLES * part)], 4) for part in (0.025, 0.975)]
    return ranges


def _mean(values: Iterable[float]) -> float:
    several = list(values)
    return round(fmean(several), 4) if several else 0.0


def _percentile(values: Sequence[float], share: float) -> float:
    if not values:
        return 0.0
    return round(sorted(values)[min(len(values) - 1, int(share * len(values)))], 2)
