"""Score rankings: strict and lenient recall, NDCG, latency and tokens.

`all` wants every piece of evidence among the first k, `any` at least one; `session_recall` and
`turn_recall` are the share of the evidence found there.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from bench.cases import Unit
from bench.rankings import Ranking

CUTS = (1, 3, 5, 10, 20)
SAMPLES = 1000
WITH_CONFIDENCE = ("recall_all@5", "recall_any@5", "recall_any@1", "turn_recall@5")

Measures = dict[str, float]


def score(rankings: Sequence[Ranking], unit: Unit = "session", seed: int = 0) -> dict[str, Any]:
    """Means over the counted questions, flat and `by_type`, with latency, tokens and the bootstrapped
    95 % range of a few of them; uncounted questions are scored by type under `apart`."""
    counted = [ranking for ranking in rankings if ranking.counted]
    apart = [ranking for ranking in rankings if not ranking.counted]
    rows = [_measures(ranking, unit) for ranking in counted]
    times = [ranking.milliseconds for ranking in rankings]
    return {
        "unit": unit,
        "questions": len(counted),
        "questions_apart": len(apart),
        **_means(rows),
        "not_searched": sum(not ranking.searched for ranking in counted),
        "degraded": sum(bool(ranking.degraded) for ranking in rankings),
        "latency_ms_p50": percentile(times, 50),
        "latency_ms_p95": percentile(times, 95),
        "embedding_ms_p50": percentile([ranking.embedding_ms for ranking in rankings], 50),
        "tokens_injected_mean": mean(ranking.tokens for ranking in rankings),
        "confidence_95": _confidence(rows, seed),
        "by_type": _by_type(counted, unit),
        "apart": _by_type(apart, unit),
    }


def mean(values: Iterable[float]) -> float:
    """The mean with four decimals, 0 of nothing."""
    several = list(values)
    return round(float(np.mean(several)), 4) if several else 0.0


def percentile(values: Sequence[float], percent: int) -> float:
    """This percentile with two decimals, always one of the values; 0 of nothing."""
    return round(float(np.percentile(values, percent, method="higher")), 2) if values else 0.0


def _by_type(rankings: Iterable[Ranking], unit: Unit) -> dict[str, Any]:
    groups: dict[str, list[Measures]] = defaultdict(list)
    for ranking in rankings:
        groups[ranking.type].append(_measures(ranking, unit))
    return {name: {"questions": len(rows), **_means(rows)} for name, rows in sorted(groups.items())}


def _means(rows: Sequence[Measures]) -> Measures:
    """The mean of each measure over the questions that have evidence of its unit."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: mean(row[name] for row in rows if name in row) for name in names}


def _measures(ranking: Ranking, unit: Unit) -> Measures:
    units: dict[Unit, tuple[Sequence[Hashable], frozenset[Hashable]]] = {
        "session": (ranking.sessions, frozenset(ranking.gold)),
        "turn": (ranking.turns, frozenset(ranking.gold_turns)),
    }
    scores: Measures = {"silent": float(not ranking.injected)}
    for name, (ranked, gold) in units.items():
        for cut in CUTS if gold else ():
            found = len(gold.intersection(ranked[:cut]))
            scores[f"{name}_recall@{cut}"] = found / len(gold)
            scores[f"{name}_all@{cut}"] = float(found == len(gold))
            scores[f"{name}_any@{cut}"] = float(found > 0)
        if gold:
            shown = {session if name == "session" else (session, turn) for session, turn in ranking.injected}
            scores[f"injected_{name}s"] = len(gold & shown) / len(gold)
            scores[f"injected_all_{name}s"] = float(gold <= shown)
    ranked, gold = units[unit]
    for cut in CUTS if gold else ():
        scores[f"recall_all@{cut}"] = scores[f"{unit}_all@{cut}"]
        scores[f"recall_any@{cut}"] = scores[f"{unit}_any@{cut}"]
        scores[f"ndcg@{cut}"] = _ndcg(ranked, gold, cut)
    if gold:
        scores["R@1"] = scores["recall_any@1"]
    if ranking.answer_shown is not None:
        scores["answer_in_block"] = float(ranking.answer_shown)
    return scores


def _ndcg(ranked: Sequence[Hashable], gold: frozenset[Hashable], cut: int) -> float:
    """NDCG whose ideal holds all the evidence, also what lies beyond the cut."""
    gains = np.fromiter((name in gold for name in ranked[:cut]), dtype=float)
    ideal = 1 / np.log2(np.arange(max(cut, len(gold))) + 2)
    return float(gains @ ideal[: len(gains)] / ideal[: len(gold)].sum())


def _confidence(rows: Sequence[Measures], seed: int) -> dict[str, list[float]]:
    chance = np.random.default_rng(seed)
    ranges = {}
    for name in WITH_CONFIDENCE:
        values = [row[name] for row in rows if name in row]
        if values:
            means = chance.choice(values, (SAMPLES, len(values))).mean(axis=1)
            ranges[name] = [round(float(end), 4) for end in np.quantile(means, (0.025, 0.975))]
    return ranges
