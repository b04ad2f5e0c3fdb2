"""Every owned table is exported, or left out for a reason stated in the manifest."""

import re
from pathlib import Path

import pytest
from django.db import connection

from transfer.exporting.kinds import BY_NAME, KINDS, LEFT_OUT

OWNED = """
SELECT DISTINCT c.table_name FROM information_schema.columns c
JOIN information_schema.tables t USING (table_schema, table_name)
WHERE c.table_schema = 'public' AND c.column_name = 'user_id' AND t.table_type = 'BASE TABLE'
"""


@pytest.mark.django_db
def test_every_owned_table_is_exported_or_left_out():
    with connection.cursor() as cursor:
        cursor.execute(OWNED)
        owned = {table for (table,) in cursor.fetchall()}
    tables = [kind.table for kind in KINDS]
    assert owned - {*tables, *LEFT_OUT} == set()
    assert set(tables) <= owned - set(LEFT_OUT)
    assert len(tables) == len(set(tables)) == len(BY_NAME)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_columns_and_references_of_each_kind_are_consistent_and_documented(kind):
    named = {*kind.references, *kind.mentions, *kind.values, *kind.order}
    named |= {*kind.rows_in, *(column for key in kind.keys for column in key.columns)}
    assert named <= {*kind.columns, *kind.left_out}
    assert {*kind.references.values()} <= {each.name for each in KINDS[: KINDS.index(kind)]}
    assert {*kind.mentions.values()} <= {*BY_NAME, "anything", "places"}
    page = (Path(__file__).parents[3] / "docs/export-format.md").read_text()
    line = next(line for line in page.splitlines() if f"`data/{kind.name}.jsonl`" in line)
    assert set(re.findall(r"`(\w+)`", line.split("|")[3])) == set(kind.columns)
