"""Helpers shared by the migrations of all apps. Migrations are history: add here, but change nothing."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models
from django.db.migrations.operations import RunSQL
from uuid_utils.compat import uuid7

Field = tuple[str, "models.Field[Any, Any]"]


def key(*columns: str) -> Field:
    """A primary key of the user and `columns`."""
    return "pk", models.CompositePrimaryKey("user_id", *columns, serialize=False)


def user() -> Field:
    """The owner of a row, without an index of its own: every key begins with it."""
    owner: models.ForeignKey[Any, Any] = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    return "user", owner


def owned() -> list[Field]:
    """The columns of `accounts.owned.Owned`."""
    return [key("id"), user(), ("id", models.UUIDField(default=uuid7, editable=False))]


def operational() -> list[Field]:
    """The columns of `accounts.owned.Operational`; the SQL of the app widens the key to (user_id, id)."""
    own = models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)
    return [("id", own), user()]


def reference(name: str, to: str, *, related_name: str = "+", null: bool = False) -> Field:
    """The join of `accounts.owned.owned_reference`; the SQL of the app adds the foreign key."""
    join: models.ForeignObject[Any, Any] = models.ForeignObject(
        to,
        on_delete=models.DO_NOTHING,
        from_fields=("user", f"{name}_id"),
        to_fields=("user", "id"),
        related_name=related_name,
        null=null,
    )
    return name, join


def run_script(migration: str, *, reverse: str = RunSQL.noop) -> RunSQL:
    """Run the SQL file beside a migration (pass `__file__`); dropping the tables undoes most of it."""
    return RunSQL(Path(migration).with_suffix(".sql").read_text(encoding="utf-8"), reverse)
