"""`forget`: forgets a part of a palace, or all of it."""

import json
from argparse import ArgumentParser
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from memory.aaak import parse_pointer
from memory.forgetting.holders import waiting_uploads
from memory.forgetting.receipts import as_lines, kept_lines, lines, receipt_of, receipt_text
from memory.forgetting.requests import Preview, forget, forget_now, preview
from memory.forgetting.scopes import KINDS, ForgetRequest, InvalidScope, NothingToForget
from memory.forgetting.trash import NotInTrash, undo
from memory.management.arguments import UserCommand, check_year, get_user
from memory.management.terminal import ProgressLine
from memory.models import Forgetting
from memory.preferences import preferences_of, zone_of

SCOPES = ("conversation", *(kind for kind in KINDS if kind != "source"))

UPLOADED = "Files waiting to be imported may contain some of these words until you cancel them:"


class Command(UserCommand):
    """Previews what would be forgotten and, with --yes, forgets it."""

    help = (
        "Forget a drawer, closet, room or wing, everything about an entity, a conversation, a project, the "
        "chats with an agent or of an import, a range of days, or everything. Without --yes, only preview "
        "it. Forgotten memories stay in the trash for 30 days, where --undo restores them, unless --now "
        "erases them at once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("scope", nargs="?", choices=SCOPES, help="what to forget")
        parser.add_argument(
            "which",
            nargs="?",
            default="",
            help="its id; for a drawer also its pointer; for a wing, entity, project or agent its name; for"
            " dates FROM or FROM..TO, both included",
        )
        super().add_arguments(parser)
        parser.add_argument("--yes", action="store_true", help="forget, instead of only previewing")
        parser.add_argument("--now", action="store_true", help="erase at once, bypassing the trash")
        parser.add_argument("--keep-chats", action="store_true", help="keep the text in the chats")
        parser.add_argument("--undo", metavar="RECEIPT", type=UUID, help="undo the request with this receipt")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["undo"] and not options["scope"]:
            raise CommandError(f"Name what to forget: one of {', '.join(SCOPES)}.")
        user = get_user(options["user"])
        with tenant(user.id):
            try:
                report = self._run(user, options)
            except InvalidScope as error:
                raise CommandError(str(error)) from error
            except NothingToForget as error:
                raise CommandError("Nothing matches, so there is nothing to forget.") from error
            except NotInTrash as error:
                raise CommandError("There is no such receipt, or it can no longer be undone.") from error
        self.stdout.write(json.dumps(report) if options["json"] else report["words"])

    def _run(self, user: User, options: dict[str, Any]) -> dict[str, Any]:
        now, line = timezone.now(), ProgressLine(self.stderr)
        if options["undo"]:
            with line.during("Undoing …"):
                undo(user.id, options["undo"], now)
            return _report(receipt_of(user.id, options["undo"]), "Undone.")
        wanted = _wanted(user.id, options)
        if not options["yes"]:
            with line.during("Counting what would be forgotten …"):
                return _previewed(preview(user.id, wanted))
        with line.during("Erasing, then searching every table …" if options["now"] else "Forgetting …"):
            receipt = (forget_now if options["now"] else forget)(user.id, wanted, now)
        return _report(receipt, receipt_text(receipt))


def _wanted(user_id: UUID, options: dict[str, Any]) -> ForgetRequest:
    scope, which, with_chats = options["scope"], options["which"].strip(), not options["keep_chats"]
    if not which and scope != "everything":
        raise CommandError(f"Say which {scope}.")
    if scope == "dates":
        since, until = _days(user_id, which)
        return ForgetRequest(scope, since=since, until=until, with_chats=with_chats)
    kind = "source" if scope == "conversation" else scope
    wanted = ForgetRequest.named(kind, which, with_chats=with_chats)
    if scope == "drawer" and wanted.name and parse_pointer(which) is None:
        raise CommandError(f"{which} is neither an id nor a pointer.")
    return wanted


def _days(user_id: UUID, which: str) -> tuple[datetime, datetime]:
    """From the start of the first day to the end of the last, in the user's time zone."""
    first, _, last = which.partition("..")
    zone = zone_of(preferences_of(user_id))
    try:
        start, end = (datetime.fromisoformat(day) for day in (first, last or first))
    except ValueError as error:
        raise CommandError("Write days as 2026-03-01 or 2026-03-01..2026-03-31.") from error
    for day in (start, end):
        check_year(day)
    start, end = (day.replace(tzinfo=day.tzinfo or zone) for day in (start, end))
    return start, end + timedelta(days=1)


def _previewed(seen: Preview) -> dict[str, Any]:
    listed = as_lines((*lines(seen.counts), *kept_lines(seen.counts)))
    words = "\n".join(["This would forget:", *listed, "Add --yes to forget it."])
    return {"receipt": None, "counts": seen.counts, "words": words}


def _report(receipt: Forgetting, words: str) -> dict[str, Any]:
    waiting = [str(upload.id) for upload in waiting_uploads(receipt)]
    if waiting:
        words = "\n".join([words, UPLOADED, *(f"  import {each}" for each in waiting)])
    return {
        "receipt": str(receipt.id),
        "counts": receipt.counts,
        "erased": receipt.erased,
        "residue": receipt.residue,
        "waiting_uploads": waiting,
        "words": words,
    }
