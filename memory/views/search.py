"""Searching as recall searches, with every reason in the open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from llm.tokens import estimate_tokens
from memory.aaak import parse_pointer
from memory.drawers import find_by_pointer
from memory.explanations import Ground, grounds, legend
from memory.forms import MOST_HITS, SearchForm
from memory.recall.acquaintance import SHARE, fit
from memory.recall.budget import choose
from memory.recall.context import context_block
from memory.recall.filters import should_search
from memory.recall.pipeline import recall
from memory.recall.record import hit_as_json, trace_as_json
from memory.recall.settings import settings_from
from memory.recall.types import Decision, Hit, Recall, RecallRequest
from memory.traces import told
from memory.views.requests import MemoryRequest, memory_page
from memory.views.words import Passage, passage

PATIENCE_MS = 5000
PLENTY = 200_000
REFUSED = 422
USUAL = 10
CHOICES = (5, USUAL, MOST_HITS)


@dataclass(frozen=True, slots=True)
class Found:
    """A hit with the part of its words worth showing, and why it was found."""

    hit: Hit
    passage: Passage
    ground: Ground


@dataclass(frozen=True, slots=True)
class Injected:
    """What would be put before a model for these words: nothing when `decision` says so."""

    decision: Decision
    block: str
    tokens: int
    drawers: int


@require_safe
@memory_page
def search(request: MemoryRequest) -> HttpResponse:
    """Look for drawers by words, meaning, date or pointer."""
    form = SearchForm(request.GET)
    if not form.is_valid():
        context = {"form": form, "choices": CHOICES}
        return render(request, "memory/search.html", context, status=REFUSED)
    words = form.cleaned_data["q"].strip()
    pointer = parse_pointer(words)
    named = find_by_pointer(request.user.id, pointer) if pointer else None
    if named is not None:
        url = reverse("memory:drawer", args=[named.id])
        return HttpResponseClientRedirect(url) if request.htmx else redirect(url)
    most = form.cleaned_data["k"] or USUAL
    context = {"form": form, "choices": CHOICES, "q": words, "most": most, "pointer": pointer}
    if words:
        context |= _answer(request, words, most)
    return render(request, "memory/search.html", context)


def _answer(request: MemoryRequest, words: str, most: int) -> dict[str, object]:
    chosen = settings_from(request.preferences)
    generous = replace(
        chosen, enabled=True, top_k=most, token_budget=PLENTY, time_limit_ms=PATIENCE_MS
    )
    found = recall(
        RecallRequest(request.user.id, words, timezone.now(), settings=generous, asked=True)
    )
    stored = [hit_as_json(hit) for hit in found.hits]
    hits = _found(request, found, stored)
    return {
        "recall": found,
        "hits": hits,
        "legend": legend(each.ground.bars for each in hits),
        "injected": _injected(request, words, found),
        "trace": told(request.user.id, trace_as_json(found.trace), stored),
        "preferences": request.preferences,
    }


def _found(
    request: MemoryRequest, found: Recall, stored: Sequence[Mapping[str, Any]]
) -> list[Found]:
    words = found.trace.query.words if found.trace.query else ()
    return [
        Found(hit, passage(hit.text, hit.span, words), ground)
        for hit, ground in zip(found.hits, grounds(request.user.id, stored), strict=True)
    ]


def _injected(request: MemoryRequest, words: str, found: Recall) -> Injected:
    """The best of what was found, within the limits that hold before a reply."""
    chosen = settings_from(request.preferences)
    decision = should_search(words)
    if not chosen.enabled:
        decision = Decision(False, _("Memory is switched off."))
    if not decision.search:
        return Injected(decision, "", 0, 0)
    hits = choose(found.hits, chosen, lambda hit: ()).hits
    left = chosen.token_budget - sum(hit.tokens for hit in hits)
    profile = fit(fit(found.profile, chosen.token_budget // SHARE), left)
    block = context_block(hits, chosen.zone, profile)
    return Injected(decision, block, estimate_tokens(block), len(hits))
