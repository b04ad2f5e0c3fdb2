"""Memory settings, model usage and costs, and memory health."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from django.core.validators import MaxValueValidator, MinValueValidator
from django.forms.models import model_to_dict
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field, create_model

from accounts.http import BearerRequest
from api.auth import WRITE
from api.problems import Refused
from api.rest.schemas import StrictSchema, Text
from memory import preferences
from memory.models import MemoryPreferences
from memory.pages.activity.cost import costs_of, requested_month
from memory.pages.settings.form import SettingsForm
from memory.pages.settings.health import health_of
from memory.usage.budgets import budget_of

router = Router(tags=["Settings and usage"])
Schedule = Literal["never", "daily", "weekly", "monthly"]
BOUNDS = {MinValueValidator: "ge", MaxValueValidator: "le"}
Dollars = Annotated[
    float, Field(ge=0, le=100_000, description="In US dollars; 0 or null for no budget of your own.")
]
Month = Annotated[
    str,
    Query(pattern=r"^(20[0-9]{2}-(0[1-9]|1[0-2]))?$", description="Such as 2031-03; default: this month."),
]


class UsageLine(Schema):
    """Model calls for one purpose. `cost_usd` covers the calls with a known price, `unpriced` counts the
    others; `latency_ms` is the mean."""

    name: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal
    unpriced: int
    estimated: bool
    latency_ms: int


class UsageDay(Schema):
    """The cost of a day."""

    day: date
    calls: int
    cost_usd: Decimal


class Budget(Schema):
    """The budget of the month; `limit` is null without one."""

    limit: Decimal | None
    spent: Decimal
    set_by_site: bool
    includes_chat: bool
    exhausted: bool = Field(validation_alias="is_spent")


class Usage(Schema):
    """Usage from `since` until `until`, exclusive: a month in the owner's time zone."""

    since: datetime
    until: datetime
    calls: int
    cost_usd: Decimal
    lines: list[UsageLine]
    days: list[UsageDay]
    budget: Budget | None


class Settings(Schema):
    """The memory settings."""

    enabled: bool
    time_zone: str
    auto_mine: bool
    never_remember: str
    idle_minutes: int
    window_size: int
    extraction_model: str
    review_threshold: float
    duplicate_similarity: float
    top_k: int
    token_budget: int
    similarity_floor: float
    recency: float
    use_history: bool
    inject_profile: bool
    use_rerank: bool
    rerank_model: str
    consolidation: Schedule
    archive_after_days: int
    retention_days: int
    embedding_model: str
    monthly_budget: Decimal | None
    budget_includes_chat: bool


def _optional(name: str, kind: Any) -> Any:
    """An optional setting with the bounds of its column."""
    column: Any = MemoryPreferences._meta.get_field(name)
    limits = {BOUNDS[type(each)]: each.limit_value for each in column.validators if type(each) in BOUNDS}
    return kind | None, Field(None, max_length=column.max_length, **limits)


SettingsUpdate: Any = create_model(
    "SettingsUpdate",
    __base__=StrictSchema,
    __doc__="""The settings to change; those that are omitted or null stay as they are, except that a
    `monthly_budget` of null removes the budget.""",
    **{name: _optional(name, field.annotation) for name, field in Settings.model_fields.items()}
    | {"monthly_budget": (Dollars | None, None)},
)


class SettingsChanges(Schema):
    """The names of the settings that changed. Undo each of `changes` with
    `POST /undo/{id}`."""

    changed: list[str]
    changes: list[UUID]


class HealthCheck(Schema):
    """One check of the memory; a `score` of 1 is perfect."""

    name: Text
    score: float = Field(validation_alias="share")
    weight: int
    message: str = Field(validation_alias="words")


class Health(Schema):
    """A score from 0 to 100 and its checks, the worst first."""

    score: int
    checks: list[HealthCheck]


@router.get("settings", response=Settings)
def get_settings(request: BearerRequest) -> Any:
    """Get the memory settings."""
    return preferences.preferences_of(request.user.id)


@router.patch("settings", response=SettingsChanges, auth=WRITE)
def update_settings(request: BearerRequest, change: SettingsUpdate) -> Any:
    """Change memory settings.

    Changes apply from the next message. If one value is invalid, nothing changes."""
    current = preferences.preferences_of(request.user.id)
    given = change.model_dump(exclude_none=True)
    if "monthly_budget" in change.model_fields_set:
        given["monthly_budget"] = change.monthly_budget
    form = SettingsForm(model_to_dict(current, SettingsForm.Meta.fields) | given, instance=current)
    if not form.is_valid():
        errors = [
            {"at": ["body", "change", name], "detail": str(sentence)}
            for name, sentences in form.errors.items()
            for sentence in sentences
        ]
        raise Refused(422, "Nothing was changed: a value is invalid; see `errors`.", errors)
    chosen = {name: form.cleaned_data[name] for name in given}
    event = preferences.change_preferences(request.user.id, chosen, timezone.now())
    if event is None:
        return {"changed": [], "changes": []}
    return {"changed": event.details["changed"], "changes": [event.id]}


@router.get("usage", response=Usage)
def get_usage(request: BearerRequest, month: Month = "") -> Any:
    """Get the model usage and costs of a month."""
    now, chosen = timezone.now(), preferences.preferences_of(request.user.id)
    zone = preferences.zone_of(chosen)
    period = requested_month({"month": month}, now, zone)
    costs, budget = costs_of(request.user.id, period, zone), budget_of(chosen, now)
    return {
        "since": period.start,
        "until": period.end,
        "calls": costs.calls,
        "cost_usd": costs.cost_usd,
        "lines": costs.lines,
        "days": costs.days,
        "budget": budget if budget.month == period else None,
    }


@router.get("health", response=Health)
def get_health(request: BearerRequest) -> Any:
    """Get the health score of the memory."""
    return health_of(request.user.id, timezone.now())
