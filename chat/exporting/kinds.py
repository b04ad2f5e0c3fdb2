"""What is exported: every owned table is a kind of row here, or is left out for a reason.

The columns of a kind are those of its table, so a new column travels by itself. A new owned table
has to be placed in `KINDS` or in `chat.exporting.left_out`: a test compares both with the database.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.apps import apps
from django.db import models

from chat.exporting import conditions as sql


@dataclass(frozen=True, slots=True)
class Key:
    """Columns by which a row is known in an account that has it under another id. `where` narrows
    the rows on both sides; `{row}` is the alias."""

    columns: tuple[str, ...]
    where: str = "true"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of row: its file in the archive, its table, and how its rows hang together.

    `references` must be there, `mentions` may be gone; both name the kind that a column points to.
    `condition` and `in_wing` are SQL over the row `t`; without `in_wing` the kind is no part of a
    wing. `values` are SQL for columns that are not written as they are stored, `rows_in` columns
    of JSON that hold ids.
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
        keys=(Key(("created_at", "name")),),
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
    Kind("wings", "memory_wing", in_wing="t.id = %(wing)s"),
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
        mentions={"source_id": "conversations"},
        keys=(Key(("wing_id", "source_kind", "source_id")),),
        in_wing="t.wing_id = %(wing)s",
    ),
    Kind(
        "closets",
        "memory_closet",
        references={"room_id": "rooms"},
        keys=(Key(("room_id", "slug")),),
        in_wing=sql.ITS_ROOM,
    ),
    Kind(
        "drawers",
        "memory_drawer",
        references={"wing_id": "wings", "room_id": "rooms", "closet_id": "closets"},
        mentions={"source_id": "conversations", "source_message_id": "messages"},
        keys=(Key(("source_message_id",)), Key(("content_hash", "said_at", "role"))),
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
        keys=(Key(("drawer_id", "subject_id", "relation", "object_id", "ends", "at")),),
        in_wing=sql.ITS_DRAWER,
    ),
    Kind(
        "facts",
        "memory_fact",
        mentions={"superseded_by_id": "facts", "merged_into_id": "facts"},
        keys=(
            Key(("content_hash",), "{row}.status <> 'superseded' AND {row}.deleted_at IS NULL"),
            Key(("content_hash", "valid_from"), "{row}.deleted_at IS NULL"),
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
    Kind(
        "graph_edits",
        "memory_graphedit",
        references={"entity_id": "entities"},
        mentions={"other_id": "entities"},
        rows_in=("details",),
    ),
    Kind("consolidation_runs", "memory_consolidationrun"),
    Kind(
        "consolidation_changes",
        "memory_consolidationchange",
        references={"run_id": "consolidation_runs"},
        mentions={"subject_id": "anything"},
        values={"rows": sql.ROWS_WITHOUT_OWNER},
        rows_in=("details", "rows"),
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
