"""`manage.py bench`: measure retrieval, extraction, speed and size through the product itself."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from bench import longmemeval, smoke
from bench.datasets import HAYSTACKS
from bench.errors import BenchmarkImpossible
from bench.extraction import benchmark as extraction
from bench.extraction.sentences import SETS
from bench.figures import figures

STAGES = ("ingest", "retrieve", "score-retrieval", "full")
SIZES = (1_000, 10_000)


class Command(BaseCommand):
    """Runs a benchmark in a database of its own, which is dropped afterwards."""

    help = "Measure retrieval, extraction, speed and size through Palace's own mining and recall."

    def add_arguments(self, parser: CommandParser) -> None:
        """The benchmarks and their options."""
        which = parser.add_subparsers(dest="benchmark", required=True)
        memeval = which.add_parser("longmemeval", help="LongMemEval: which chats hold the answer")
        memeval.add_argument("--data", type=Path, required=True, help="the JSON file, or .json.gz")
        memeval.add_argument("--haystack", choices=HAYSTACKS, default="haystack")
        memeval.add_argument("--limit", type=int, help="the first N questions only")
        memeval.add_argument("--stage", choices=STAGES, default="full")
        memeval.add_argument("--keep", action="store_true", help="keep the database")
        memeval.add_argument("--out", type=Path, default=Path("bench-out/longmemeval"))
        small = which.add_parser("smoke", help="a minute: the demo palace, and speed at small size")
        small.add_argument("--out", type=Path, default=Path("bench-out/smoke"))
        speed = which.add_parser("figures", help="speed, bytes per drawer, memory of processes")
        speed.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
        speed.add_argument("--out", type=Path, default=Path("bench-out/figures"))
        _extraction_arguments(
            which.add_parser("extraction", help="facts found in marked sentences")
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run and print the scores as JSON."""
        run = {
            "longmemeval": self._longmemeval,
            "smoke": self._smoke,
            "figures": self._figures,
            "extraction": self._extraction,
        }
        try:
            scores = run[options["benchmark"]](options)
        except BenchmarkImpossible as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(scores, indent=2))

    def _longmemeval(self, options: dict[str, Any]) -> dict[str, Any]:
        names = ("data", "haystack", "out", "limit", "stage", "keep")
        plan = longmemeval.Plan(**{name: options[name] for name in names})
        return longmemeval.run(plan, self._progress)

    def _smoke(self, options: dict[str, Any]) -> dict[str, Any]:
        return smoke.run(options["out"], timezone.now(), self._progress)

    def _figures(self, options: dict[str, Any]) -> dict[str, Any]:
        found = figures(tuple(sorted(options["sizes"])), timezone.now(), self._progress)
        out: Path = options["out"]
        out.mkdir(parents=True, exist_ok=True)
        (out / "figures.json").write_text(json.dumps(found, indent=2) + "\n")
        return found

    def _extraction(self, options: dict[str, Any]) -> dict[str, Any]:
        names = ("half", "out", "by_model", "show_errors")
        plan = extraction.Plan(**{name: options[name] for name in names})
        return extraction.run(plan, self._progress, self._show)

    def _show(self, words: str) -> None:
        self.stderr.write(words, self._plain)

    def _progress(self, words: str) -> None:
        end = "\r" if self.stderr.isatty() else "\n"
        self.stderr.write(words, self._plain, ending=end)

    def _plain(self, words: str) -> str:
        return words


def _extraction_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "--half",
        choices=(*SETS, "both"),
        default="dev",
        help="rules are written with dev; both: dev and all that is held back",
    )
    parser.add_argument(
        "--model",
        "--endpoint",
        dest="by_model",
        action="store_true",
        help="ask the model of OPENAI_BASE_URL and EXTRACTION_MODEL; without it, rules alone",
    )
    parser.add_argument(
        "--show-errors", action="store_true", help="what was missed and what is wrong, of dev only"
    )
    parser.add_argument("--out", type=Path, default=Path("bench-out/extraction"))
