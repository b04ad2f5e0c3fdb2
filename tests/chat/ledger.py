"""Build conversations and exports, and compare all rows of a user."""

from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import connection, models

from tests.transfer.importing.exports import as_file, node, said
from transfer.importing.threads import ImportedConversation, ImportedMessage

NOW = datetime(2031, 3, 5, 6, 30, tzinfo=UTC)


def chat(key: str, *words: str, **changes: Any) -> ImportedConversation:
    """A conversation of alternating turns, a minute apart."""
    messages = tuple(
        ImportedMessage(
            external_id=f"{key}-{number}",
            parent_external_id=f"{key}-{number - 1}" if number else None,
            role="assistant" if number % 2 else "user",
            content=text,
            said_at=NOW - timedelta(days=30) + timedelta(minutes=number),
        )
        for number, text in enumerate(words)
    )
    given = {
        "external_id": key,
        "title": key.title(),
        "created_at": NOW - timedelta(days=30),
        "updated_at": NOW - timedelta(days=29),
        "project": "",
        "messages": messages,
        "current_leaf": messages[-1].external_id if messages else None,
    }
    return ImportedConversation(**{**given, **changes})


def export_of(chats: Mapping[str, Iterable[str]], extra: Iterable[object] = ()) -> list[object]:
    """A ChatGPT export of these chats of alternating turns, followed by the entries in `extra`."""
    entries = []
    for key, words in chats.items():
        turns = [
            said(text, "assistant" if number % 2 else "user", create_time=1_700_000_000 + 60 * number)
            for number, text in enumerate(words)
        ]
        entries.append(entry(key, key.title(), *turns))
    return [*entries, *extra]


def entry(key: str, title: str, *turns: object) -> dict[str, object]:
    """A chat in a ChatGPT export, of messages that follow each other."""
    keys = [f"{key}-{number}" for number in range(len(turns))]
    mapping = {
        name: node(turn, above, keys[place + 1 : place + 2])
        for place, (name, above, turn) in enumerate(zip(keys, [None, *keys], turns, strict=False))
    }
    return {"id": key, "title": title, "mapping": mapping, "current_node": keys[-1]}


def write_export(path: Path, value: object) -> Path:
    """Write a value as a JSON file."""
    path.write_bytes(as_file(value).getvalue())
    return path


def owned_models() -> list[type[models.Model]]:
    """The models of all owned tables."""
    return [
        model
        for label in ("accounts", "memory", "chat", "transfer", "api")
        for model in apps.get_app_config(label).get_models()
        if any(field.name == "user" for field in model._meta.fields)
    ]


def counts(user_id: UUID) -> dict[str, int]:
    """The number of rows of a user in each table."""
    return {model._meta.label: model.objects.filter(user_id=user_id).count() for model in owned_models()}


def contents(user_id: UUID) -> dict[str, list[str]]:
    """All rows of a user, without ids and the moment they were created."""
    return {model._meta.label: sorted(map(repr, _rows(model, user_id))) for model in owned_models()}


def _rows(model: type[models.Model], user_id: UUID) -> Iterable[dict[str, object]]:
    fields = [
        field.attname
        for field in model._meta.concrete_fields
        if not isinstance(field, models.UUIDField | models.ForeignKey) and field.name != "created_at"
    ]
    return model.objects.filter(user_id=user_id).values(*fields)


class Killed(BaseException):
    """Simulates a process that is killed between two statements."""


@contextmanager
def kill_at(statement: int, *, after: bool = False) -> Any:
    """Raise Killed before (or after) the given statement, counted from one."""
    seen = 0

    def wrapper(execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        nonlocal seen
        seen += 1
        if seen == statement and not after:
            raise Killed
        result = execute(sql, params, many, context)
        if seen == statement and after:
            raise Killed
        return result

    with connection.execute_wrapper(wrapper):
        yield
