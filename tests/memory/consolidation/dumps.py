"""Every row of a user, column by column, as the database prints it."""

import json
from typing import Any
from uuid import UUID

from django.apps import apps

from memory.sql import fetch

CHANGE_LOG = {"memory.consolidationrun", "memory.changeset", "memory.rowchange", "memory.activityevent"}

Dump = dict[str, dict[str, dict[str, Any]]]


def dump(user_id: UUID) -> Dump:
    """Whole rows by table and id, without the change log. Needs the user's tenant."""
    found: Dump = {}
    for model in apps.get_app_config("memory").get_models():
        names = {field.column for field in model._meta.concrete_fields}
        if {"id", "user_id"} <= names and model._meta.label_lower not in CHANGE_LOG:
            query = f"SELECT id::text, to_jsonb(t)::text FROM {model._meta.db_table} t WHERE user_id = %s"
            found[model._meta.label_lower] = {key: json.loads(text) for key, text in fetch(query, [user_id])}
    return found
