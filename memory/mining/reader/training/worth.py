"""Fit how likely facts are to be valid, from the verdicts of careful readers."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict

from memory.mining.reader import worth
from memory.mining.reader.facts import candidates
from memory.mining.reader.network import Network
from memory.mining.transcripts import Turn

TABLE = Path(worth.__file__).with_suffix(".toml")
SAID_AT = datetime(2026, 11, 30, 10, tzinfo=UTC)
MIN_FACTS = 8
"""A form with fewer facts has the weight of its predicate, and such a predicate has none."""
FORM_SCALE = 4.0
"""How much less than the other weights those of forms are held near zero."""
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)
TINY = 1e-9
_PATTERNS = "[patterns]"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What somebody thought of a fact from a message: its form and features, and whether it is valid."""

    text: str
    form: str
    features: dict[str, float]
    is_valid: bool


def fit(files: Iterable[Path], network: Network, report: Callable[[str], None]) -> None:
    """Write the weights into `worth.toml`; reports precision and recall at several thresholds.

    Each line of a file has a `text` and `facts`, each with a `predicate`, its place in the text `at` (two
    offsets) and a `verdict`: valid, poor, passing or wrong.
    """
    verdicts = _with_common_forms([one for path in files for one in _verdicts(path, network)])
    names = list(verdicts[0].features)
    forms = [form for form, count in Counter(one.form for one in verdicts).items() if count >= MIN_FACTS]
    given = np.array([[float(one.features[name]) for name in names] for one in verdicts])
    mean, deviation = given.mean(axis=0), given.std(axis=0) + TINY
    one_hot = np.array([[FORM_SCALE * (one.form == form) for form in forms] for one in verdicts])
    x, y = np.hstack([(given - mean) / deviation, one_hot]), np.array([one.is_valid for one in verdicts])
    model = LogisticRegression(C=0.05, max_iter=5000)
    groups = [one.text for one in verdicts]
    unseen = cross_val_predict(model, x, y, groups=groups, cv=GroupKFold(10), method="predict_proba")[:, 1]
    report(_table(unseen, y))
    fitted = model.fit(x, y)
    weights = fitted.coef_[0][: len(names)] / deviation
    bias = float(fitted.intercept_[0] - weights @ mean)
    _write(
        {"bias": bias} | dict(zip(names, weights, strict=True)),
        dict(zip(forms, FORM_SCALE * fitted.coef_[0][len(names) :], strict=True)),
    )


def _with_common_forms(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts, with the predicate for a rare form."""
    counted = Counter(one.form for one in verdicts)
    rare = {form for form, count in counted.items() if count < MIN_FACTS}
    return [replace(one, form=worth.predicate_of(one.form)) if one.form in rare else one for one in verdicts]


def _verdicts(path: Path, network: Network) -> Iterator[Verdict]:
    for line in path.read_text(encoding="utf-8").splitlines():
        judged = json.loads(line)
        turn = Turn(message_id=UUID(int=0), sequence=1, role="user", content=judged["text"], said_at=SAID_AT)
        [predictions] = network.predict([turn.content])
        known = {(one["predicate"], *one["at"]): one["verdict"] for one in judged["facts"]}
        for mention, fact, agreement in candidates(turn, predictions, network.calibration):
            verdict = known.pop((fact.predicate, *mention.finding.place), None)
            if verdict:
                form, features = worth.form_of(fact, mention), worth.features(fact, mention, agreement)
                yield Verdict(turn.content, form, features, verdict == "valid")


def _table(confidences: NDArray[Any], valid: NDArray[Any]) -> str:
    kept = [(at, confidences >= at) for at in THRESHOLDS]
    shares = [(at, valid[each].mean(), valid[each].sum() / valid.sum()) for at, each in kept]
    cells = [f"{at:.1f}: {precision:.3f}/{recall:.3f}" for at, precision, recall in shares]
    return f"{len(valid)} facts, {valid.mean():.3f} valid. Precision and recall: {'  '.join(cells)}"


def _write(weights: dict[str, float], forms: dict[str, float]) -> None:
    patterns = TABLE.read_text(encoding="utf-8").partition(_PATTERNS)[2]
    head = f"[weights]\n{_rows(weights.items())}\n[forms]\n{_rows(sorted(forms.items()))}\n"
    TABLE.write_text(f"{head}{_PATTERNS}{patterns}", encoding="utf-8")


def _rows(weights: Iterable[Sequence[Any]]) -> str:
    return "".join(f"{name} = {weight:.3f}\n" for name, weight in weights)
