"""`train_reader`: trains the built-in reader."""

import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from llm.multilingual.install import fetch
from llm.weights import FetchFailed, WeightsUnusable
from memory.mining.reader.network import TRAINED, network
from memory.usage.metering import models_home

TRAINING_DATA = Path(settings.BASE_DIR) / "training"


class Command(BaseCommand):
    """Trains on training/*.jsonl, but never on a file whose name begins with "held"."""

    help = "Train the built-in reader on the labelled messages; takes up to two hours on two cores."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--base", type=Path, help="the downloaded package; downloaded if omitted")
        parser.add_argument("--data", type=Path, nargs="*", default=[], help="more labelled messages")
        parser.add_argument("--epochs", type=int, default=10)
        parser.add_argument("--rate", type=float, default=3e-4, help="highest learning rate")
        parser.add_argument("--start", type=Path, nargs="+", default=[], help="earlier weights; averaged")
        parser.add_argument(
            "--verdicts",
            type=Path,
            nargs="*",
            help="instead of training, fit the worth of facts from training/verdicts and these files",
        )
        parser.add_argument("--out", type=Path, default=TRAINED, help=f"default: {TRAINED.name}")

    def handle(self, *args: Any, **options: Any) -> None:
        """Train, calibrate and write the weights; prints the loss of each epoch and a table of scores."""
        if find_spec("torch") is None or find_spec("sklearn") is None:
            raise CommandError(
                "Training needs PyTorch and scikit-learn: pip install torch==2.13.0 scikit-learn==1.9.1"
            )
        if options["verdicts"] is not None:
            _fit_worth(options["verdicts"])
            return
        from memory.mining.reader.training import run  # noqa: PLC0415 - both are optional

        files = sorted(path for path in TRAINING_DATA.glob("*.jsonl") if not path.stem.startswith("held"))
        with tempfile.TemporaryDirectory() as folder:
            try:
                base = options["base"] or fetch(Path(folder))
            except FetchFailed as failure:
                raise CommandError(str(failure)) from failure
            given = {name: options[name] for name in ("out", "epochs", "rate")}
            data, start = (*files, *options["data"]), tuple(options["start"])
            plan = run.Plan(base=base, data=data, start=start, **given)
            run.train_reader(plan, _print)


def _fit_worth(others: Sequence[Path]) -> None:
    from memory.mining.reader.training import worth  # noqa: PLC0415 - scikit-learn is optional

    files = [*sorted((TRAINING_DATA / "verdicts").glob("*.jsonl")), *others]
    try:
        worth.fit(files, network(models_home()), _print)
    except WeightsUnusable as missing:
        raise CommandError(str(missing)) from missing


def _print(line: str) -> None:
    print(line, file=sys.stdout, flush=True)  # noqa: T201
