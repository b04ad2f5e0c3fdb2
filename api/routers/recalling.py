"""Searching and recalling, with the reasons, and the traces of what was recalled for replies."""

from dataclasses import replace
from typing import Any

from django.utils import timezone
from ninja import Router

from accounts.http import BearerRequest
from api.schemas import recall as told
from memory.preferences import preferences_of
from memory.recall.pipeline import recall as recall_memory
from memory.recall.recipes import RECIPES
from memory.recall.record import hit_as_json, trace_as_json
from memory.recall.settings import settings_from
from memory.recall.types import Hit, Recall, RecallRequest

PATIENCE_MS = 5000
PLENTY = 200_000

router = Router(tags=["Recall"])


@router.post("search", response=told.Found, summary="Search drawers")
def search(request: BearerRequest, asked: told.Search) -> Any:
    """Look for drawers as recall does, as many as wanted, whole, each with why it was found."""
    chosen = settings_from(preferences_of(request.user.id))
    generous = replace(
        chosen,
        enabled=True,
        top_k=asked.limit,
        token_budget=PLENTY,
        time_limit_ms=PATIENCE_MS,
    )
    found = recall_memory(
        RecallRequest(
            request.user.id, asked.query, asked.at or timezone.now(), settings=generous, asked=True
        )
    )
    return _told(found)


@router.post("recall", response=told.Recalled, summary="Recall for a message")
def recall(request: BearerRequest, asked: told.ToAnswer) -> Any:
    """What a reply to this message would be given, within the limits that were chosen: a block to
    put before the model, the drawers in it, and the trace. Nothing of it is kept."""
    chosen = settings_from(preferences_of(request.user.id))
    settings = replace(
        chosen,
        top_k=asked.top_k or chosen.top_k,
        token_budget=asked.token_budget or chosen.token_budget,
        recipe=RECIPES[asked.recipe] if asked.recipe else chosen.recipe,
    )
    found = recall_memory(
        RecallRequest(
            request.user.id,
            asked.message,
            asked.at or timezone.now(),
            history=tuple(asked.history),
            settings=settings,
        )
    )
    return {"block": found.block, "profile": found.profile, **_told(found)}


def _told(found: Recall) -> dict[str, Any]:
    return {"hits": [_hit(hit) for hit in found.hits], "trace": trace_as_json(found.trace)}


def _hit(hit: Hit) -> dict[str, Any]:
    return {**hit_as_json(hit), "room": hit.room, "text": hit.text, "span": hit.span}
