"""`consolidate`: consolidates a user's memory, previews that, or undoes it."""

import json
from argparse import ArgumentParser
from collections import Counter
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError
from django.utils import timezone

from accounts.models import User
from accounts.owned import NotFound
from accounts.tenancy import tenant
from memory.consolidation.application import consolidate, undo
from memory.consolidation.planning import plan
from memory.management.arguments import UserCommand, get_user
from memory.management.terminal import ProgressLine
from memory.models import ChangeSet, ConsolidationRun


class Command(UserCommand):
    """Consolidates in this process, for one user or all."""

    user_required = False
    help = (
        "Merge duplicate facts, archive facts that were not used for a long time, and remove empty places; "
        "these changes can be undone. Also ends superseded values and renews summaries."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        how = parser.add_mutually_exclusive_group()
        how.add_argument(
            "--dry-run", action="store_true", help="show what would be planned, without any change"
        )
        how.add_argument("--undo", metavar="RUN", type=UUID, help="undo the run with this id")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        given = options["user"]
        if options["undo"] and not given:
            raise CommandError("Pass --user: --undo needs to know whose run it is.")
        people = [get_user(given)] if given else list(User.objects.filter(is_active=True))
        line, result = ProgressLine(self.stderr), []
        for number, user in enumerate(people, 1):
            doing = (
                "Undoing a run"
                if options["undo"]
                else f"Consolidating {number:,} of {len(people):,} memories"
            )
            with line.during(f"{doing} …"):
                result.append(self._run(user, options))
            if not options["json"]:
                self.stdout.write(f"{user.email}: {_words(result[-1])}")
        if options["json"]:
            self.stdout.write(json.dumps(result[0] if given else result))

    def _run(self, user: User, options: dict[str, Any]) -> dict[str, Any]:
        with tenant(user.id):
            if options["undo"]:
                return _undo(user.id, options["undo"])
            return _preview(user.id) if options["dry_run"] else _apply(user.id)


def _preview(user_id: UUID) -> dict[str, Any]:
    return {"run": None, "counts": Counter(change.kind for change in plan(user_id, timezone.now()).changes)}


def _apply(user_id: UUID) -> dict[str, Any]:
    run = consolidate(user_id, timezone.now())
    if run is None:
        raise CommandError("Another process is consolidating this memory; try again in a minute.")
    return {"run": str(run.id), "counts": run.counts}


def _undo(user_id: UUID, run_id: UUID) -> dict[str, Any]:
    try:
        left = undo(user_id, run_id, timezone.now())
    except NotFound as error:
        raise CommandError(f"There is no run {run_id} that can be undone.") from error
    run = ConsolidationRun.objects.get(user_id=user_id, id=run_id)
    return {"run": str(run_id), "counts": run.counts, "left": left}


def _words(result: dict[str, Any]) -> str:
    counts = [f"{_label(kind)}: {count:,}" for kind, count in result["counts"].items()]
    words = ", ".join(counts) or "nothing to do"
    if result.get("left"):
        words += f" ({result['left']:,} changed again since and stay)"
    return f"{words}. Run {result['run']}" if result["run"] else words


def _label(kind: str) -> str:
    merged = kind == ChangeSet.Kind.MERGED  # only facts are merged here; owners also merge places
    return "facts merged" if merged else ChangeSet.Kind(kind).label.lower()
