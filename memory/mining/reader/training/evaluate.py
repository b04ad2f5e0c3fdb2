"""Judge what the reader finds in labelled messages, and calibrate its confidence."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Literal

import numpy as np
import torch
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import GroupKFold, cross_val_predict

from memory.facts.vocabulary import FORMER
from memory.mining.reader.decoding import Finding, findings
from memory.mining.reader.network import DEPTH, Calibration, prediction
from memory.mining.reader.predicates import NAMES, PREDICATES
from memory.mining.reader.training.examples import Example, Line, accepted
from memory.mining.reader.training.matching import contains
from memory.mining.reader.training.model import Reader
from memory.mining.reader.training.train import batched, by_length, fill
from memory.text.sentences import sentence_of, sentences

Verdict = Literal["hit", "optional", "wrong"]
Judged = tuple[Line, list[tuple[Finding, Verdict]], int]
"""A message, its findings with a verdict on each, and the number of required facts in its labels."""

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)
_TREES = GradientBoostingClassifier(
    n_estimators=150,
    learning_rate=0.05,
    max_depth=DEPTH,
    min_samples_leaf=40,
    subsample=0.5,
    max_features=0.3,
    random_state=1,
)


@torch.no_grad()
def read(reader: Reader, examples: Sequence[Example]) -> Iterator[tuple[Line, list[Finding]]]:
    """What the reader finds in each message, at any confidence."""
    fill(reader, examples)
    reader.eval()
    for group in by_length(examples):
        tokens, found = (logits.numpy() for logits in reader(*batched(group)))
        for b, each in enumerate(group):
            inner = slice(1, len(each.ids) - 1)
            predicted = prediction(each.spans[inner], each.sentence[inner], tokens[b, inner], found[b])
            yield each.line, findings(each.line["text"], [predicted])


def judge(line: Line, found: Sequence[Finding]) -> Judged:
    """A finding is a hit if it agrees with a labelled fact on the kind and on being over, and its value, or
    the sentence that its statement quotes, contains every word of the labelled value. Each labelled fact
    counts once, for the finding of which the network is most confident."""
    marked = sorted(line["facts"], key=lambda fact: fact.get("optional", False))
    surest = sorted(range(len(found)), key=lambda i: -found[i].features[0])
    verdicts: dict[int, Verdict] = {}
    for words in (_value, _stated):
        for fact in list(marked):
            left = (i for i in surest if i not in verdicts)
            hit = next((i for i in left if _agrees(fact, found[i], words(line, found[i]))), None)
            if hit is not None:
                verdicts[hit] = "optional" if fact.get("optional") else "hit"
                marked.remove(fact)
    required = sum(not fact.get("optional", False) for fact in line["facts"])
    return line, [(one, verdicts.get(i, "wrong")) for i, one in enumerate(found)], required


def calibrated(judged: Sequence[Judged]) -> tuple[Calibration, list[list[float]]]:
    """Fit trees that predict whether a finding is correct. Also returns the confidence in each finding of
    each message, by trees fitted without that message."""
    x = np.array([finding.features for _, found, _ in judged for finding, _ in found], np.float32)
    y = np.array([verdict != "wrong" for _, found, _ in judged for _, verdict in found])
    messages = [number for number, (_, found, _) in enumerate(judged) for _ in found]
    unseen = cross_val_predict(_TREES, x, y, groups=messages, cv=GroupKFold(5), method="predict_proba")
    fitted = clone(_TREES).fit(x, y)
    exported = _exported(fitted, y.mean())
    np.testing.assert_allclose(exported.agreements(x.tolist()), fitted.predict_proba(x)[:, 1], atol=1e-4)
    each = iter(unseen[:, 1].tolist())
    return exported, [[next(each) for _ in found] for _, found, _ in judged]


def _exported(fitted: GradientBoostingClassifier, share: float) -> Calibration:
    inner, leaves = (fitted.n_estimators, 2**DEPTH - 1), (fitted.n_estimators, 2**DEPTH)
    features, thresholds = np.zeros(inner, np.uint8), np.full(inner, np.inf, np.float32)
    made = Calibration(
        np.array(np.log(share / (1 - share)), np.float32), features, thresholds, np.zeros(leaves, np.float32)
    )
    for number, (tree,) in enumerate(fitted.estimators_):
        _place(tree.tree_, 0, 0, made, number)
    return replace(made, leaves=made.leaves * np.float32(fitted.learning_rate))


def _place(tree: Any, source: int, at: int, made: Calibration, number: int) -> None:
    """Copy a node and its descendants to position `at` of a complete tree. A leaf above the last level moves
    down to the left."""
    if at >= 2**DEPTH - 1:
        made.leaves[number, at - (2**DEPTH - 1)] = tree.value[source, 0, 0]
    elif tree.children_left[source] < 0:
        _place(tree, source, 2 * at + 1, made, number)
    else:
        made.features[number, at], made.thresholds[number, at] = tree.feature[source], tree.threshold[source]
        _place(tree, tree.children_left[source], 2 * at + 1, made, number)
        _place(tree, tree.children_right[source], 2 * at + 2, made, number)


def table(judged: Sequence[Judged], confidences: Sequence[Sequence[float]]) -> str:
    """Precision and recall at several thresholds."""
    verdicts = [verdict for _, found, _ in judged for _, verdict in found]
    each = list(zip(verdicts, chain.from_iterable(confidences), strict=True))
    required = sum(count for _, _, count in judged)
    cells = []
    for least in THRESHOLDS:
        kept = Counter(verdict for verdict, confidence in each if confidence >= least)
        precision = kept["hit"] / max(1, kept["hit"] + kept["wrong"])
        cells.append(f"{least:.1f}: {precision:.3f}/{kept['hit'] / max(1, required):.3f}")
    return "  ".join(cells)


def _agrees(fact: Line, finding: Finding, text: str) -> bool:
    """Whether a finding matches a label. A former job or home is over whether or not the label says so."""
    ended = fact.get("ended", False)
    names = [NAMES[i] for i in accepted(fact)]
    kinds = {PREDICATES[FORMER.get(name, name) if ended else name].kind for name in names}
    agrees_on_end = finding.is_over == ended or finding.predicate in FORMER.values()
    if PREDICATES[finding.predicate].kind not in kinds or not agrees_on_end:
        return False
    values = [fact["object"]] if isinstance(fact["object"], str) else fact["object"]
    return any(contains(text, value) for value in values)


def _value(line: Line, finding: Finding) -> str:
    return str(line["text"][slice(*finding.place)])


def _stated(line: Line, finding: Finding) -> str:
    if not PREDICATES[finding.predicate].says:
        return _value(line, finding)
    return str(line["text"][slice(*sentence_of(finding.place[0], sentences(line["text"])))])
