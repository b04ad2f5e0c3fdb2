"""`manage.py bench`: measure retrieval, extraction and speed through the product itself."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from bench import extraction, languages, smoke, speed
from bench.answers import answer, judge
from bench.cases import BenchmarkImpossible
from bench.datasets import DATA_SETS, HAYSTACKS, download
from bench.embedding import require_embedder
from bench.palaces import own_database
from bench.rankings import PATIENT
from bench.retrieval import Plan, run, write_json

STAGES = ("download", "ingest", "retrieve", "score-retrieval", "qa", "score-qa", "full")
EMBEDDING_STAGES = ("ingest", "retrieve", "full")


class Command(BaseCommand):
    """Run a benchmark in a database of its own, dropped afterwards."""

    help = "Measure retrieval, extraction and speed through Palace's own mining and recall."

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_subparsers(dest="benchmark", required=True)
        for name, data_set in DATA_SETS.items():
            _retrieval_arguments(_added(which, name, data_set.help))
        _added(which, "smoke", "questions about the demo palace, and figures at small size, in a minute")
        _extraction_arguments(_added(which, "extraction", "facts extracted from labelled messages"))
        spoken = _added(which, "languages", "the same facts asked for in eight languages")
        spoken.add_argument("--only", choices=languages.LANGUAGES, nargs="+", default=languages.LANGUAGES)
        spoken.add_argument("--across", action="store_true", help="ask in English for what was said in each")
        spoken.add_argument("--show-misses", action="store_true", help="list what was not found")
        _figures_arguments(_added(which, "figures", "speed of recall and mining, bytes per drawer"))

    def handle(self, *args: Any, **options: Any) -> None:
        runs = {
            **dict.fromkeys(DATA_SETS, self._retrieval),
            "smoke": self._smoke,
            "extraction": self._extraction,
            "languages": self._languages,
            "figures": self._figures,
        }
        try:
            scores = runs[options["benchmark"]](options)
        except BenchmarkImpossible as error:
            raise CommandError(str(error)) from error
        table = options["benchmark"] == "extraction" and not options["json"]
        self.stdout.write(extraction.as_table(scores) if table else json.dumps(scores, indent=2))

    def _retrieval(self, options: dict[str, Any]) -> dict[str, Any]:
        if not options["data"]:
            home = DATA_SETS[options["benchmark"]].home
            raise BenchmarkImpossible(f"Name the data file with --data; it is published at {home}.")
        if options["stage"] == "download":
            return download(options["data"], options["out"])
        given = {field.name: options[field.name] for field in fields(Plan)}
        plan = Plan(**given | {"data": Path(options["data"])})
        if plan.stage not in EMBEDDING_STAGES:
            return {"qa": answer, "score-qa": judge}.get(plan.stage, run)(plan, self._progress)
        require_embedder()
        return run(plan, self._progress)

    def _smoke(self, options: dict[str, Any]) -> dict[str, Any]:
        require_embedder()
        return smoke.run(options["out"], timezone.now(), self._progress)

    def _extraction(self, options: dict[str, Any]) -> dict[str, Any]:
        given = {field.name: options[field.name] for field in fields(extraction.Plan)}
        return extraction.run(extraction.Plan(**given), self._progress, self._show)

    def _languages(self, options: dict[str, Any]) -> dict[str, Any]:
        require_embedder()
        plan = languages.Plan(
            tuple(options["only"]), options["out"], options["show_misses"], options["across"]
        )
        return languages.run(plan, self._progress, self._show)

    def _figures(self, options: dict[str, Any]) -> dict[str, Any]:
        require_embedder()
        given = {field.name: options[field.name] for field in fields(speed.Plan)}
        plan = speed.Plan(**given | {"sizes": tuple(sorted(options["sizes"]))})
        with own_database("palace_bench_figures"):
            found = speed.figures(plan, timezone.now(), self._progress)
        write_json(options["out"] / "figures.json", found)
        return found

    def _show(self, words: str) -> None:
        self.stderr.write(words, str)

    def _progress(self, words: str) -> None:
        self.stderr.write(words, str, ending="\r" if self.stderr.isatty() else "\n")


def _added(which: Any, name: str, words: str) -> CommandParser:
    parser: CommandParser = which.add_parser(name, help=words)
    parser.add_argument("--out", type=Path, default=Path("bench-out") / name, help="folder of the results")
    return parser


def _retrieval_arguments(parser: CommandParser) -> None:
    add = parser.add_argument
    add("--data", help="the data set, .json or .json.gz; with --stage download, its URL")
    add("--haystack", choices=HAYSTACKS, default=HAYSTACKS[0])
    add("--limit", type=int, help="the first N questions only")
    add("--stage", choices=STAGES, default="full")
    add("--keep", action="store_true", help="keep the database")
    add("--pooled", action="store_true", help="one person owns every chat of the data set")
    add("--mined-once", action="store_true", help="mine chats shared by several haystacks once and copy them")
    add(
        "--time-limit-ms",
        type=int,
        default=PATIENT.time_limit_ms,
        help="milliseconds of database time per recall (%(default)s)",
    )
    add("--never-said", action="store_true", help="also ask 300 questions about things never said")
    add("--tokens", type=int, default=PATIENT.token_budget, help="token budget of the block (%(default)s)")
    add("--top-k", type=int, help="drawers in the block at most (as many as the kind of question needs)")
    add("--ingested", type=Path, help="ask the palaces of a run that was kept in this folder")
    add("--judge", default="", help="model that judges answers (default: the chat model)")
    add("--seed", type=int, default=0, help="seed of the bootstrap")


def _extraction_arguments(parser: CommandParser) -> None:
    add = parser.add_argument
    add("--data", type=Path, nargs="+", required=True, help="labelled messages, e.g. training/held4.jsonl")
    add("--json", action="store_true", help="print all scores as JSON instead of a table")
    add("--show-errors", action="store_true", help="list errors, except those of held-out sets")


def _figures_arguments(parser: CommandParser) -> None:
    add = parser.add_argument
    add("--sizes", type=int, nargs="*", default=[1_000, 10_000], help="drawers to recall from")
    add("--mined", type=int, default=1_000, help="drawers to mine; 0 for none")
    add("--others", type=int, default=0, help="other users, each with 100 drawers")
    add("--clients", type=int, default=8, help="number of concurrent clients")
