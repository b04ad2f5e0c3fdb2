"""Every row of a user, column by column, as the database prints it."""

import json
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import connection

CHANGE_LOG = {"memory.consolidationrun", "memory.changeset", "memory.rowchange", "memory.activityevent"}

Dump = dict[str, dict[str, dict[str, Any]]]


def dump(user_id: UUID) -> Dump:
    """Whole rows by table and id, without the change log. Needs the user's tenant."""
    found: Dump = {}
    for model in apps.get_app_config("memory").get_models():
        names = {field.column for field in model._meta.concrete_fields}
        if {"id", "user_id"} <= names and model._meta.label_lower not in CHANGE_LOG:
            found[model._meta.label_lower] = _rows(model._meta.db_table, user_id)
    return found


def _rows(table: str, user_id: UUID) -> dict[str, dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT to_jsonb(t)::text FROM {table} t WHERE user_id = %s", [user_id])
        rows = [json.loads(text) for (text,) in cursor.fetchall()]
    return {row["id"]: row for row in rows}
