"""Scores rankings. `all` wants every gold session among the first k, `any` at least one."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import log2
from statistics import fmean
from typing import Any

from bench.retrieve import Ranking

CUTS = (1, 3, 5, 10)


def score(rankings: Sequence[Ranking]) -> dict[str, Any]:
    """Flat means over all questions, the same by type, latency and tokens."""
    by_type: dict[str, list[Ranking]] = defaultdict(list)
    for ranking in rankings:
        by_type[ranking.type].append(ranking)
    return {
        "questions": len(rankings),
        **_means(rankings),
        **_turn_means(rankings),
        "not_searched": sum(not ranking.searched for ranking in rankings),
        "latency_ms_p50": _percentile([r.milliseconds for r in rankings], 0.5),
        "latency_ms_p95": _percentile([r.milliseconds for r in rankings], 0.95),
        "embedding_ms_p50": _percentile([r.embedding_ms for r in rankings], 0.5),
        "tokens_injected_mean": round(fmean(r.tokens for r in rankings), 1) if rankings else 0,
        "by_type": {
            name: {"questions": len(group), **_means(group)}
            for name, group in sorted(by_type.items())
        },
    }


def _means(rankings: Sequence[Ranking]) -> dict[str, float]:
    scores: dict[str, float] = {}
    for cut in CUTS:
        scores[f"recall_all@{cut}"] = _mean(_all(r.sessions[:cut], r.gold) for r in rankings)
        scores[f"recall_any@{cut}"] = _mean(_any(r.sessions[:cut], r.gold) for r in rankings)
        scores[f"ndcg@{cut}"] = _mean(_ndcg(r.sessions, r.gold, cut) for r in rankings)
    return scores


def _turn_means(rankings: Sequence[Ranking]) -> dict[str, float]:
    judged = [ranking for ranking in rankings if ranking.gold_turns]
    if not judged:
        return {}
    return {
        f"turn_recall@{cut}": _mean(
            len(set(r.turns[:cut]) & set(r.gold_turns)) / len(r.gold_turns) for r in judged
        )
        for cut in CUTS
    }


def _all(found: Iterable[str], gold: Iterable[str]) -> float:
    return float(set(gold) <= set(found))


def _any(found: Iterable[str], gold: Iterable[str]) -> float:
    return float(bool(set(gold) & set(found)))


def _ndcg(found: Sequence[str], gold: Sequence[str], cut: int) -> float:
    """The ideal is over all the evidence there is, also beyond the cut."""
    wanted = set(gold)
    gain = sum(
        1 / log2(place + 2) for place, session in enumerate(found[:cut]) if session in wanted
    )
    ideal = sum(1 / log2(place + 2) for place in range(len(wanted)))
    return gain / ideal if ideal else 0.0


def _mean(values: Iterable[float]) -> float:
    several = list(values)
    return round(fmean(several), 4) if several else 0.0


def _percentile(values: Sequence[float], share: float) -> float:
    if not values:
        return 0.0
    return round(sorted(values)[min(len(values) - 1, int(share * len(values)))], 2)
