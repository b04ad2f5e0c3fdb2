"""`graph`: shows an entity of the knowledge graph with its relations."""

import json
from argparse import ArgumentParser
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from accounts.tenancy import tenant
from memory.drawers import pointer_of
from memory.graph.resolution import find_entities
from memory.graph.traversal import Edge, Neighbourhood, neighbourhood
from memory.management.arguments import add_moment, add_user, moment, person
from memory.models import Drawer
from memory.outgoing import Outgoing
from memory.text.sanitizing import visible


class Command(BaseCommand):
    """Prints the relations of an entity, newest first."""

    help = (
        "Show an entity with its relations: all of them or, with --at, those that held at a moment. The "
        "user is the entity `user`."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("entity", metavar="ENTITY", help="a name or alias, ignoring case")
        add_user(parser)
        add_moment(parser, "only relations that held at that moment")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        user = person(options["user"])
        with tenant(user.id):
            others = find_entities(user.id, options["entity"])
            answer = _answer(user.id, options["entity"], moment(options["at"], user.id))
            answer = Outgoing(user.id).plain(answer)
        if options["json"]:
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
            return
        self.stdout.write(f"{answer['entity']} ({answer['type']})")
        for row in answer["relations"]:
            arrow = "→" if row["direction"] == "out" else "←"
            until = f" until {row['valid_to'][:10]}" if row["valid_to"] else ""
            self.stdout.write(
                f"  {arrow} {row['relation']} {row['entity']}  "
                f"since {row['valid_from'][:10]}{until}  {row['pointer']}"
            )
        if len(others) > 1:
            names = visible(", ".join(f"{each.name} ({each.type})" for each in others))
            self.stdout.write(
                f"Several entities share this name: {names}. The one with the most sources is shown."
            )


def _answer(user_id: UUID, name: str, at: datetime | None) -> dict[str, Any]:
    found = neighbourhood(user_id, name, at=at)
    if found is None:
        raise CommandError(f"There is no entity called {name}.")
    pointers = _pointers(user_id, found)
    return {
        "entity": found.name,
        "type": found.type,
        "relations": [_relation(edge, pointers) for edge in found.edges],
    }


def _pointers(user_id: UUID, found: Neighbourhood) -> dict[UUID, str]:
    ids = [edge.drawer_id for edge in found.edges]
    drawers = Drawer.objects.filter(user_id=user_id, id__in=ids)
    return {drawer.id: str(pointer_of(drawer)) for drawer in drawers}


def _relation(edge: Edge, pointers: dict[UUID, str]) -> dict[str, Any]:
    return {
        "entity": edge.other,
        "relation": edge.relation,
        "direction": edge.direction,
        "valid_from": edge.valid_from.isoformat(),
        "valid_to": edge.valid_to.isoformat() if edge.valid_to else None,
        "pointer": pointers.get(edge.drawer_id),
    }
