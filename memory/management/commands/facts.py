"""`facts`: lists a user's facts with their sources."""

import json
from argparse import ArgumentParser
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.tenancy import tenant
from memory.facts.queries import KnownFact, current_facts, with_quotes
from memory.management.arguments import UserCommand, add_moment, get_user, parse_moment
from memory.models import Fact
from memory.outgoing import Outgoing


class Command(UserCommand):
    """Prints a line, or a JSON element, per fact."""

    help = (
        "List a user's facts with status and source: all of them or, with --at, those that were true at a "
        "moment."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        add_moment(parser, "only facts that were true at that moment")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        user = get_user(options["user"])
        with tenant(user.id):
            facts = Outgoing(user.id).plain(_facts(user.id, parse_moment(options["at"], user.id)))
        if options["json"]:
            self.stdout.write(json.dumps(facts, ensure_ascii=False))
            return
        for fact in facts:
            since = fact["valid_from"][:10]
            until = f" until {fact['valid_to'][:10]}" if fact["valid_to"] else ""
            self.stdout.write(
                f"{fact['statement']}  [{fact['kind']}, {fact['status']}, "
                f"{fact['confidence']:.0%} sure, since {since}{until}] {fact['pointer'] or ''}"
            )
        if not facts:
            self.stdout.write("There are no facts yet.")


def _facts(user_id: UUID, at: datetime | None) -> list[dict[str, Any]]:
    facts = current_facts(user_id, at) if at else Fact.objects.filter(user_id=user_id)
    rows = facts.filter(deleted_at=None).order_by("key", "valid_from", "id")
    return [_row(known) for known in with_quotes(user_id, list(rows))]


def _row(known: KnownFact) -> dict[str, Any]:
    fact, first = known.fact, next(iter(known.quotes), None)
    return {
        "kind": fact.kind,
        "type": fact.memory_type,
        "key": fact.key,
        "value": fact.value,
        "statement": fact.statement,
        "predicate": fact.predicate,
        "object": fact.object,
        "status": fact.status,
        "confidence": fact.confidence,
        "authority": fact.authority,
        "valid_from": fact.valid_from.isoformat(),
        "valid_to": fact.valid_to.isoformat() if fact.valid_to else None,
        "pointer": str(first.source.drawer.pointer) if first else None,
        "quote": first.text if first else None,
    }
