"""What is exported: every owned table is a kind of row here, or is left out for a reason.

A kind's columns are those of its table, so new columns are exported automatically. Place a new
owned table in `KINDS` or `LEFT_OUT`: a test compares both with the database.
"""
# ruff: noqa: S608 - queries are put together from the constants here

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import connection, models, transaction

from memory.sql import execute, fetch_value

NOBODY = "00000000-0000-0000-0000-000000000000"
"""Stands for the account itself in exported rows."""


def _exists(table: str, condition: str) -> str:
    """SQL: whether the same owner has a row `other`."""
    return f"EXISTS (SELECT 1 FROM {table} other WHERE other.user_id = t.user_id AND {condition})"


_NOT_INCOGNITO = _exists("chat_conversation", "other.id = t.conversation_id AND NOT other.incognito")
_OF_A_CHANGE = _exists("memory_changeset", "other.id = t.change_set_id AND other.made_at IS NOT NULL")
_OF_A_REPLY = _exists("memory_recalltrace", "other.id = t.trace_id AND NOT other.without_reply")


@dataclass(frozen=True, slots=True)
class Key:
    """Columns that identify a row in an account that has it under another id. `where` narrows the
    rows on both sides, with `{row}` as alias. A `unique` key belongs to one row only."""

    columns: tuple[str, ...]
    where: str = "true"
    unique: bool = True


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of row: its file in the archive, its table, and how its rows refer to each other.

    `mentions` maps columns to kinds whose rows may be gone; every other foreign key is one of the
    `references`, which must exist. `condition` is SQL over the row `t`. `values` are SQL for columns not
    written as stored, `rows_in` JSON columns with ids inside. `former` columns, of earlier exports, are
    ignored in a restore.
    """

    name: str
    table: str
    keys: tuple[Key, ...] = ()
    mentions: Mapping[str, str] = field(default_factory=dict)
    condition: str = "true"
    left_out: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    order: tuple[str, ...] = ("id",)
    rows_in: tuple[str, ...] = ()
    former: tuple[str, ...] = ()

    @property
    def model(self) -> type[models.Model]:
        """The table as Django knows it."""
        return next(model for model in apps.get_models() if model._meta.db_table == self.table)

    @property
    def fields(self) -> "Mapping[str, models.Field[Any, Any]]":
        """The columns of the table in their order, with the owner."""
        return {field.column: field for field in self.model._meta.concrete_fields if field.column}

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the values of a row, in the order of the table."""
        return tuple(name for name in self.fields if name not in {"user_id", *self.left_out})

    @property
    def references(self) -> Mapping[str, str]:
        """The kind that each foreign key leads to."""
        kinds = {kind.table: kind.name for kind in KINDS}
        keys = [key for key in self.model._meta.get_fields() if isinstance(key, models.ForeignObject)]
        led = {key.from_fields[-1]: key.related_model._meta.db_table for key in keys}
        return {
            column: kinds[table]
            for column, table in led.items()
            if table in kinds and column not in self.mentions
        }


KINDS: tuple[Kind, ...] = (
    Kind("agents", "chat_agent", (Key(("created_at", "name"), unique=False),)),
    Kind(
        "conversations",
        "chat_conversation",
        (Key(("source", "external_id")),),
        mentions={"agent_id": "agents"},
        condition="NOT t.incognito",
        former=("is_demo",),
        left_out=("settled_through",),
    ),
    Kind(
        "messages",
        "chat_message",
        (Key(("conversation_id", "external_id"), "{row}.external_id <> ''"),),
        mentions={"trace_id": "traces"},
        condition=_NOT_INCOGNITO,
        order=("conversation_id", "sequence"),
    ),
    Kind(
        "wings",
        "memory_wing",
        mentions={"merged_into_id": "wings"},
        left_out=("rooms_held", "drawers_held", "first_at", "last_at"),
    ),
    Kind("wing_names", "memory_wingname", (Key(("slug",)),)),
    Kind(
        "rooms",
        "memory_room",
        (Key(("wing_id", "source_kind", "source_id")),),
        mentions={"source_id": "conversations", "merged_into_id": "rooms"},
        left_out=("closets_held", "drawers_held"),
    ),
    Kind(
        "closets",
        "memory_closet",
        (Key(("room_id", "slug")),),
        mentions={"merged_into_id": "closets"},
        left_out=("drawers_held",),
    ),
    Kind(
        "drawers",
        "memory_drawer",
        (Key(("source_message_id",)), Key(("content_hash", "said_at", "role"), unique=False)),
        mentions={"source_id": "conversations", "source_message_id": "messages"},
        former=("mined_by",),
    ),
    Kind(
        "entities",
        "memory_entity",
        (Key(("type",), "{row}.type = 'user'"),),
        mentions={"merged_into_id": "entities"},
    ),
    Kind("entity_names", "memory_entityname", (Key(("normalised", "sense")),)),
    Kind("relations", "memory_relation", (Key(("subject_id", "relation", "object_id", "valid_from")),)),
    Kind(
        "relation_sources",
        "memory_relationsource",
        (Key(("drawer_id", "subject_id", "relation", "object_id", "ends", "at"), unique=False),),
        mentions={"edge_id": "relations", "decided_fact_id": "facts"},
    ),
    Kind(
        "facts",
        "memory_fact",
        (
            Key(("content_hash",), "{row}.status <> 'superseded' AND {row}.deleted_at IS NULL"),
            Key(("content_hash", "valid_from"), "{row}.deleted_at IS NULL", False),
        ),
        mentions={"superseded_by_id": "facts", "merged_into_id": "facts"},
    ),
    Kind("fact_sources", "memory_factsource", (Key(("fact_id", "drawer_id", "start")),)),
    Kind(
        "fact_endings",
        "memory_factending",
        (Key(("drawer_id", "start", "key", "value_digest", "doubtful")),),
        mentions={"asked_id": "facts"},
    ),
    Kind("fact_versions", "memory_factversion", rows_in=("content",)),
    Kind("fact_links", "memory_factlink", (Key(("fact_id", "other_id")),)),
    Kind("summaries", "memory_summary", mentions={"subject_id": "places"}, former=("shown_at", "retired_at")),
    Kind("skills", "memory_skill", (Key(("digest",)),)),
    Kind("skill_texts", "memory_skilltext"),
    Kind("skill_sources", "memory_skillsource", (Key(("skill_id", "drawer_id")),)),
    Kind("insights", "memory_insight", (Key(("digest",)),), former=("rule", "found_at")),
    Kind("profile_texts", "memory_profiletext"),
    Kind("hidden_values", "memory_hiddenvalue", (Key(("digest",)),)),
    Kind(
        "mining_progress",
        "memory_miningprogress",
        (Key(("source_kind", "source_id")),),
        mentions={"source_id": "conversations"},
        left_out=("id", "claims"),
        order=("source_kind", "source_id"),
    ),
    Kind(
        "mined_windows",
        "memory_minedwindow",
        (Key(("source_kind", "source_id", "first_sequence")),),
        mentions={"source_id": "conversations"},
    ),
    Kind("tombstones", "memory_tombstone", (Key(("kind", "digest", "deletion_id")),)),
    Kind(
        "thread_digests",
        "chat_threaddigest",
        (Key(("digest", "conversation_id")),),
        mentions={"conversation_id": "conversations"},
    ),
    Kind(
        "traces",
        "memory_recalltrace",
        condition="NOT t.without_reply",
        left_out=("without_reply",),
        rows_in=("trace", "hits"),
    ),
    Kind(
        "negative_feedback",
        "memory_negativefeedback",
        (Key(("trace_id", "drawer_id")),),
        condition=_OF_A_REPLY,
    ),
    Kind("forgettings", "memory_forgetting", mentions={"object_id": "anything"}),
    Kind("consolidation_runs", "memory_consolidationrun"),
    Kind(
        "changes",
        "memory_changeset",
        mentions={"subject_id": "anything"},
        condition="t.made_at IS NOT NULL",
        left_out=("expired",),
        rows_in=("others", "details"),
    ),
    Kind(
        "row_changes",
        "memory_rowchange",
        mentions={"row_id": "anything"},
        condition=_OF_A_CHANGE,
        values={
            image: f"replace(t.{image}::text, t.user_id::text, '{NOBODY}')::jsonb"
            for image in ("before", "after")
        },
        rows_in=("before", "after"),
    ),
    Kind(
        "activity",
        "memory_activityevent",
        mentions={"subject_id": "anything"},
        condition="t.kind NOT IN ('exported', 'restored_export', 'endpoint_changed', 'token_changed', "
        "'sign_in_changed')",
        rows_in=("details",),
    ),
    Kind("settings", "memory_memorypreferences", (Key(()),), former=("recipe",), order=()),
    Kind(
        "counters",
        "memory_palace",
        (Key(()),),
        condition="t.wings_made > 0",
        left_out=(
            *("drawers_indexed", "words_indexed", "active_space_id", "active_since", "mixed", "indexed"),
            *("changes", "upkeep_at"),
        ),
        order=(),
    ),
)

BY_NAME: Mapping[str, Kind] = {kind.name: kind for kind in KINDS}
_WORDS = {
    "counters": "numbering of wings",
    "thread_digests": "keys to chats of other programs",
    "traces": "records of recall",
}


def words_of(name: str) -> str:
    """What commands call this kind of row."""
    return _WORDS.get(name, name.replace("_", " "))


_VECTORS = "Vectors depend on one model and are computed again after a restore."
_WORD_INDEX = "The word index is rebuilt from the drawers."
_DERIVED = "It is rewritten from the facts."
_SITE = "It belongs to the server, not to the memory."
_KEYS = "It gives access to this server only."
_RUNS = "Imports and exports are the history of this server."

LEFT_OUT: Mapping[str, str] = {
    "memory_drawervector": _VECTORS,
    "memory_widevector": _VECTORS,
    "memory_sentencevectors": _VECTORS,
    "memory_factvector": _VECTORS,
    "memory_drawerwords": _WORD_INDEX,
    "memory_lexeme": _WORD_INDEX,
    "memory_profile": _DERIVED,
    "memory_projectionwatermark": _DERIVED,
    "memory_usage": "Usage stays with the server that paid for it.",
    "chat_generation": "A reply that is still being written is not saved yet.",
    "chat_openincognito": "Incognito chats are not kept.",
    "chat_modelendpoint": "It holds a key, which only this server can read.",
    "chat_importrun": _RUNS,
    "chat_refusedentry": _RUNS,
    "chat_importedchat": _RUNS,
    "chat_transfer": _RUNS,
    "api_idempotencyrecord": "It answers repeated requests of a program for one day.",
    "api_webhook": "Endpoints are notified by this server, which signs with its own key.",
    "api_webhookdelivery": "Deliveries belong to this server.",
    "api_storedresponse": "The ids that programs continue with belong to this server.",
    "accounts_apitoken": _KEYS,
    "account_emailaddress": _KEYS,
    "allauth_idp_oidc_token": _KEYS,
    "mfa_authenticator": _KEYS,
    "usersessions_usersession": _KEYS,
    "accounts_user_groups": _SITE,
    "accounts_user_user_permissions": _SITE,
    "django_admin_log": _SITE,
}
"""By the name of the table."""


FETCH_SIZE = 500


@contextmanager
def consistent_snapshot() -> Iterator[None]:
    """Read everything from one snapshot, whatever is written meanwhile."""
    outermost = not connection.in_atomic_block
    if outermost:
        connection.cursor().close()  # sets the tenant of the session before the transaction
    with transaction.atomic():
        if outermost:
            execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def lines_of(kind: Kind, user_id: UUID) -> Iterator[str]:
    """Each row as JSON on one line, in an order that depends on the rows only, a few hundred in memory at
    once. Runs inside a transaction."""
    changed = ", ".join(f"'{name}', {value}" for name, value in kind.values.items())
    line = f"((to_jsonb(t) - %(left)s::text[]) || jsonb_build_object({changed}))::text"
    order = f" ORDER BY {', '.join(f't.{name}' for name in kind.order)}" if kind.order else ""
    with connection.chunked_cursor() as cursor:
        cursor.execute(
            f"SELECT {line} FROM {kind.table} t WHERE {_condition(kind)}{order}",
            {"user": user_id, "left": ["user_id", *kind.left_out]},
        )
        while rows := cursor.fetchmany(FETCH_SIZE):
            yield from (row for (row,) in rows)


def count_of(kind: Kind, user_id: UUID) -> int:
    """How many rows of a kind there are."""
    query = f"SELECT count(*) FROM {kind.table} t WHERE {_condition(kind)}"
    return int(fetch_value(query, {"user": user_id}))


def _condition(kind: Kind) -> str:
    return f"t.user_id = %(user)s AND ({kind.condition})"
