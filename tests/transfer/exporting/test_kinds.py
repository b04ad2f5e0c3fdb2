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
    listed = {kind.table for kind in KINDS} | set(LEFT_OUT)
    assert owned - listed == set()
    assert {kind.table for kind in KINDS} <= owned


def test_no_table_is_listed_twice():
    tables = [kind.table for kind in KINDS]
    assert len(tables) == len(set(tables)) == len(BY_NAME)
    assert not set(tables) & set(LEFT_OUT)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_columns_and_references_of_each_kind_are_consistent(kind):
    columns = {*kind.columns, *kind.left_out}
    named = {*kind.references, *kind.mentions, *kind.values, *kind.order}
    named |= {*kind.rows_in, *(column for key in kind.keys for column in key.columns)}
    assert named <= columns
    earlier = [each.name for each in KINDS[: KINDS.index(kind)]]
    assert set(kind.references.values()) <= {*earlier}
    assert set(kind.mentions.values()) <= {*BY_NAME, "anything", "places"}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_export_format_page_lists_all_fields(kind):
    page = (Path(__file__).parents[3] / "docs/export-format.md").read_text()
    line = next(line for line in page.splitlines() if f"`data/{kind.name}.jsonl`" in line)
    assert set(re.findall(r"`(\w+)`", line.split("|")[3])) == set(kind.columns)
