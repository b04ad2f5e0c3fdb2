"""Put hostile text wherever user text can be, through `manage.py shell` beside a site.

Existing rows are rewritten in the database, column by column, so that text columns added later are hostile
too. Immutable rows (drawers, the ledger) are created by the product's own functions.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import DatabaseError, models, transaction

from accounts.models import User
from accounts.tenancy import tenant
from chat.agents import default_agent
from chat.conversations import Choices, NewMessage, ToolUse, append, start
from memory.aaak import Tags
from memory.models import RecallTrace
from memory.recall.pipeline import recall
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import RecallRequest
from tests.browser.site import Site
from tests.memory.palaces import Spot, file, learn, relate

CORPUS = Path(__file__).parents[1] / "fixtures" / "hostile.txt"
APPS = ("memory", "chat", "transfer", "accounts", "api")
ROWS = 120
NEVER_CHANGE = frozenset({"memory_drawer", "chat_message"})
# Columns that are read by code and not written by users.
CODES = """
    slug kind type sense normalised mined_by source_kind authority role language language_code path
    call_id external_id embedding_model time_zone session scope state status source consolidation
    format name_digest token_digest key_digest digest hash prefix fingerprint secret url scopes signals
    feature model rule purpose session_key stem word lexeme
"""


def payloads() -> list[str]:
    """The hostile texts, one per line of the corpus."""
    lines = CORPUS.read_text(encoding="utf-8").splitlines()
    return [line.replace("\\n", "\n") for line in lines]


def poison_beside(site: Site, email: str) -> None:
    """Poison the palace of this user on a running site."""
    words = f"from tests.browser.poisoning import poison; poison({email!r})"
    site.manage("shell", "--no-imports", "-c", words)


def poison(email: str) -> None:
    """Rewrite all text of this user, and add hostile drawers, facts, chats and other rows."""
    user = User.objects.get(email=email)
    with tenant(user.id):
        for number, text in enumerate(payloads()):
            _file(user.id, number, text)
        _talk(user.id)
        for model in _owned():
            if model._meta.db_table not in NEVER_CHANGE:
                _rewrite(model, user.id)
    user.name = payloads()[0][:120]
    user.save(update_fields=["name"])


def _file(user_id: UUID, number: int, text: str) -> None:
    moment = datetime(2025, 3, 1 + number % 28, 9, number % 60, tzinfo=UTC)
    spot = Spot(wing=f"{text[:60]} {number % 6}", room=text, closet=f"{text[:90]} {number}", start=moment)
    tags = Tags(people=(text,), places=(text,), events=(text,), items=(text,), times=(text,))
    said = f"{text} I keep my hostile words here. {text}"
    drawer = file(user_id, [said, text], spot, tags=tags)[0]
    learn(drawer, "hostile words", f"Keeps {text} {number}.", object=text, predicate=text[:100])
    relate(drawer, f"{text} {number}", text[:100], f"other {text}")


def _talk(user_id: UUID) -> None:
    now = datetime(2025, 4, 1, tzinfo=UTC)
    chat = start(user_id, Choices(agent=default_agent(user_id)), now)
    found = recall(RecallRequest(user_id, "Which hostile words do I keep here?", now))
    given = {"trace": trace_as_json(found.trace), "hits": [hit_as_json(hit) for hit in found.hits]}
    trace = RecallTrace.objects.create(user_id=user_id, at=now, **given)
    for text in payloads():
        use = ToolUse(name=text[:60], arguments=text, call_id="1")
        append(chat, NewMessage(role="user", content=text), now)
        append(chat, NewMessage(role="assistant", content="", tool=use), now)
        append(chat, NewMessage(role="tool", content=text, tool=use), now)
        reply = NewMessage(role="assistant", content=text, notice=text[:300], trace_id=trace.id)
        append(chat, reply, now)


def _owned() -> Iterator[type[models.Model]]:
    for label in APPS:
        for model in apps.get_app_config(label).get_models():
            names = {field.name for field in model._meta.concrete_fields}
            if {"user", "id"} <= names and not model._meta.proxy:
                yield model


def _rewrite(model: type[models.Model], user_id: UUID) -> None:
    rows, hostile = model._default_manager.filter(user_id=user_id), payloads()
    for number, row in enumerate(rows.order_by("-id")[:ROWS]):
        text = hostile[number % len(hostile)]
        for field in model._meta.concrete_fields:
            value = _changed(field, getattr(row, field.attname), text, number)
            if value is None:
                continue
            try:
                with transaction.atomic():
                    rows.filter(pk=row.pk).update(**{field.attname: value})
            except DatabaseError as error:
                raise AssertionError(f"{model._meta.db_table}.{field.name} cannot be hostile") from error


def _changed(field: Any, value: Any, text: str, number: int) -> Any:
    """The hostile value of a column, or None if it contains no user text."""
    if field.name in CODES.split() or field.choices or not value:
        return None
    if isinstance(field, models.CharField | models.TextField):
        return f"{text} {number}"[: field.max_length]
    if isinstance(field, ArrayField) and isinstance(field.base_field, models.TextField):
        return [text for _ in value]
    return _hostile_json(value, text) if isinstance(field, models.JSONField) else None


def _hostile_json(value: Any, text: str) -> Any:
    """The same structure with hostile text in place of strings with spaces."""
    if isinstance(value, dict):
        return {key: _hostile_json(each, text) for key, each in value.items()}
    if isinstance(value, list):
        return [_hostile_json(each, text) for each in value]
    return text if isinstance(value, str) and " " in value else value
