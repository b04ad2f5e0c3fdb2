"""What is exported: every owned table is a kind of row here, or is left out for a reason.

A kind's columns are those of its table, so new columns are exported without further ado. Place a new
owned table in `KINDS` or `LEFT_OUT`: a test compares both with the database.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.apps import apps
from django.db import models

from transfer.exporting import conditions as sql


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

    `references` must exist, `mentions` may be gone; both map a column to the kind it points to.
    `condition` and `in_wing` are SQL over the row `t`; a kind without `in_wing` is not part of a
    wing's export. `values` are SQL for columns not written as stored, `rows_in` JSON columns with
    ids inside.
    """

    name: str
    table: str
    references: Mapping[str, str] = field(default_factory=dict)
    mentions: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[Key, ...] = ()
    condition: str = "true"
    in_wing: str = ""
    left_out: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    values_in_wing: Mapping[str, str] = field(default_factory=dict)
    order: tuple[str, ...] = ("id",)
    rows_in: tuple[str, ...] = ()

    @property
    def model(self) -> type[models.Model]:
        """The table as Django knows it."""
        return next(model for model in apps.get_models() if model._meta.db_table == self.table)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the values of a row, in the order of the table."""
        every = (column.column for column in self.model._meta.concrete_fields)
        return tuple(name for name in every if name and name not in {"user_id", *self.left_out})


KINDS: tuple[Kind, ...] = (
    Kind(
        "agents",
        "chat_agent",
        keys=(Key(("created_at", "name"), unique=False),),
        values={"id": sql.AGENT},
        order=("created_at", "name", "id"),
    ),
    Kind(
        "conversations",
        "chat_conversation",
        mentions={"agent_id": "agents"},
        keys=(Key(("source", "external_id")),),
        condition="NOT t.incognito",
        values={"agent_id": sql.AGENT_OF_CONVERSATION},
    ),
    Kind(
        "messages",
        "chat_message",
        references={"conversation_id": "conversations"},
        mentions={"trace_id": "traces"},
        keys=(Key(("conversation_id", "external_id"), "{row}.external_id <> ''"),),
        condition=sql.NOT_INCOGNITO,
        order=("conversation_id", "sequence"),
    ),
    Kind(
        "wings",
        "memory_wing",
        mentions={"merged_into_id": "wings"},
        in_wing="t.id = %(wing)s",
        left_out=("rooms_held", "drawers_held", "first_at", "last_at"),
        values_in_wing={"merged_into_id": "NULL::uuid"},
    ),
    Kind(
        "wing_names",
        "memory_wingname",
        references={"wing_id": "wings"},
        keys=(Key(("slug",)),),
        in_wing="t.wing_id = %(wing)s",
    ),
    Kind(
        "rooms",
        "memory_room",
        references={"wing_id": "wings"},
        mentions={"source_id": "conversations", "merged_into_id": "rooms"},
        keys=(Key(("wing_id", "source_kind", "source_id")),),
        in_wing="t.wing_id = %(wing)s",
        left_out=("closets_held", "drawers_held"),
        values_in_wing={"merged_into_id": sql.ROOM_THAT_TOOK_ITS_PLACE},
    ),
    Kind(
        "closets",
        "memory_closet",
        references={"room_id": "rooms"},
        mentions={"merged_into_id": "closets"},
        keys=(Key(("room_id", "slug")),),
        in_wing=sql.ITS_ROOM,
        left_out=("drawers_held",),
        values_in_wing={"merged_into_id": sql.CLOSET_THAT_TOOK_ITS_PLACE},
    ),
    Kind(
        "drawers",
        "memory_drawer",
        references={"wing_id": "wings", "room_id": "rooms", "closet_id": "closets"},
        mentions={"source_id": "conversations", "source_message_id": "messages"},
        keys=(Key(("source_message_id",)), Key(("content_hash", "said_at", "role"), unique=False)),
        in_wing="t.wing_id = %(wing)s",
    ),
    Kind(
        "entities",
        "memory_entity",
        mentions={"merged_into_id": "entities"},
        keys=(Key(("type",), "{row}.type = 'user'"),),
        in_wing=sql.ENTITY_IN_WING,
    ),
    Kind(
        "entity_names",
        "memory_entityname",
        references={"entity_id": "entities"},
        keys=(Key(("normalised", "sense")),),
        in_wing=sql.ENTITY_OF_NAME_IN_WING,
    ),
    Kind(
        "relations",
        "memory_relation",
        references={"subject_id": "entities", "object_id": "entities", "drawer_id": "drawers"},
        keys=(Key(("subject_id", "relation", "object_id", "valid_from")),),
        in_wing=sql.RELATION_IN_WING,
        values_in_wing={"drawer_id": sql.FIRST_WORDS_IN_WING},
    ),
    Kind(
        "relation_sources",
        "memory_relationsource",
        references={"subject_id": "entities", "object_id": "entities", "drawer_id": "drawers"},
        mentions={"edge_id": "relations", "decided_fact_id": "facts"},
        keys=(Key(("drawer_id", "subject_id", "relation", "object_id", "ends", "at"), unique=False),),
        in_wing=sql.ITS_DRAWER,
    ),
    Kind(
        "facts",
        "memory_fact",
        mentions={"superseded_by_id": "facts", "merged_into_id": "facts"},
        keys=(
            Key(("content_hash",), "{row}.status <> 'superseded' AND {row}.deleted_at IS NULL"),
            Key(("content_hash", "valid_from"), "{row}.deleted_at IS NULL", False),
        ),
        in_wing=sql.FACT_IN_WING,
    ),
    Kind(
        "fact_sources",
        "memory_factsource",
        references={"fact_id": "facts", "drawer_id": "drawers"},
        keys=(Key(("fact_id", "drawer_id", "start")),),
        in_wing=sql.ITS_DRAWER,
    ),
    Kind(
        "fact_endings",
        "memory_factending",
        references={"drawer_id": "drawers"},
        keys=(Key(("drawer_id", "start", "key")),),
        in_wing=sql.ITS_DRAWER,
    ),
    Kind(
        "fact_versions",
        "memory_factversion",
        references={"fact_id": "facts"},
        in_wing=sql.ITS_FACT,
        rows_in=("content",),
    ),
    Kind(
        "fact_links",
        "memory_factlink",
        references={"fact_id": "facts", "other_id": "facts"},
        keys=(Key(("fact_id", "other_id")),),
        in_wing=sql.BOTH_FACTS,
    ),
    Kind(
        "summaries",
        "memory_summary",
        references={"room_id": "rooms", "closet_id": "closets"},
        mentions={"subject_id": "places"},
        in_wing=sql.ITS_ROOM,
    ),
    Kind(
        "skills",
        "memory_skill",
        references={"fact_id": "facts"},
        keys=(Key(("digest",)),),
    ),
    Kind("skill_texts", "memory_skilltext", references={"skill_id": "skills"}),
    Kind(
        "skill_sources",
        "memory_skillsource",
        references={"skill_id": "skills", "drawer_id": "drawers"},
        keys=(Key(("skill_id", "drawer_id")),),
    ),
    Kind("insights", "memory_insight", keys=(Key(("digest",)),)),
    Kind(
        "insight_sources",
        "memory_insightsource",
        references={"insight_id": "insights", "fact_id": "facts"},
        keys=(Key(("insight_id", "fact_id")),),
    ),
    Kind("own_words", "memory_ownwords"),
    Kind("hidden_values", "memory_hiddenvalue", keys=(Key(("digest",)),)),
    Kind(
        "mining_progress",
        "memory_miningprogress",
        mentions={"source_id": "conversations"},
        keys=(Key(("source_kind", "source_id")),),
        left_out=("id", "claims"),
        order=("source_kind", "source_id"),
    ),
    Kind(
        "mined_windows",
        "memory_minedwindow",
        mentions={"source_id": "conversations"},
        keys=(Key(("source_kind", "source_id", "first_sequence")),),
    ),
    Kind(
        "tombstones",
        "memory_tombstone",
        keys=(Key(("kind", "digest", "deletion_id")),),
        in_wing=sql.ITS_DELETION,
    ),
    Kind(
        "known_histories",
        "chat_knownhistory",
        mentions={"conversation_id": "conversations"},
        keys=(Key(("digest", "conversation_id")),),
    ),
    Kind("traces", "memory_recalltrace", rows_in=("trace", "hits")),
    Kind(
        "misfits",
        "memory_misfit",
        references={"trace_id": "traces", "drawer_id": "drawers"},
        keys=(Key(("trace_id", "drawer_id")),),
    ),
    Kind("saved_searches", "memory_savedsearch"),
    Kind("forgettings", "memory_forgetting", mentions={"object_id": "anything"}),
    Kind("consolidation_runs", "memory_consolidationrun"),
    Kind(
        "changes",
        "memory_changeset",
        mentions={"subject_id": "anything"},
        condition="t.made_at IS NOT NULL",
        rows_in=("others", "details"),
    ),
    Kind(
        "row_changes",
        "memory_rowchange",
        references={"change_set_id": "changes"},
        mentions={"row_id": "anything"},
        condition=sql.OF_A_CHANGE,
        values={"before": sql.BEFORE_WITHOUT_OWNER, "after": sql.AFTER_WITHOUT_OWNER},
        rows_in=("before", "after"),
    ),
    Kind(
        "activity",
        "memory_activityevent",
        mentions={"subject_id": "anything"},
        condition="t.kind NOT IN ('exported', 'restored_export')",
        rows_in=("details",),
    ),
    Kind("settings", "memory_memorypreferences", keys=(Key(()),), order=()),
    Kind(
        "counters",
        "memory_palace",
        condition="t.wings_made > 0",
        keys=(Key(()),),
        left_out=(
            "drawers_indexed",
            "words_indexed",
            "answering_id",
            "answering_since",
            "mixed",
            "indexed",
        ),
        order=(),
    ),
)

BY_NAME: Mapping[str, Kind] = {kind.name: kind for kind in KINDS}


_VECTORS = "Vectors belong to one model; they are made again after a restore."
_WORDS = "The index of words is built again from the drawers."
_TOLD = "It is written anew from the facts."
_SITE = "It belongs to the server, not to the memory."
_KEYS = "It opens doors of this server only."
_RUNS = "How files came and went is the history of this server."

LEFT_OUT: Mapping[str, str] = {
    "memory_drawervector": _VECTORS,
    "memory_widevector": _VECTORS,
    "memory_sentencevectors": _VECTORS,
    "memory_factvector": _VECTORS,
    "memory_drawerwords": _WORDS,
    "memory_lexeme": _WORDS,
    "memory_profile": _TOLD,
    "memory_projectionmark": _TOLD,
    "memory_usage": "What models cost stays in the books of the server that paid.",
    "chat_generation": "A reply in the making is not yet said.",
    "chat_openincognito": "Incognito chats are not kept.",
    "chat_chatstate": "It is made again from the turns.",
    "chat_toolrefusal": _SITE,
    "chat_importrun": _RUNS,
    "chat_refusedentry": _RUNS,
    "chat_transfer": _RUNS,
    "api_keptanswer": "It answers a program that asks twice, for a day.",
    "api_webhook": "An address is told by this server, which signs with a key of its own.",
    "api_webhookdelivery": "What was sent, or waits to be, belongs to this server.",
    "api_storedresponse": "The ids by which programs go on are those of this server.",
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
