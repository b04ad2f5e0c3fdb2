"""Train the reader on labelled messages and write its weights."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from llm.multilingual import base
from llm.multilingual.tokens import Pieces
from memory.mining.reader.training import evaluate, model, train
from memory.mining.reader.training.examples import example, is_validation, read_lines

SEED = 1
PIECES = 120_000
LAYERS, FROZEN = 12, 4


@dataclass(frozen=True, slots=True)
class Plan:
    """The package with the published base, the files of labelled messages, the file for the weights, and how
    long to train. Training starts from the mean of the weights in `start`; without epochs, they are only
    calibrated."""

    base: Path
    data: tuple[Path, ...]
    out: Path
    epochs: int
    rate: float
    start: tuple[Path, ...] = ()


def train_reader(plan: Plan, report: Callable[[str], None]) -> None:
    """Train on nine tenths of the messages, calibrate on the others, and write the weights.

    Raises UnexpectedWeights, OSError and ValueError for files that cannot be read.
    """
    random.seed(SEED)
    torch.manual_seed(SEED)
    published = base.read(plan.base).pruned(PIECES)
    pieces = Pieces(published.pieces, published.scores, published.replacements)
    lines = read_lines(plan.data)
    examples = [example(line, pieces) for line in lines if not is_validation(line)]
    unseen = [example(line, pieces) for line in lines if is_validation(line)]
    report(f"{len(examples)} messages to train on, {len(unseen)} to calibrate on")
    reader = model.build(published, LAYERS, FROZEN)
    model.restore(reader, *plan.start)
    if plan.epochs:
        for number, loss in enumerate(train.train(reader, examples, plan.epochs, plan.rate), 1):
            report(f"epoch {number}: loss {loss:.3f}")
    model.save(reader, plan.out, {})
    model.restore(reader, plan.out)  # calibrate what is shipped, with its rounded weights
    judged = [evaluate.judge(line, found) for line, found in evaluate.read(reader, unseen)]
    calibration, confidences = evaluate.calibrated(judged)
    report(evaluate.table(judged, confidences))
    model.save(reader, plan.out, {"pieces": np.array(PIECES)} | calibration.stored())
