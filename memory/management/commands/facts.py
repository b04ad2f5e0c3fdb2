"""`facts`: lists a user's facts with their sources."""

import json
from argparse import ArgumentParser
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.tenancy import tenant
from memory.facts.queries import current_facts
from memory.management.arguments import UserCommand, add_moment, get_user, parse_moment
from memory.models import Fact, FactSource
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
    sources = _first_sources(user_id)
    return [_row(fact, sources.get(fact.id)) for fact in rows]


def _first_sources(user_id: UUID) -> dict[UUID, FactSource]:
    """The earliest source in a live drawer of each fact."""
    sources = FactSource.objects.filter(user_id=user_id, drawer__deleted_at=None)
    ordered = sources.select_related("drawer").order_by("-drawer__said_at", "-id")
    return {source.fact_id: source for source in ordered}


def _row(fact: Fact, source: FactSource | None) -> dict[str, Any]:
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
        "pointer": str(source.drawer.pointer) if source else None,
        "quote": _quote(source) if source else None,
    }


def _quote(source: FactSource) -> str:
    return Outgoing(source.user_id).words(source.drawer.content, source.start, source.end)
