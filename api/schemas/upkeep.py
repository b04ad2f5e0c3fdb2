"""Mining, forgetting, activity, costs and settings, as the API tells and takes them."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import Field

from api.schemas.values import Given, Moment, OptionalName
from chat.forgetting import uploads_untouched


class Mining(Schema):
    """What is not remembered yet: messages in chats, chats that were given up, parts that only
    rules have read, and those of them that a model reads when it can. `sentences` say it in
    words."""

    messages: int
    chats: int
    asked_again_at: datetime | None
    given_up: int
    read_by_rules: int
    to_read_again: int
    sentences: list[str]


class Statistics(Schema):
    """How much there is of everything; what is in the trash does not count."""

    wings: int
    rooms: int
    closets: int
    drawers: int
    vectors: int
    facts: int
    entities: int
    relations: int
    conversations: int
    messages: int
    unmined_messages: int
    dead_jobs: int


class Event(Schema):
    """Something that happened, with counts, ids and reasons. `facts` are statements that were
    learned and still stand."""

    id: UUID
    kind: str
    label: str
    at: datetime
    subject_id: UUID | None
    details: dict[str, Any]
    facts: list[str]
    undone_at: datetime | None
    can_be_undone: UUID | None


class TakenBack(Schema):
    """The event that was taken back."""

    id: UUID


class CostLine(Schema):
    """Calls to a model for one purpose. `cost_usd` is of those whose price is known."""

    name: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal
    unpriced: int
    estimated: bool
    latency_ms: int


class CostDay(Schema):
    """What one day cost."""

    day: date
    calls: int
    cost_usd: Decimal


class Budget(Schema):
    """What may be spent in the month, null without a limit, and what is spent."""

    limit: Decimal | None
    spent: Decimal
    set_by_site: bool
    includes_chat: bool
    is_spent: bool


class Usage(Schema):
    """A month by the person's own clock; `until` is not included."""

    since: datetime
    until: datetime
    calls: int
    cost_usd: Decimal
    lines: list[CostLine]
    days: list[CostDay]
    budget: Budget | None


class Settings(Schema):
    """Everything a person has chosen about memory."""

    enabled: bool
    time_zone: str
    auto_mine: bool
    idle_minutes: int
    window_size: int
    extraction_model: str
    review_threshold: float
    recipe: str
    top_k: int
    token_budget: int
    similarity_floor: float
    inject_profile: bool
    use_rerank: bool
    rerank_model: str
    consolidation: str
    archive_after_days: int
    retention_days: int
    embedding_model: str
    monthly_budget: Decimal | None
    budget_includes_chat: bool


class SettingsChange(Given):
    """What is different from the next message on; what is left out stays. The bounds are those of
    the settings page."""

    enabled: bool | None = None
    time_zone: OptionalName | None = None
    auto_mine: bool | None = None
    idle_minutes: Annotated[int, Field(ge=1, le=1440)] | None = None
    window_size: Annotated[int, Field(ge=8, le=10)] | None = None
    extraction_model: Annotated[str, Field(max_length=120)] | None = None
    review_threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    recipe: Literal["fast", "default", "thorough"] | None = None
    top_k: Annotated[int, Field(ge=1, le=20)] | None = None
    token_budget: Annotated[int, Field(ge=100, le=16_000)] | None = None
    similarity_floor: Annotated[float, Field(ge=0, le=1)] | None = None
    inject_profile: bool | None = None
    use_rerank: bool | None = None
    rerank_model: Annotated[str, Field(max_length=120)] | None = None
    consolidation: Literal["never", "daily", "weekly", "monthly"] | None = None
    archive_after_days: Annotated[int, Field(ge=0, le=3650)] | None = None
    retention_days: Annotated[int, Field(ge=0, le=3650)] | None = None
    embedding_model: Annotated[str, Field(max_length=80)] | None = None
    monthly_budget: (
        Annotated[
            float,
            Field(ge=0, le=100_000, description="US dollars; 0 for no limit of one's own."),
        ]
        | None
    ) = None
    budget_includes_chat: bool | None = None


class ChangedSettings(Schema):
    """The names of the settings that are different now. Posting to `/settings/changes/{id}/undo`
    takes each of `changes` back; there is none when nothing was different."""

    changed: list[str]
    changes: list[UUID]


class SettingsBack(Schema):
    """The names of the settings that are as before the change, and of those that stay because they
    were chosen anew since."""

    back: list[str]
    kept: list[str]


class Wish(Given):
    """What is to be forgotten: a `drawer`, `closet`, `room`, `wing`, `entity`, chat (`source`),
    `project` or `agent` by its id, a project also by its name; all that was said between `since`
    and `until`, which is not included (`dates`); or `everything`. With `chats` the words go out of
    the chats too."""

    kind: Literal[
        "drawer",
        "closet",
        "room",
        "wing",
        "entity",
        "source",
        "project",
        "agent",
        "dates",
        "everything",
    ]
    id: UUID | None = None
    project: OptionalName = ""
    since: Moment | None = None
    until: Moment | None = None
    chats: bool = True


class Forget(Wish):
    """The same, and whether to erase it at once, past the trash. `everything` has to be
    confirmed."""

    now: bool = False
    confirmed: bool = False


class Example(Schema):
    """The beginning of something that would be forgotten."""

    id: UUID
    said_at: datetime
    beginning: str

    @staticmethod
    def resolve_beginning(drawer: Any) -> str:
        """The first of its words."""
        return str(drawer.content[:160])


class Preview(Schema):
    """What a wish would take, by store, and the first of the words."""

    counts: dict[str, int]
    examples: list[Example]


class Receipt(Schema):
    """What was forgotten, without a word of it. Until it is final, posting to `/trash/{id}/undo`
    takes it back, and to `/trash/{id}/erase` makes it final. `residue` is what a search of every
    table for its words then found. `waiting_uploads` are imports whose files were here already and
    may hold the words: `DELETE /imports/{id}` deletes them."""

    id: UUID
    scope: str
    object_id: UUID | None
    since: datetime | None
    until: datetime | None
    with_chats: bool
    counts: dict[str, Any]
    erased: dict[str, Any]
    residue: Any
    at: datetime
    final_at: datetime | None
    undone_at: datetime | None
    waiting_uploads: list[UUID]

    @staticmethod
    def resolve_waiting_uploads(receipt: Any) -> list[UUID]:
        """The ids of imports that nobody began or stopped since."""
        return list(uploads_untouched(receipt).values_list("id", flat=True))
