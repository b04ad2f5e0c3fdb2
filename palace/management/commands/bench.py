"""`manage.py bench`: measure retrieval and speed through the product itself."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bench.datasets import HAYSTACKS
from bench.errors import BenchmarkImpossible
from bench.longmemeval import Plan, run

STAGES = ("ingest", "retrieve", "score-retrieval", "full")


class Command(BaseCommand):
    """Runs a benchmark in a database of its own, which is dropped afterwards."""

    help = "Measure retrieval through Palace's own mining and recall."

    def add_arguments(self, parser: CommandParser) -> None:
        """The benchmarks and their options."""
        which = parser.add_subparsers(dest="benchmark", required=True)
        longmemeval = which.add_parser("longmemeval", help="LongMemEval, session retrieval")
        longmemeval.add_argument("--data", type=Path, required=True)
        longmemeval.add_argument("--haystack", choices=HAYSTACKS, default="haystack")
        longmemeval.add_argument("--limit", type=int)
        longmemeval.add_argument("--stage", choices=STAGES, default="full")
        longmemeval.add_argument("--keep", action="store_true", help="keep the database")
        longmemeval.add_argument("--out", type=Path, default=Path("bench-out/longmemeval"))

    def handle(self, *args: Any, **options: Any) -> None:
        """Run and print the scores as JSON."""
        plan = Plan(
            data=options["data"],
            haystack=options["haystack"],
            out=options["out"],
            limit=options["limit"],
            stage=options["stage"],
            keep=options["keep"],
        )
        try:
            scores = run(plan, self._progress)
        except BenchmarkImpossible as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(scores, indent=2))

    def _progress(self, words: str) -> None:
        end = "\r" if self.stderr.isatty() else "\n"
        self.stderr.write(words, ending=end)
