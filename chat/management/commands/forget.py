"""`forget`: forget a part of a palace, or all of it."""

import json
from argparse import ArgumentParser
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.core.management.base import BaseCommand, CommandError
from django.db.models.functions import Lower
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from chat.agents import agents_of
from chat.forgetting import (
    NotForgotten,
    Preview,
    bring_back,
    forget,
    forget_now,
    preview,
    uploads_untouched,
)
from chat.wishes import Wanted
from memory.aaak import parse_pointer
from memory.drawers import find_by_pointer
from memory.forgetting.scopes import KINDS, NothingToForget
from memory.forgetting.telling import kept_lines, lines, told_in_words
from memory.graph.resolution import find_entity
from memory.management.arguments import add_user, person
from memory.models import Forgetting
from memory.placement import find_wing
from memory.preferences import preferences_of

SCOPES = ("conversation", *(kind for kind in KINDS if kind != "source"))

UPLOADED = "Files that wait to be imported may hold some of these words, until they are cancelled:"


class Command(BaseCommand):
    """Shows what would be forgotten, and with `--yes` forgets it."""

    help = (
        "Forget what lies in a drawer, closet, room or wing, what was said of a person or thing, "
        "in a conversation, in a project, with an agent or on some days, or everything. Without "
        "--yes it only says what that would take. What is forgotten lies in the trash for 30 days "
        "(--undo takes it back) unless --now erases it at once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to forget, of whom, and how."""
        parser.add_argument("scope", nargs="?", choices=SCOPES, help="what sort of thing")
        parser.add_argument(
            "which",
            nargs="?",
            default="",
            help="its id; of a drawer also its pointer, of a wing, entity, project or agent its "
            "name, of dates FROM or FROM..TO (both count)",
        )
        add_user(parser)
        parser.add_argument("--yes", action="store_true", help="do it, and not only say so")
        parser.add_argument("--now", action="store_true", help="erase at once, past the trash")
        parser.add_argument(
            "--keep-chats", action="store_true", help="leave the words in the chats"
        )
        parser.add_argument("--undo", metavar="RECEIPT", type=UUID, help="take one back")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Preview, forget or take back."""
        if not options["undo"] and not options["scope"]:
            raise CommandError(f"Say what to forget: one of {', '.join(SCOPES)}.")
        user = person(options["user"])
        with tenant(user.id):
            try:
                told = self._run(user, options)
            except NothingToForget as error:
                raise CommandError("There is nothing like that to forget.") from error
            except NotForgotten as error:
                raise CommandError("Nothing with this receipt can be taken back.") from error
        self.stdout.write(json.dumps(told) if options["json"] else told["words"])

    def _run(self, user: User, options: dict[str, Any]) -> dict[str, Any]:
        now = timezone.now()
        if options["undo"]:
            return _told(bring_back(user.id, options["undo"], now), "Taken back.")
        wanted = _wanted(user.id, options)
        if not options["yes"]:
            return _previewed(preview(user.id, wanted))
        receipt = (forget_now if options["now"] else forget)(user.id, wanted, now)
        return _told(receipt, told_in_words(receipt))


def _wanted(user_id: UUID, options: dict[str, Any]) -> Wanted:
    scope, which = options["scope"], options["which"].strip()
    chats = not options["keep_chats"]
    if scope == "everything":
        return Wanted(scope, with_chats=chats)
    if not which:
        raise CommandError(f"Say which {scope}.")
    if scope == "dates":
        since, until = _days(user_id, which)
        return Wanted(scope, since=since, until=until, with_chats=chats)
    if scope == "project" and not _is_id(which):
        return Wanted(scope, project=which, with_chats=chats)
    kind = "source" if scope == "conversation" else scope
    return Wanted(kind, _id_of(user_id, scope, which), with_chats=chats)


def _id_of(user_id: UUID, scope: str, which: str) -> UUID:
    """The id that was given, or that of what goes by this name. Raises NothingToForget."""
    if _is_id(which):
        return UUID(which)
    found: Any = None
    if scope == "drawer":
        found = _by_pointer(user_id, which)
    elif scope == "wing":
        found = find_wing(user_id, which)
    elif scope == "entity":
        found = find_entity(user_id, which)
    elif scope == "agent":
        agents = agents_of(user_id).annotate(lower=Lower("name"))
        found = agents.filter(lower=which.lower()).first()
    if found is None:
        raise NothingToForget
    wanted: UUID = found.id
    return wanted


def _by_pointer(user_id: UUID, which: str) -> Any:
    pointer = parse_pointer(which)
    if pointer is None:
        raise CommandError(f"{which} is neither an id nor a pointer.")
    return find_by_pointer(user_id, pointer)


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _days(user_id: UUID, which: str) -> tuple[datetime, datetime]:
    """From the start of the first day to the end of the last, by the person's clock."""
    first, _, last = which.partition("..")
    zone = ZoneInfo(preferences_of(user_id).time_zone)
    try:
        start, end = (datetime.fromisoformat(day) for day in (first, last or first))
    except ValueError as error:
        raise CommandError("Write days as 2026-03-01 or 2026-03-01..2026-03-31.") from error
    start, end = (day.replace(tzinfo=day.tzinfo or zone) for day in (start, end))
    return start, end + timedelta(days=1)


def _previewed(seen: Preview) -> dict[str, Any]:
    listed = [f"  {line.count:>9,}  {line.label}" for line in lines(seen.counts)]
    stays = [f"  {line.count:>9,}  {line.label}" for line in kept_lines(seen.counts)]
    words = "\n".join(["This would forget:", *listed, *stays, "Add --yes to do it."])
    return {"receipt": None, "counts": seen.counts, "words": words}


def _told(receipt: Forgetting, words: str) -> dict[str, Any]:
    waiting = [str(run.id) for run in uploads_untouched(receipt)]
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
