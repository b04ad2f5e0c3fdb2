"""Mining, activity, what models cost, and settings."""

from typing import Annotated, Any
from uuid import UUID

from django.forms.models import model_to_dict
from django.http import HttpResponse
from django.utils import timezone
from ninja import Query, Router

from accounts.http import BearerRequest
from api.doors import WRITE
from api.paging import Asked, Paged, paged
from api.problems import Refused
from api.schemas import upkeep as told
from api.schemas.values import Count, Deleted
from chat.actors import mine
from chat.catching_up import try_dead_jobs_again
from chat.mining import request_mining
from chat.statistics import statistics
from chat.waiting import waiting_of
from memory import erasure, history, ledger
from memory.costs import asked_month, costs_of, write_csv
from memory.mining import remining
from memory.mining.waiting_windows import ask_for_second_readings, read_by_rules, waiting
from memory.preferences import keep_choices, preferences_of, zone_of
from memory.preferences import take_back as take_settings_back
from memory.settings_form import SettingsForm
from memory.spending import budget_of

router = Router(tags=["Upkeep"])
CSV = {"text/csv": {"schema": {"type": "string"}}}
Month = Annotated[str, Query(pattern=r"^(20[0-9]{2}-(0[1-9]|1[0-2]))?$", description="2031-03")]


@router.get("stats", response=told.Statistics, summary="Counts of everything")
def stats(request: BearerRequest) -> Any:
    """How much there is in the palace and in the chats."""
    return statistics(request.user.id)


@router.get("mining", response=told.Mining, summary="What is not remembered yet")
def mining(request: BearerRequest) -> Any:
    """Chats that wait, were given up, or were read by rules alone."""
    found = waiting_of(request.user.id)
    return {
        "messages": found.messages,
        "chats": found.chats,
        "asked_again_at": found.asked_again_at,
        "given_up": ledger.given_up(request.user.id).count(),
        "read_by_rules": read_by_rules(request.user.id).count(),
        "to_read_again": waiting(request.user.id).count(),
        "sentences": found.sentences,
    }


@router.post("mining/now", response={202: Count}, auth=WRITE, summary="Mine now")
def mine_now(request: BearerRequest) -> Any:
    """Have every chat remembered without waiting, also those that were given up."""
    now = timezone.now()
    try_dead_jobs_again(request.user.id, now)
    count = request_mining(request.user.id, now)
    mine.send(str(request.user.id))
    return {"count": count}


@router.post("mining/retry", response={202: Count}, auth=WRITE, summary="Try again")
def retry_mining(request: BearerRequest) -> Any:
    """Give every chat that was given up a fresh start."""
    return {"count": try_dead_jobs_again(request.user.id, timezone.now())}


@router.post("mining/discard", response=Count, auth=WRITE, summary="Leave them unremembered")
def discard_mining(request: BearerRequest) -> Any:
    """Leave every chat that was given up as it is."""
    jobs = list(ledger.given_up(request.user.id))
    for progress in jobs:
        ledger.discard(progress, timezone.now())
    return {"count": len(jobs)}


@router.post("mining/read-again", response={202: Count}, auth=WRITE, summary="Read again")
def read_again(request: BearerRequest) -> Any:
    """Have a model read what only rules have read so far."""
    return {"count": ask_for_second_readings(request.user.id, timezone.now())}


@router.get("activity", response=Paged[told.Event], summary="What happened, newest first")
def activity(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Everything that memory did, with what was kept or refused and why."""
    return paged(history.events(request.user.id, asked.after, asked.limit))


@router.post(
    "activity/{uuid:event_id}/take-back", response=Deleted, auth=WRITE, summary="Take back mining"
)
def take_back(request: BearerRequest, event_id: UUID) -> Any:
    """Put what one mining of a chat remembered into the trash."""
    return erasure.take_back(request.user.id, event_id, timezone.now())


@router.post(
    "activity/{uuid:event_id}/take-back-reading",
    response=told.TakenBack,
    auth=WRITE,
    summary="Take back a reading",
)
def take_back_reading(request: BearerRequest, event_id: UUID) -> Any:
    """Undo what came of reading a part of a chat again."""
    remining.take_back(request.user.id, event_id, timezone.now())
    return {"id": event_id}


@router.get("usage", response=told.Usage, summary="What models cost")
def usage(request: BearerRequest, month: Month = "") -> Any:
    """A month by purpose and by day, this one unless another is named."""
    now, preferences = timezone.now(), preferences_of(request.user.id)
    zone = zone_of(preferences)
    wanted = asked_month({"month": month}, now, zone)
    costs, budget = costs_of(request.user.id, wanted, zone), budget_of(preferences, now)
    return {
        "since": wanted.start,
        "until": wanted.end,
        "calls": costs.calls,
        "cost_usd": costs.cost_usd,
        "lines": costs.lines,
        "days": costs.days,
        "budget": budget if budget.month == wanted else None,
    }


@router.get(
    "usage.csv",
    summary="Every call of a month",
    openapi_extra={"responses": {200: {"description": "A table.", "content": CSV}}},
)
def usage_table(request: BearerRequest, month: Month = "") -> HttpResponse:
    """Every call to a model in a month, as comma-separated values for a spreadsheet."""
    zone = zone_of(preferences_of(request.user.id))
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    wanted = asked_month({"month": month}, timezone.now(), zone)
    write_csv(request.user.id, wanted, response)  # type: ignore[arg-type]
    return response


@router.get("settings", response=told.Settings, summary="Settings of memory")
def settings(request: BearerRequest) -> Any:
    """Everything that was chosen, or stands by default."""
    return preferences_of(request.user.id)


@router.patch("settings", response=told.ChangedSettings, auth=WRITE, summary="Change settings")
def change_settings(request: BearerRequest, change: told.SettingsChange) -> Any:
    """Changes hold from the next message on; with one out of bounds, nothing changes."""
    preferences = preferences_of(request.user.id)
    given = {name: value for name, value in change.model_dump().items() if value is not None}
    form = SettingsForm(
        model_to_dict(preferences, SettingsForm.Meta.fields) | given, instance=preferences
    )
    if not form.is_valid():
        errors = [
            {"at": ["body", name], "detail": str(sentence)}
            for name, sentences in form.errors.items()
            for sentence in sentences
        ]
        raise Refused(422, "Nothing was changed: something is out of bounds.", errors=errors)
    kept = {name: form.cleaned_data[name] for name in given}
    event = keep_choices(request.user.id, kept, timezone.now())
    return {
        "changed": event.details["changed"] if event else [],
        "changes": [event.id] if event else [],
    }


@router.post(
    "settings/changes/{uuid:settings_id}/undo",
    response=told.SettingsBack,
    auth=WRITE,
    summary="Take settings back",
)
def undo_settings(request: BearerRequest, settings_id: UUID) -> Any:
    """Put settings back to what they were before a change."""
    back, kept = take_settings_back(request.user.id, settings_id, timezone.now())
    return {"back": back, "kept": kept}
