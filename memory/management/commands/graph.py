"""`graph`: shows an entity of the knowledge graph with its relations."""

import json
from argparse import ArgumentParser
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from accounts.tenancy import tenant
from memory.graph.resolution import find_entities, find_entity
from memory.graph.traversal import relations_of
from memory.management.arguments import UserCommand, add_moment, get_user, parse_moment
from memory.models import Drawer, Entity, Relation
from memory.outgoing import Outgoing
from memory.text.sanitizing import visible


class Command(UserCommand):
    """Prints the relations of an entity, newest first."""

    help = (
        "Show an entity with its relations: all of them or, with --at, those that held at a moment. The "
        "user is the entity `user`."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("entity", metavar="ENTITY", help="a name or alias, ignoring case")
        super().add_arguments(parser)
        add_moment(parser, "only relations that held at that moment")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        user = get_user(options["user"])
        with tenant(user.id):
            others = find_entities(user.id, options["entity"])
            answer = _answer(user.id, options["entity"], parse_moment(options["at"], user.id))
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
    entity = find_entity(user_id, name)
    if entity is None:
        raise CommandError(f"There is no entity called {name}.")
    relations = list(relations_of(entity, at))
    drawers = Drawer.objects.filter(user_id=user_id, id__in=[each.drawer_id for each in relations])
    pointers = {drawer.id: str(drawer.pointer) for drawer in drawers}
    return {
        "entity": entity.name,
        "type": entity.type,
        "relations": [_relation(entity, each, pointers) for each in relations],
    }


def _relation(entity: Entity, relation: Relation, pointers: dict[UUID, str]) -> dict[str, Any]:
    outward = relation.subject_id == entity.id
    return {
        "entity": (relation.object if outward else relation.subject).name,
        "relation": relation.relation,
        "direction": "out" if outward else "in",
        "valid_from": relation.valid_from.isoformat(),
        "valid_to": relation.valid_to.isoformat() if relation.valid_to else None,
        "pointer": pointers.get(relation.drawer_id),
    }
