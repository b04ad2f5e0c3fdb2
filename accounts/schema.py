"""Migration operations that make a table somebody's own."""

from django.db.migrations.operations import RunSQL

TENANT = "NULLIF(current_setting('palace.user_id', true), '')::uuid"
OPERATOR = "current_setting('palace.operator', true) = 'on'"


def row_security(table: str, *, operators: bool = False, key: str = "user_id") -> RunSQL:
    """Let a session see and write only its tenant's rows of `table`, and none without a tenant.

    With `operators`, staff may see and change the rows too; only for tables without content.
    """
    mine = f"{key} = (SELECT {TENANT})"
    allowed = f"{mine} OR (SELECT {OPERATOR})" if operators else mine
    return RunSQL(
        sql=[
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
            f"CREATE POLICY tenant ON {table} USING ({allowed}) WITH CHECK ({allowed})",
        ],
        reverse_sql=[
            f"DROP POLICY tenant ON {table}",
            f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY",
        ],
    )


def user_in_key(table: str) -> RunSQL:
    """Widen a single-column primary key to (user_id, id)."""
    return RunSQL(
        sql=[
            f"ALTER TABLE {table} DROP CONSTRAINT {table}_pkey",
            f"ALTER TABLE {table} ADD CONSTRAINT {table}_pkey PRIMARY KEY (user_id, id)",
        ],
        reverse_sql=[
            f"ALTER TABLE {table} DROP CONSTRAINT {table}_pkey",
            f"ALTER TABLE {table} ADD CONSTRAINT {table}_pkey PRIMARY KEY (id)",
        ],
    )


def references(table: str, column: str, target: str, *, on_delete: str = "CASCADE") -> RunSQL:
    """A foreign key on (user_id, `column`) to `target` (user_id, id), checked at commit."""
    name = f"{table}_{column}_fk"
    return RunSQL(
        sql=(
            f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY (user_id, {column}) "
            f"REFERENCES {target} (user_id, id) ON DELETE {on_delete} DEFERRABLE INITIALLY DEFERRED"
        ),
        reverse_sql=f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )
