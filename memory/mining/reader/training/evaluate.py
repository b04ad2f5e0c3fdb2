"""Judge what the reader finds in labelled messages, and calibrate its confidence."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from memory.mining.reader.decoding import Finding, confidence, findings
from memory.mining.reader.network import prediction
from memory.mining.reader.predicates import FORMER, NAMES, PREDICATES
from memory.mining.reader.sentences import sentence_of, sentences
from memory.mining.reader.training.examples import Example, Line, accepted
from memory.mining.reader.training.model import Reader
from memory.mining.reader.training.train import batched, by_length, fill
from memory.text.patterns import compile_pattern

Verdict = Literal["hit", "optional", "wrong"]
Judged = tuple[Line, list[tuple[Finding, Verdict]], int]
"""A message, its findings with a verdict on each, and the number of required facts in its labels."""

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)
PENALTY = 20.0
_WORD = compile_pattern(r"[\pL\pN\pM_]+")
_UNSPACED = compile_pattern("[\u3040-\u30ff\u3400-\u9fff]")


@torch.no_grad()
def read(reader: Reader, examples: Sequence[Example]) -> Iterator[tuple[Line, list[Finding]]]:
    """What the reader finds in each message, at any confidence."""
    fill(reader, examples)
    reader.eval()
    for group in by_length(examples):
        batch = batched(group)
        tokens, found = (logits.numpy() for logits in reader(batch.lower, batch.mask, batch.shares))
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


def calibrated(judged: Iterable[Judged]) -> NDArray[np.float64]:
    """The weights and intercept of a logistic regression that predicts whether a finding is correct."""
    pairs = [pair for _, found, _ in judged for pair in found]
    x = torch.tensor([(*finding.features, 1.0) for finding, _ in pairs], dtype=torch.float64)
    y = torch.tensor([float(verdict != "wrong") for _, verdict in pairs], dtype=torch.float64)
    weights = torch.zeros(x.shape[1], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(x @ weights, y, reduction="sum")
        loss = loss + PENALTY * weights[:-1].square().sum() / 2
        loss.backward()
        return loss

    optimizer.step(closure)
    return weights.detach().numpy()


def table(judged: Sequence[Judged], weights: NDArray[np.float64]) -> str:
    """Precision and recall by language at several thresholds."""
    rows = []
    for language in ["all", *sorted({line["language"] for line, _, _ in judged})]:
        mine = [one for one in judged if language in ("all", one[0]["language"])]
        cells = [f"{at:.1f}: {_scores(mine, weights, at)}" for at in THRESHOLDS]
        rows.append(f"{language:4}{len(mine):5}  {'  '.join(cells)}")
    return "\n".join(rows)


def _scores(judged: Sequence[Judged], weights: NDArray[np.float64], threshold: float) -> str:
    kept = Counter(
        verdict
        for _, found, _ in judged
        for finding, verdict in found
        if confidence(finding, weights) >= threshold
    )
    required = sum(one[2] for one in judged)
    return f"{kept['hit'] / max(1, kept['hit'] + kept['wrong']):.3f}/{kept['hit'] / max(1, required):.3f}"


def _agrees(fact: Line, finding: Finding, text: str) -> bool:
    """Whether a finding matches a label. A former job or home is over whether or not the label says so."""
    ended = fact.get("ended", False)
    names = [NAMES[i] for i in accepted(fact)]
    kinds = {PREDICATES[FORMER.get(name, name) if ended else name].kind for name in names}
    agrees_on_end = finding.is_over == ended or finding.predicate in FORMER.values()
    if PREDICATES[finding.predicate].kind not in kinds or not agrees_on_end:
        return False
    values = [fact["object"]] if isinstance(fact["object"], str) else fact["object"]
    words = set(_WORD.findall(text))
    return any(all(_is_in(word, words, text) for word in _words(_plain(value))) for value in values)


def _words(value: str) -> list[str]:
    return value.split() if _UNSPACED.search(value) else [word[0] for word in _WORD.finditer(value)]


def _is_in(word: str, words: set[str], text: str) -> bool:
    """Whether a word is in the text; outside Latin script as a prefix, because words inflect."""
    if word.isascii():
        return word in words
    return word in text if _UNSPACED.search(word) else any(one.startswith(word) for one in words)


def _value(line: Line, finding: Finding) -> str:
    return _plain(line["text"][slice(*finding.place)])


def _stated(line: Line, finding: Finding) -> str:
    if not PREDICATES[finding.predicate].says:
        return _value(line, finding)
    return _plain(line["text"][slice(*sentence_of(finding.place[0], sentences(line["text"])))])


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
