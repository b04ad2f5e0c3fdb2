"""Facts with the words they rest on: lists, one fact, and what its owner writes about it."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory import fact_lists
from memory.fact_forms import KIND_NAMES, EndForm, FactsForm, NewFactForm, RewordingForm
from memory.fact_lists import Chosen
from memory.facts.conflicts import contradicted_by
from memory.knowledge import count_by_status
from memory.models import Fact
from memory.notes import NoteRefused
from memory.review import decisions, wording
from memory.review.decisions import Decision
from memory.review.wording import KnownAlready, NewFact, RewordedSince, Wording
from memory.views.meanwhile import told_meanwhile
from memory.views.requests import MemoryRequest, memory_page
from memory.views.words import Mark, pieces

METHODS = ["GET", "HEAD", "POST"]
REFUSED = 422


@require_safe
@memory_page
def facts(request: MemoryRequest) -> HttpResponse:
    """Facts of one state or of one day, newest first."""
    form = FactsForm(request.GET, user_id=request.user.id)
    if not form.is_valid() and set(form.errors) != {"at"}:
        raise Http404
    given = form.cleaned_data
    status = given["status"] or Fact.Status.ACTIVE
    at = form.moment() if form.is_valid() else None
    chosen = Chosen(status, given["kind"], given["wing"], at)
    counts = count_by_status(request.user.id)
    context = {
        "facts": fact_lists.facts_chosen(request.user.id, chosen, request.GET.get("after", "")),
        "form": form,
        "status": "" if at else status,
        "is_filtered": bool(given["kind"] or given["wing"] or at),
        "statuses": [(value, label, counts.get(value, 0)) for value, label in Fact.Status.choices],
    }
    return render(request, "memory/facts.html", context)


@require_safe
@memory_page
def fact(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """One fact: its words in their place, its versions, what is like it, what it contradicts."""
    found = decisions.found_fact(request.user.id, fact_id)
    return render(request, "memory/fact.html", _context(found, EndForm()))


@require_http_methods(METHODS)
@memory_page
def add_fact(request: MemoryRequest) -> HttpResponse:
    """Write a fact down by hand; its words are kept as a note."""
    form = NewFactForm(request.POST or None)
    if not form.is_valid():
        return _form(request, "memory/add_fact.html", {"form": form})
    now = timezone.now()
    given = form.cleaned_data
    words = Wording(given["statement"], given["kind"], given["value"], form.since_moment(now))
    try:
        made = wording.add(request.user.id, NewFact(words, given["about"]), now)
    except NoteRefused as error:
        form.add_error("statement", str(error))
        return _form(request, "memory/add_fact.html", {"form": form})
    if made is None:
        messages.info(request, _("This was known already; your words were added to it."))
        return redirect("memory:facts")
    messages.success(request, _("Noted, with your words as a note."))
    return redirect("memory:fact", made.id)


@require_http_methods(METHODS)
@memory_page
def edit_fact(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Put a fact into other words; the earlier ones stay in its history."""
    found = decisions.found_fact(request.user.id, fact_id)
    initial = {name: getattr(found, name) for name in ("statement", "kind", "value")}
    initial |= {"since": timezone.localdate(found.valid_from), "seen": found.version}
    form = RewordingForm(request.POST or None, initial=initial)
    context = {"form": form, "fact": found}
    if not form.is_valid():
        return _form(request, "memory/edit_fact.html", context)
    given = form.cleaned_data
    since = form.since_moment(found.valid_from)
    words = Wording(given["statement"], given["kind"], given["value"] or found.value, since)
    try:
        decision = wording.edit(request.user.id, fact_id, words, timezone.now(), given["seen"])
    except RewordedSince:
        context["since"] = True
        form.data = {**request.POST.dict(), "seen": found.version}
        return render(request, "memory/edit_fact.html", context, status=REFUSED)
    except KnownAlready as error:
        context["twin"] = error.fact_id
        return render(request, "memory/edit_fact.html", context, status=REFUSED)
    return decided(request, decision, _("Your wording stands now."))


@require_POST
@memory_page
@told_meanwhile
def end_fact(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Say that a fact is true no longer."""
    found = decisions.found_fact(request.user.id, fact_id)
    form = EndForm(request.POST)
    if not form.is_valid():
        return render(request, "memory/fact.html", _context(found, form), status=REFUSED)
    now = timezone.now()
    decision = decisions.end(request.user.id, fact_id, form.moment(now), now)
    return decided(request, decision, _("It ends there, and stays in your past."))


@require_POST
@memory_page
def delete_fact(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Delete a fact; the words it rests on stay."""
    decision = decisions.delete(request.user.id, fact_id, timezone.now())
    offer_undo(request, decision, _("Deleted. The words it rests on are kept."))
    return redirect("memory:facts")


def decided(request: MemoryRequest, decision: Decision, words: str) -> HttpResponse:
    """Go to the fact that was decided about, with the way back."""
    offer_undo(request, decision, words)
    return redirect("memory:fact", decision.facts[0].id)


def offer_undo(request: MemoryRequest, decision: Decision, words: str) -> None:
    """Tell what was done, beside a button that takes it back."""
    undo_url = reverse("memory:undo_decision", args=[decision.event_id])
    messages.success(request, words, extra_tags=undo_url)


def _form(request: MemoryRequest, template: str, context: dict[str, object]) -> HttpResponse:
    status = REFUSED if request.method == "POST" else 200
    return render(request, template, context, status=status)


def _context(found: Fact, form: EndForm) -> dict[str, object]:
    evidence = fact_lists.evidence_of(found)
    return {
        "fact": found,
        "kind": KIND_NAMES.get(found.kind, found.kind),
        "evidence": [(each, pieces(each.text, [Mark(each.start, each.end)])) for each in evidence],
        "versions": fact_lists.versions_of(found),
        "others": fact_lists.other_values(found),
        "relatives": fact_lists.relatives_of(found),
        "against": contradicted_by(found),
        "end_form": form,
    }
