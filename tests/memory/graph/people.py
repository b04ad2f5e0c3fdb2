"""Entities, relations and rows of the graph in a form that tests can compare."""

from datetime import timedelta

from memory.graph.resolution import entity_for, find_entity
from memory.models import Relation
from tests.memory.consolidation.dumps import dump
from tests.memory.palaces import MONDAY

NOW = MONDAY + timedelta(days=100)
DAY = timedelta(days=1)
TABLES = ("memory.entity", "memory.entityname", "memory.relation", "memory.relationsource")


def entity(user, name, type_=""):
    return entity_for(user.id, name, type_) if type_ else find_entity(user.id, name)


def rows(user):
    """Every row of the graph with all columns."""
    return {table: kept for table, kept in dump(user.id).items() if table in TABLES}


def edges(user, name):
    entity_id = entity(user, name).id
    return sorted(
        f"{row.subject.name} {row.relation} {row.object.name} "
        f"{(row.valid_from - MONDAY).days}–{(row.valid_to - MONDAY).days if row.valid_to else ''}"
        for row in Relation.objects.filter(user_id=user.id, deleted_at=None)
        if entity_id in (row.subject_id, row.object_id)
    )
