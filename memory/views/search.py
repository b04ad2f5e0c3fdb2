"""Searching as recall searches, with every reason in the open."""

from dataclasses import dataclass, replace
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from llm.tokens import estimate_tokens
from memory.aaak import Pointer, parse_pointer
from memory.drawers import find_by_pointer, pointer_of
from memory.forms import MOST_HITS, SearchForm
from memory.models import Drawer
from memory.recall.acquaintance import SHARE, fit
from memory.recall.budget import choose
from memory.recall.context import context_block
from memory.recall.filters import should_search
from memory.recall.fusion import TIME_WEIGHT
from memory.recall.pipeline import recall
from memory.recall.settings import settings_from
from memory.recall.types import Decision, Hit, Query, Recall, RecallRequest
from memory.views.requests import MemoryRequest, memory_page
from memory.views.words import Passage, passage

PATIENCE_MS = 5000
PLENTY = 200_000
REFUSED = 422
USUAL = 10
CHOICES = (5, USUAL, MOST_HITS)


@dataclass(frozen=True, slots=True)
class Bar:
    """One signal of a hit, from 0 to 1, with its name for people."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Found:
    """A hit with the part of its words worth showing, and the bars that say why."""

    hit: Hit
    passage: Passage
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Injected:
    """What would be put before a model for these words: nothing when `decision` says so."""

    decision: Decision
    block: str
    tokens: int
    drawers: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Drawers that were left out for one reason, each with its id and pointer."""

    why: str
    drawers: tuple[tuple[UUID, Pointer], ...]


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
    return {
        "recall": found,
        "hits": [_found(hit, found.trace.query) for hit in found.hits],
        "injected": _injected(request, words, found),
        "left_out": _left_out(request, found),
        "preferences": request.preferences,
    }


def _found(hit: Hit, query: Query | None) -> Found:
    words = query.words if query else ()
    return Found(hit, passage(hit.text, hit.span, words), _bars(hit))


def _bars(hit: Hit) -> tuple[Bar, ...]:
    scores = hit.scores
    signals = (
        (_("Meaning"), scores.get("similarity", 0.0)),
        (_("Words"), scores.get("coverage", 0.0)),
        (_("Time"), scores.get("time", 0.0) / TIME_WEIGHT),
        (_("Pinned"), 1.0 if scores.get("pinned") else 0.0),
        (_("Pointer"), 1.0 if scores.get("pointer") else 0.0),
    )
    return tuple(Bar(name, min(1.0, max(0.0, value))) for name, value in signals if value > 0)


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


def _left_out(request: MemoryRequest, found: Recall) -> list[LeftOut]:
    reasons = {cut.drawer_id: cut.why for cut in found.trace.cut}
    drawers: dict[str, list[tuple[UUID, Pointer]]] = {}
    for drawer in Drawer.objects.filter(user_id=request.user.id, id__in=reasons).defer("content"):
        drawers.setdefault(reasons[drawer.id], []).append((drawer.id, pointer_of(drawer)))
    return [LeftOut(why, tuple(ids)) for why, ids in drawers.items()]
