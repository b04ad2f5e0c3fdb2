"""The search page, which searches as recall does and explains every hit."""

from dataclasses import replace

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from llm.tokens import estimate_tokens
from memory.aaak import parse_pointer
from memory.drawers import find_by_pointer
from memory.organize import places as choices
from memory.pages.forms import MAX_HITS, SearchForm
from memory.pages.highlighting import passage
from memory.pages.palace.queries import wing
from memory.pages.requests import REFUSED, MemoryRequest, read_page
from memory.pages.search.traces import explain_hits, legend, trace_view
from memory.recall.block import context_block
from memory.recall.budget import choose
from memory.recall.context import PROFILE_SHARE, fit, fit_profile
from memory.recall.filters import should_search
from memory.recall.pipeline import recall
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import Decision, Query, Recall, RecallRequest, RecallSettings, settings_from
from memory.search.queries import SearchFilters

TIMEOUT_MS = 5000
NO_TOKEN_LIMIT = 200_000
DEFAULT_HITS = 10
CHOICES = (5, DEFAULT_HITS, MAX_HITS)
FILTERS = ("wing", "kind", "role", "since", "until")


@read_page
def search(request: MemoryRequest) -> HttpResponse:
    """Search drawers by words, meaning, date or pointer, in all or part of the palace."""
    form = SearchForm(request.GET)
    if not form.is_valid():
        context = _form_context(request, form)
        return render(request, "memory/search.html", context, status=REFUSED)
    words = form.cleaned_data["q"].strip()
    pointer = parse_pointer(words)
    drawer = find_by_pointer(request.user.id, pointer) if pointer else None
    if drawer is not None:
        url = reverse("memory:drawer", args=[drawer.id])
        return HttpResponseClientRedirect(url) if request.htmx else redirect(url)
    limit, page = form.cleaned_data["k"] or DEFAULT_HITS, form.cleaned_data["page"] or 1
    context = _form_context(request, form) | {"q": words, "most": limit, "pointer": pointer, "page": page}
    if words:
        context |= _result_context(request, words, form.within(), slice((page - 1) * limit, page * limit))
    return render(request, "memory/search.html", context)


def _form_context(request: MemoryRequest, form: SearchForm) -> dict[str, object]:
    """The context of the form."""
    chosen = {name: request.GET.get(name, "") for name in FILTERS}
    return {
        "form": form,
        "choices": CHOICES,
        "most": DEFAULT_HITS,
        "chosen": chosen,
        "is_filtered": any(chosen.values()),
        "wings": _wings(request, form),
    }


def _wings(request: MemoryRequest, form: SearchForm) -> list[tuple[str, str]]:
    """The wings to choose from: the most recent, and the chosen one."""
    found = [(str(each.id), each.name) for each in choices.wings(request.user.id)]
    wanted = form.cleaned_data.get("wing")
    if wanted and str(wanted) not in dict(found):
        found.append((str(wanted), wing(request.user.id, wanted).name))
    return found


def _search_settings(chosen: RecallSettings, last: int) -> RecallSettings:
    """Settings that find this many hits, and at least those a reply would get."""
    end = max(last + 1, chosen.several_k)
    return replace(
        chosen.limited_to(end),
        enabled=True,
        token_budget=NO_TOKEN_LIMIT,
        time_limit_ms=TIMEOUT_MS,
        max_loaded=max(chosen.max_loaded, end),
    )


def _result_context(
    request: MemoryRequest, words: str, within: SearchFilters, page: slice
) -> dict[str, object]:
    """The hits of a page, each with its passage and explanation, and how they were found."""
    settings = _search_settings(settings_from(request.preferences), page.stop)
    found = recall(
        RecallRequest(request.user.id, words, timezone.now(), settings=settings, explicit=True, within=within)
    )
    hits = found.hits[page]
    stored = [hit_as_json(hit) for hit in hits]
    terms = found.trace.query.words if found.trace.query else ()
    explanations = explain_hits(request.user.id, stored)
    shown = [passage(hit.text, hit.span, terms) for hit in hits]
    return {
        "recall": found,
        "hits": list(zip(hits, shown, explanations, strict=True)),
        "has_more": len(found.hits) > page.stop,
        "legend": legend(explanation.bars for explanation in explanations),
        "injected": _injected(request, words, found),
        "trace": trace_view(request.user.id, trace_as_json(found.trace), stored),
    }


def _injected(request: MemoryRequest, words: str, found: Recall) -> dict[str, object]:
    """What a model would see for these words: the best hits within the limits of a reply."""
    chosen = settings_from(request.preferences)
    decision = should_search(words) if chosen.enabled else Decision(False, _("Memory is turned off."))
    if not decision.search:
        return {"decision": decision}
    hits = choose(found.hits, chosen, lambda hits: {}, found.trace.query or Query(words)).hits
    profile = fit_profile(hits, fit(found.profile, chosen.token_budget // PROFILE_SHARE), chosen)
    block = context_block(hits, chosen.zone, profile)
    return {"decision": decision, "block": block, "tokens": estimate_tokens(block), "drawers": len(hits)}
