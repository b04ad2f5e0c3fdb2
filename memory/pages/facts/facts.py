"""One fact with its sources, and edits by its owner."""

from collections.abc import Callable
from datetime import date, datetime
from functools import wraps
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.owned import NotFound
from memory.facts.conflicts import contradicted_by
from memory.facts.queries import with_words
from memory.facts.review import decisions, wording
from memory.facts.review.decisions import Decision, found_fact
from memory.facts.review.wording import SINGLE_VALUED, DuplicateFact, NewFact, StaleVersion, Wording
from memory.facts.statements import STATEMENT_LIMIT
from memory.models import Fact
from memory.organize.notes import NoteRefused
from memory.pages.facts import queries
from memory.pages.facts.listing import counts_on_list
from memory.pages.facts.rows import KIND_CHOICES, KIND_NAMES, rows_of
from memory.pages.forms import DayField, SingleLineField, start_of
from memory.pages.highlighting import Mark, pieces
from memory.pages.requests import REFUSED, MemoryRequest, back_url, form_page, post_page, read_page
from memory.templatetags.days import day_of
from memory.text.owner_sentences import quoted_words

ABOUT_LABELS = {
    "name": _("Your name"),
    "home_city": _("Your home"),
    "employer": _("Your employer"),
    "occupation": _("Your occupation"),
    "spouse": _("Your spouse"),
    "partner": _("Your partner"),
    "birthday": _("Your birthday"),
    "hometown": _("Your home town"),
    "diet": _("Your diet"),
    "university": _("Your university"),
}


class WordingForm(forms.Form):
    """The wording of a fact."""

    statement = forms.CharField(
        label=_("Fact in one sentence"),
        min_length=5,
        max_length=STATEMENT_LIMIT,
        widget=forms.Textarea(attrs={"dir": "auto", "rows": 3}),
        help_text=_(
            "Write “I play the cello” or “You play the cello”; both mean the same. The sentence has to make "
            "sense on its own."
        ),
    )
    kind = forms.ChoiceField(label=_("Kind"), initial="other", choices=KIND_CHOICES)
    value = SingleLineField(
        label=_("Value (optional)"),
        max_length=300,
        required=False,
        help_text=_("The name, place or thing that the fact is about, such as “cello”."),
    )
    since = DayField(
        label=_("Since (optional)"), help_text=_("The day it became true. Leave it empty if you don’t know.")
    )

    def since_moment(self, default: datetime) -> datetime:
        """The start of the chosen day in the current time zone; `default` if it is that day or none was
        chosen."""
        day: date | None = self.cleaned_data["since"]
        if day is None or day == day_of(default):
            return default
        return start_of(day)


class RewordingForm(WordingForm):
    """A new wording of a fact; `seen` is the version that was shown."""

    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)


class NewFactForm(WordingForm):
    """A new fact; a new value of something single-valued ends the old one."""

    about = forms.ChoiceField(
        label=_("Replaces"),
        required=False,
        choices=[("", _("Nothing")), *((key, ABOUT_LABELS[key]) for key in SINGLE_VALUED)],
        help_text=_(
            "You have one of each at a time. The earlier fact ends when this one begins. If you choose one, "
            "enter its value below."
        ),
    )
    field_order = ("statement", "kind", "about", "value", "since")

    def clean(self) -> dict[str, Any]:
        """Require a value for single-valued things."""
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("about") and not cleaned.get("value"):
            self.add_error("value", _("Enter a value, such as the name of the place."))
        return cleaned


class EndForm(forms.Form):
    """When a fact stopped being true."""

    day = DayField(label=_("No longer true since"), help_text=_("Leave empty for today."))

    def moment(self, now: datetime) -> datetime:
        """The start of the chosen day in the current time zone, but never later than now."""
        day: date | None = self.cleaned_data["day"]
        return min(now, start_of(day)) if day else now


ALREADY_REVIEWED = _(
    "This fact was already reviewed in another window, so nothing was changed. This is its current state."
)

View = Callable[[MemoryRequest, UUID], HttpResponse]


def handle_already_reviewed(view: View) -> View:
    """If the decision can no longer be made, show the fact in its current state. A deleted fact, or another
    user's, is a 404."""

    @wraps(view)
    def wrapper(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
        try:
            return view(request, fact_id)
        except NotFound:
            return _current_state(request, fact_id)

    return wrapper


def _current_state(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    fact = found_fact(request.user.id, fact_id)
    if request.htmx:
        return render_row(request, fact, str(ALREADY_REVIEWED))
    messages.info(request, str(ALREADY_REVIEWED))
    return redirect("memory:fact", fact.id)


@read_page
def fact(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """A fact: its row, the details of the row, or its page with versions and similar facts."""
    found = decisions.found_fact(request.user.id, fact_id)
    if "row" in request.GET:
        return render_row(request, found)
    if request.htmx:
        row = rows_of(request.user.id, [found])[0]
        return render(request, "memory/_fact_more.html", {"row": row})
    return render(request, "memory/fact.html", _context(found, EndForm()))


@form_page
def add_fact(request: MemoryRequest) -> HttpResponse:
    """Add a fact by hand; its words are saved as a note."""
    form = NewFactForm(request.POST or None)
    if not form.is_valid():
        return _render_form(request, "memory/add_fact.html", {"form": form})
    now = timezone.now()
    cleaned = form.cleaned_data
    words = Wording(cleaned["statement"], cleaned["kind"], cleaned["value"], form.since_moment(now))
    try:
        fact, created = wording.add(request.user.id, NewFact(words, cleaned["about"]), now)
    except NoteRefused as error:
        form.add_error("statement", str(error))
        return _render_form(request, "memory/add_fact.html", {"form": form})
    if not created:
        messages.info(request, _("This fact already exists. Your words were added as a source."))
        return redirect("memory:facts")
    messages.success(request, _("Fact added. Your words are saved as a note."))
    return redirect("memory:fact", fact.id)


@form_page
def edit_fact(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Reword a fact, on its page or in its row; earlier versions stay in its history."""
    found = with_words(request.user.id, [decisions.found_fact(request.user.id, fact_id)])[0]
    shown = quoted_words(found.sentence) or found.sentence
    initial: dict[str, Any] = {"statement": shown, "kind": found.kind, "seen": found.version}
    initial["value"] = "" if found.value.strip(".") == shown.strip(".") else found.value
    initial["since"] = day_of(found.valid_from) if found.start_is_stated else None
    data = {**initial, **request.POST.dict()} if request.htmx and request.POST else request.POST or None
    form = RewordingForm(data, initial=initial)
    context: dict[str, object] = {"form": form, "fact": found}
    template = "memory/_fact_editing.html" if request.htmx else "memory/edit_fact.html"
    if not form.is_valid():
        return _render_form(request, template, context)
    cleaned = form.cleaned_data
    statement = found.statement if cleaned["statement"] == shown else cleaned["statement"]
    since = form.since_moment(found.valid_from)
    words = Wording(statement, cleaned["kind"], cleaned["value"] or found.value, since)
    try:
        decision = wording.edit(request.user.id, fact_id, words, timezone.now(), cleaned["seen"])
    except StaleVersion:
        context["since"] = True
        form.data = {**form.data, "seen": found.version}
        return render(request, template, context, status=REFUSED)
    except DuplicateFact as error:
        context["twin"] = error.fact_id
        return render(request, template, context, status=REFUSED)
    return decision_response(request, decision, gettext("Your wording was saved."))


@post_page
@handle_already_reviewed
def end_fact(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Mark a fact as no longer true."""
    found = decisions.found_fact(request.user.id, fact_id)
    form = EndForm(request.POST)
    if not form.is_valid():
        return render(request, "memory/fact.html", _context(found, form), status=REFUSED)
    now = timezone.now()
    decision = decisions.end(request.user.id, fact_id, form.moment(now), now)
    words = gettext("The fact has ended. You can find it under Past.")
    return decision_response(request, decision, words, gettext("Moved to Past:"))


@post_page
def delete_fact(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Delete a fact; its source stays."""
    decision = decisions.delete(request.user.id, [fact_id], timezone.now())
    words = gettext("Fact deleted. Its source is kept.")
    if request.htmx:
        counts = counts_on_list(request, decision.facts[0])
        context = {"text": words, "undo_url": _undo_url(request, decision), "counts": counts}
        return render(request, "memory/_fact_decided.html", context)
    offer_undo(request, decision, words)
    return redirect("memory:facts")


def decision_response(
    request: MemoryRequest, decision: Decision, words: str, decided: str = ""
) -> HttpResponse:
    """The row of the reviewed fact, or a redirect to its page, with an undo button. The row is only what was
    `decided` and the sentence, if that takes the fact off the list."""
    if request.htmx:
        return render_row(request, decision.facts[0], words, _undo_url(request, decision), decided)
    offer_undo(request, decision, words)
    return redirect("memory:fact", decision.facts[0].id)


def render_row(
    request: MemoryRequest, fact: Fact, words: str = "", undo_url: str = "", decided: str = ""
) -> HttpResponse:
    """The current row of a fact, a toast, and the counts that follow from the decision."""
    context = {
        "row": rows_of(request.user.id, [fact])[0],
        "text": words,
        "undo_url": undo_url,
        "decided": decided,
        "counts": counts_on_list(request, fact) if decided else {},
    }
    return render(request, "memory/_fact_decided.html", context)


def offer_undo(request: MemoryRequest, decision: Decision, words: str) -> None:
    """Add a success message with an undo button."""
    messages.success(request, words, extra_tags=_undo_url(request, decision))


def _undo_url(request: MemoryRequest, decision: Decision) -> str:
    """The URL that undoes a decision and returns to the page it was made on."""
    back = request.htmx.current_url_abs_path if request.htmx else back_url(request)
    return reverse("memory:undo", args=[decision.event_id], query={"back": back} if back else None)


def _render_form(request: MemoryRequest, template: str, context: dict[str, object]) -> HttpResponse:
    status = REFUSED if request.method == "POST" else 200
    return render(request, template, context, status=status)


def _context(found: Fact, form: EndForm) -> dict[str, object]:
    evidence = queries.sources_of(found)
    return {
        "fact": found,
        "kind": KIND_NAMES.get(found.kind, found.kind),
        "evidence": [(each, pieces(each.text, [Mark(each.start, each.end)])) for each in evidence],
        "versions": queries.versions_of(found),
        "others": queries.other_values(found),
        "similar_facts": queries.similar_facts_of(found),
        "contradicted": contradicted_by(found),
        "end_form": form,
    }
