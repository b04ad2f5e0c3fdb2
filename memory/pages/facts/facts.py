"""Facts with the words they rest on: lists, one fact, and what its owner writes about it."""

from collections.abc import Callable
from datetime import date, datetime, time
from functools import wraps
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory.facts.conflicts import contradicted_by
from memory.facts.queries import count_by_status, with_quotes
from memory.facts.review import decisions, wording
from memory.facts.review.decisions import MOST_AT_ONCE, Decision, NoSuchFact, found_fact
from memory.facts.review.wording import SINGLE, KnownAlready, NewFact, RewordedSince, Wording
from memory.facts.statements import STATEMENT_LIMIT
from memory.facts.vocabulary import KINDS
from memory.models import Fact, Wing
from memory.organize.notes import NoteRefused
from memory.pages.facts import queries
from memory.pages.facts.queries import Chosen
from memory.pages.highlighting import Mark, pieces
from memory.pages.requests import MemoryRequest, memory_page

KIND_NAMES = {
    "identity": _("Who you are"),
    "preference": _("Preference"),
    "relationship": _("Relationship"),
    "experience": _("Experience"),
    "skill": _("Skill"),
    "goal": _("Goal"),
    "constraint": _("Limit or need"),
    "event": _("Event"),
    "behaviour": _("Habit"),
    "technical": _("Technical"),
    "project": _("Project"),
    "instruction": _("Instruction"),
    "successful_path": _("What worked"),
    "insight": _("Insight"),
    "other": _("Other"),
}
ABOUT_NAMES = {
    "name": _("Your name"),
    "home_city": _("Where you live"),
    "employer": _("Where you work"),
    "occupation": _("What you work as"),
    "spouse": _("Whom you are married to"),
    "partner": _("Your partner"),
    "birthday": _("Your birthday"),
    "hometown": _("Where you come from"),
    "diet": _("Your diet"),
    "university": _("Where you study"),
}
DAY_INPUT = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
NO_DAY = {"invalid": _("Give a day such as 2024-05-31.")}


class FactsForm(forms.Form):
    """Which facts to list. An empty choice is all."""

    status = forms.ChoiceField(required=False, choices=Fact.Status, widget=forms.HiddenInput)
    kind = forms.ChoiceField(label=_("Kind"), required=False)
    wing = forms.TypedChoiceField(label=_("Wing"), required=False, coerce=UUID, empty_value=None)
    at = forms.DateField(label=_("As it was on"), required=False, widget=DAY_INPUT, error_messages=NO_DAY)

    def __init__(self, *args: Any, user_id: UUID, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        wings = Wing.objects.filter(user_id=user_id).order_by("name", "id")
        self.fields["kind"].choices = [("", _("All kinds")), *_kinds()]  # type: ignore[attr-defined]
        self.fields["wing"].choices = [  # type: ignore[attr-defined]
            ("", _("All wings")),
            *((str(wing_id), name) for wing_id, name in wings.values_list("id", "name")[:500]),
        ]

    def moment(self) -> datetime | None:
        """The end of the chosen day by the person's clock, None when none was chosen."""
        day: date | None = self.cleaned_data["at"]
        return timezone.make_aware(datetime.combine(day, time.max)) if day else None


class WordingForm(forms.Form):
    """A fact in its owner's words."""

    statement = forms.CharField(
        label=_("What is true"),
        min_length=5,
        max_length=STATEMENT_LIMIT,
        widget=forms.Textarea(attrs={"dir": "auto", "rows": 3}),
        help_text=_("One sentence that can be understood alone."),
    )
    kind = forms.ChoiceField(label=_("Kind"), initial="other")
    value = forms.CharField(
        label=_("In a word or two"),
        max_length=300,
        required=False,
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
        help_text=_("What it comes down to, such as a name or a place."),
    )
    since = forms.DateField(label=_("True since"), required=False, widget=DAY_INPUT, error_messages=NO_DAY)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["kind"].choices = _kinds()  # type: ignore[attr-defined]

    def since_moment(self, otherwise: datetime) -> datetime:
        """The beginning of the chosen day by the person's clock; `otherwise` when it is that day
        or none was chosen."""
        day: date | None = self.cleaned_data["since"]
        if day is None or day == timezone.localdate(otherwise):
            return otherwise
        return timezone.make_aware(datetime.combine(day, time.min))


class RewordingForm(WordingForm):
    """Another wording of a fact; `seen` is the version that its owner had before them."""

    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)


class NewFactForm(WordingForm):
    """A new fact; what can be true only once at a time ends what was known of it."""

    about = forms.ChoiceField(
        label=_("What it is about"),
        required=False,
        help_text=_("Some things can have only one answer at a time: a new one ends the old one."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = ((key, ABOUT_NAMES[key]) for key in SINGLE)
        self.fields["about"].choices = [("", _("Something else")), *names]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """What is about one thing needs its value."""
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("about") and not cleaned.get("value"):
            self.add_error("value", _("Say what it is, such as the name of the place."))
        return cleaned


class EndForm(forms.Form):
    """When a fact was over."""

    day = forms.DateField(
        label=_("No longer true since"),
        required=False,
        widget=DAY_INPUT,
        error_messages=NO_DAY,
        help_text=_("Left empty it is today."),
    )

    def moment(self, now: datetime) -> datetime:
        """The beginning of the chosen day by the person's clock, but never later than now."""
        day: date | None = self.cleaned_data["day"]
        if day is None:
            return now
        return min(now, timezone.make_aware(datetime.combine(day, time.min)))


class DecisionForm(forms.Form):
    """One decision about several facts."""

    action = forms.ChoiceField(choices=[("approve", "approve"), ("reject", "reject")])
    fact = forms.TypedMultipleChoiceField(coerce=UUID)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        given = self.data.getlist("fact") if isinstance(self.data, QueryDict) else []
        given = given[:MOST_AT_ONCE]
        self.fields["fact"].choices = [(each, each) for each in given if _is_id(each)]  # type: ignore[attr-defined]


def _kinds() -> list[tuple[str, Any]]:
    return [(kind, KIND_NAMES[kind]) for kind in KINDS]


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


MEANWHILE = _(
    "This fact was decided about in another window meanwhile, so nothing was changed now. This is "
    "how it stands."
)

View = Callable[[MemoryRequest, UUID], HttpResponse]


def told_meanwhile(view: View) -> View:
    """A decision that cannot be made any more shows the fact as it stands; one that is gone, or
    somebody else's, is not there."""

    @wraps(view)
    def telling(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
        try:
            return view(request, fact_id)
        except NoSuchFact:
            return _as_it_stands(request, fact_id)

    return telling


def _as_it_stands(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    fact = found_fact(request.user.id, fact_id)
    if request.htmx:
        known = with_quotes(request.user.id, [fact])[0]
        context = {"known": known, "text": str(MEANWHILE)}
        return render(request, "memory/_fact_decided.html", context)
    messages.info(request, str(MEANWHILE))
    return redirect("memory:fact", fact.id)


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
        "facts": queries.facts_chosen(request.user.id, chosen, request.GET.get("after", "")),
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
    return decided(request, decision, gettext("Your wording stands now."))


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
    return decided(request, decision, gettext("It ends there, and stays in your past."))


@require_POST
@memory_page
def delete_fact(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Delete a fact; the words it rests on stay."""
    decision = decisions.delete(request.user.id, fact_id, timezone.now())
    offer_undo(request, decision, gettext("Deleted. The words it rests on are kept."))
    return redirect("memory:facts")


def decided(request: MemoryRequest, decision: Decision, words: str) -> HttpResponse:
    """Go to the fact that was decided about, with the way back."""
    offer_undo(request, decision, words)
    return redirect("memory:fact", decision.facts[0].id)


def offer_undo(request: MemoryRequest, decision: Decision, words: str) -> None:
    """Tell what was done, beside a button that takes it back."""
    undo_url = reverse("memory:undo", args=[decision.event_id])
    messages.success(request, words, extra_tags=undo_url)


def _form(request: MemoryRequest, template: str, context: dict[str, object]) -> HttpResponse:
    status = REFUSED if request.method == "POST" else 200
    return render(request, template, context, status=status)


def _context(found: Fact, form: EndForm) -> dict[str, object]:
    evidence = queries.evidence_of(found)
    return {
        "fact": found,
        "kind": KIND_NAMES.get(found.kind, found.kind),
        "evidence": [(each, pieces(each.text, [Mark(each.start, each.end)])) for each in evidence],
        "versions": queries.versions_of(found),
        "others": queries.other_values(found),
        "relatives": queries.relatives_of(found),
        "against": contradicted_by(found),
        "end_form": form,
    }
