"""Rows of the graph in a form that tests can compare."""

from tests.memory.consolidation.dumps import dump

TABLES = ("memory.entity", "memory.entityname", "memory.relation", "memory.relationsource")


def rows(user):
    """Every row of the graph with all columns."""
    return {table: kept for table, kept in dump(user.id).items() if table in TABLES}
