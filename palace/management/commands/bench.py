"""`manage.py bench`: measure retrieval, extraction, speed and size through the product itself."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from bench import smoke
from bench.answers import answer, judge
from bench.baselines import MEASURES
from bench.datasets import DATA_SETS, HAYSTACKS
from bench.downloading import download
from bench.errors import BenchmarkImpossible
from bench.extraction import benchmark as extraction
from bench.extraction.sentences import SETS
from bench.figures import figures
from bench.first_token import FirstTokenPlan, first_token
from bench.importing import ImportPlan, importing
from bench.languages import benchmark as languages
from bench.languages.stories import LANGUAGES
from bench.pages import benchmark as pages
from bench.plan import Plan
from bench.pollution import benchmark as pollution
from bench.pollution.polluters import LENGTH
from bench.run import run
from bench.speed import SpeedPlan, speed
from bench.variants import PATIENCE_MS
from memory.recall.recipes import RECIPES

STAGES = ("download", "ingest", "retrieve", "score-retrieval", "qa", "score-qa", "full")
SIZES = (1_000, 10_000)


class Command(BaseCommand):
    """Runs a benchmark in a database of its own, which is dropped afterwards."""

    help = "Measure retrieval, extraction, speed and size through Palace's own mining and recall."

    def add_arguments(self, parser: CommandParser) -> None:
        """The benchmarks and their options."""
        which = parser.add_subparsers(dest="benchmark", required=True)
        for name, data_set in DATA_SETS.items():
            _retrieval_arguments(which.add_parser(name, help=data_set.help), name)
        small = which.add_parser("smoke", help="a minute: the demo palace, and speed at small size")
        small.add_argument("--out", type=Path, default=Path("bench-out/smoke"))
        _figures_arguments(
            which.add_parser("figures", help="speed, bytes per drawer, memory of processes")
        )
        _importing_arguments(
            which.add_parser("importing", help="speed and memory of imports, small and large")
        )
        _first_token_arguments(
            which.add_parser("first-token", help="what memory adds before the first token")
        )
        _pages_arguments(which.add_parser("pages", help="pages in a small and in a large palace"))
        _pollution_arguments(which.add_parser("polluted", help="questions in pasted text"))
        _extraction_arguments(
            which.add_parser("extraction", help="facts found in marked sentences")
        )
        spoken = which.add_parser("languages", help="the same facts asked for in eight languages")
        spoken.add_argument("--only", choices=LANGUAGES, nargs="+", default=list(LANGUAGES))
        spoken.add_argument("--show-misses", action="store_true", help="what was not found")
        spoken.add_argument("--out", type=Path, default=Path("bench-out/languages"))

    def handle(self, *args: Any, **options: Any) -> None:
        """Run and print the scores as JSON."""
        runs = {
            **dict.fromkeys(DATA_SETS, self._retrieval),
            "smoke": self._smoke,
            "figures": self._figures,
            "importing": self._importing,
            "first-token": self._first_token,
            "pages": self._pages,
            "extraction": self._extraction,
            "polluted": self._polluted,
            "languages": self._languages,
        }
        try:
            scores = runs[options["benchmark"]](options)
        except BenchmarkImpossible as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(scores, indent=2))

    def _retrieval(self, options: dict[str, Any]) -> dict[str, Any]:
        home = DATA_SETS[options["benchmark"]].home
        if not options["data"]:
            raise BenchmarkImpossible(f"Say with --data where the file is; it comes from {home}.")
        if options["stage"] == "download":
            return download(str(options["data"]), options["out"])
        names = [field.name for field in fields(Plan)]
        plan = Plan(**{name: options[name] for name in names} | {"data": Path(options["data"])})
        work = {"qa": answer, "score-qa": judge}.get(plan.stage, run)
        return work(plan, self._progress)

    def _smoke(self, options: dict[str, Any]) -> dict[str, Any]:
        return smoke.run(options["out"], timezone.now(), self._progress)

    def _figures(self, options: dict[str, Any]) -> dict[str, Any]:
        plan = SpeedPlan(tuple(sorted(options["sizes"])), options["others"], options["clients"])
        found = {"recall": speed(plan, timezone.now(), self._progress)}
        if options["mined"]:
            mined = tuple(sorted(options["mined"]))
            found |= figures(mined, timezone.now(), self._progress)
        _write(options["out"], "figures.json", found)
        return found

    def _pages(self, options: dict[str, Any]) -> dict[str, Any]:
        plan = pages.Plan(**{name: options[name] for name in ("small", "large", "rounds")})
        found = pages.run(plan, timezone.now(), self._progress)
        _write(options["out"], "pages.json", found)
        return found

    def _importing(self, options: dict[str, Any]) -> dict[str, Any]:
        plan = ImportPlan(tuple(sorted(options["sizes"])), options["length"])
        found = importing(plan, timezone.now(), self._progress)
        _write(options["out"], "importing.json", found)
        return found

    def _first_token(self, options: dict[str, Any]) -> dict[str, Any]:
        plan = FirstTokenPlan(options["drawers"], options["asked"])
        found = first_token(plan, timezone.now(), self._progress)
        _write(options["out"], "first-token.json", found)
        return found

    def _extraction(self, options: dict[str, Any]) -> dict[str, Any]:
        names = ("half", "out", "by_model", "show_errors")
        plan = extraction.Plan(**{name: options[name] for name in names})
        return extraction.run(plan, self._progress, self._show)

    def _polluted(self, options: dict[str, Any]) -> dict[str, Any]:
        plan = pollution.Plan(options["of"], options["data"], options["limit"], options["length"])
        return pollution.run(plan, self._progress)

    def _languages(self, options: dict[str, Any]) -> dict[str, Any]:
        plan = languages.Plan(tuple(options["only"]), options["out"], options["show_misses"])
        return languages.run(plan, self._progress, self._show)

    def _show(self, words: str) -> None:
        self.stderr.write(words, self._plain)

    def _progress(self, words: str) -> None:
        end = "\r" if self.stderr.isatty() else "\n"
        self.stderr.write(words, self._plain, ending=end)

    def _plain(self, words: str) -> str:
        return words


def _write(folder: Path, name: str, found: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(found, indent=2) + "\n")


def _retrieval_arguments(parser: CommandParser, name: str) -> None:
    parser.add_argument(
        "--data", help="the JSON file of the data set, or .json.gz; a web address to download"
    )
    parser.add_argument("--haystack", choices=HAYSTACKS, default=HAYSTACKS[0])
    parser.add_argument("--limit", type=int, help="the first N questions only")
    parser.add_argument("--stage", choices=STAGES, default="full")
    parser.add_argument("--keep", action="store_true", help="keep the database")
    parser.add_argument("--out", type=Path, default=Path("bench-out") / name)
    parser.add_argument(
        "--pooled", action="store_true", help="one person owns every chat of the data set"
    )
    parser.add_argument(
        "--mined-once",
        action="store_true",
        help="mine a chat that several haystacks share once, and copy it (not facts and graph)",
    )
    parser.add_argument(
        "--vectors", type=Path, help="file of vectors to share between runs (in the --out folder)"
    )
    parser.add_argument(
        "--time-limit-ms",
        type=int,
        default=PATIENCE_MS,
        help="how long the database may work on one recall (%(default)s; the product has its own)",
    )
    parser.add_argument(
        "--ingested", type=Path, help="folder of a run with --keep whose palaces are asked again"
    )
    _variant_arguments(parser)
    parser.add_argument("--judge", default="", help="model that judges answers (the chat model)")
    parser.add_argument("--seed", type=int, default=0, help="of the resampling of questions")


def _variant_arguments(parser: CommandParser) -> None:
    """Other ways of recall than the one that people have."""
    parser.add_argument("--recipe", choices=RECIPES, default="default", help="way of recall")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="NAME",
        help="leave out an arm, a stage or a signal; may be given several times",
    )
    parser.add_argument(
        "--only", choices=MEASURES, default="", help="rank by one arm alone, as a baseline"
    )


def _pollution_arguments(parser: CommandParser) -> None:
    parser.add_argument("--of", choices=DATA_SETS, default="longmemeval", help="whose questions")
    parser.add_argument(
        "--data", type=Path, required=True, help="the JSON file of the data set, or .json.gz"
    )
    parser.add_argument("--limit", type=int, help="the first N questions only")
    parser.add_argument("--length", type=int, default=LENGTH, help="characters of a paste")


def _figures_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=list(SIZES), help="drawers to recall among"
    )
    parser.add_argument(
        "--others", type=int, default=0, help="other people beside, with 100 drawers each"
    )
    parser.add_argument("--clients", type=int, default=8, help="how many ask at once")
    parser.add_argument(
        "--mined",
        type=int,
        nargs="*",
        default=[SIZES[0]],
        help="drawers to mine, for the speed of mining, disk and memory; none to leave it out",
    )
    parser.add_argument("--out", type=Path, default=Path("bench-out/figures"))


def _importing_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[1_000, 100_000], help="messages of the files"
    )
    parser.add_argument(
        "--length", type=int, default=0, help="characters that every message is brought to"
    )
    parser.add_argument("--out", type=Path, default=Path("bench-out/importing"))


def _first_token_arguments(parser: CommandParser) -> None:
    parser.add_argument("--drawers", type=int, default=SIZES[-1], help="drawers to recall among")
    parser.add_argument("--asked", type=int, default=200, help="questions, each asked three ways")
    parser.add_argument("--out", type=Path, default=Path("bench-out/first-token"))


def _pages_arguments(parser: CommandParser) -> None:
    usual = pages.Plan()
    parser.add_argument("--small", type=int, default=usual.small, help="drawers (%(default)s)")
    parser.add_argument("--large", type=int, default=usual.large, help="drawers (%(default)s)")
    parser.add_argument(
        "--rounds", type=int, default=usual.rounds, help="how often each page is asked for"
    )
    parser.add_argument("--out", type=Path, default=Path("bench-out/pages"))


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
