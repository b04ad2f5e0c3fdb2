"""`recall`: shows what would be recalled for a message."""

import json
from argparse import ArgumentParser
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError
from django.utils import timezone

from accounts.tenancy import tenant
from memory.management.arguments import UserCommand, add_moment, get_user, parse_moment
from memory.preferences import preferences_of
from memory.recall.pipeline import recall
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import Hit, RecallRequest, settings_from
from memory.text.sanitizing import visible

MAX_ITEMS = 20
TIMEOUT_MS = 10_000
"""A command may wait longer than a reply."""


class Command(UserCommand):
    """Prints the recalled drawers with their text, or everything as JSON."""

    help = "Recall memory for a message, as a chat does before its reply."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("text", metavar="TEXT", help="the message to recall for")
        super().add_arguments(parser)
        add_moment(parser, "time of the message (default: now)")
        parser.add_argument("--top-k", type=int, metavar="N", help="maximum number of drawers, 1 to 20")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        user = get_user(options["user"])
        with tenant(user.id):
            found = recall(_request(user.id, options))
        if options["json"]:
            answer = {
                "block": found.block,
                "hits": [_hit(hit) for hit in found.hits],
                "trace": trace_as_json(found.trace),
            }
            self.stdout.write(visible(json.dumps(answer, ensure_ascii=False)))
            return
        for hit in found.hits:
            place = f"{hit.pointer or 'not filed yet'}  {hit.said_at:%Y-%m-%d}  {hit.place}"
            self.stdout.write(visible(place))
            self.stdout.write(visible(f"  {hit.text}\n  ({hit.reason})\n"))
        if not found.hits:
            decision = found.trace.decision
            self.stdout.write("Nothing matches." if decision.search else decision.reason)


def _request(user_id: UUID, options: dict[str, Any]) -> RecallRequest:
    settings = replace(settings_from(preferences_of(user_id)), time_limit_ms=TIMEOUT_MS)
    wanted = options["top_k"]
    if wanted is not None:
        if not 1 <= wanted <= MAX_ITEMS:
            raise CommandError(f"--top-k must be a whole number from 1 to {MAX_ITEMS}.")
        settings = settings.limited_to(wanted)
    now = parse_moment(options["at"], user_id) or timezone.now()
    return RecallRequest(user_id=user_id, message=options["text"], now=now, settings=settings)


def _hit(hit: Hit) -> dict[str, Any]:
    return {**hit_as_json(hit), "room": hit.room, "text": hit.text}
