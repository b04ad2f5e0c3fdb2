"""The list of facts, filtered while its owner types."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import F, Q, QuerySet, TextField, Value
from django.db.models.functions import Concat, Substr
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from memory.facts.queries import count_by_status
from memory.models import Fact, FactSource, Wing, reworded
from memory.pages.facts import queries
from memory.pages.facts.queries import FactSelection
from memory.pages.facts.rows import KIND_CHOICES, grouped_facts
from memory.pages.forms import DayField, end_of
from memory.pages.requests import MemoryRequest, parse_uuid, read_page

ALWAYS_SHOWN = {Fact.Status.ACTIVE.value, Fact.Status.SUPERSEDED.value}
MAX_WORDS = 8
MAX_WINGS = 80
MAX_IDS = 3_000
"""If more facts match, each query of the list searches again, which is fast for common words."""
CERTAIN, LIKELY = 0.8, 0.5
CERTAINTY = {
    "certain": (_("Certain"), Q(confidence__gte=CERTAIN)),
    "likely": (_("Likely"), Q(confidence__gte=LIKELY, confidence__lt=CERTAIN)),
    "unsure": (_("Unsure"), Q(confidence__lt=LIKELY)),
}
IGNORED_WORDS = frozenset(
    ("a", "am", "an", "are", "has", "have", "i", "is", "me", "my", "the", "was", "were", "you", "your")
)
"""Words that differ between stored statements and the sentences shown to the owner."""


class FactsForm(forms.Form):
    """Which facts to list. An empty field means all."""

    status = forms.ChoiceField(required=False, choices=Fact.Status, widget=forms.HiddenInput)
    q = forms.CharField(label=_("Search facts"), required=False, max_length=200)
    kind = forms.ChoiceField(label=_("Kind"), required=False, choices=[("", _("All kinds")), *KIND_CHOICES])
    wing = forms.TypedChoiceField(label=_("Wing"), required=False, coerce=UUID, empty_value=None)
    certainty = forms.ChoiceField(
        label=_("Confidence"),
        required=False,
        choices=[("", _("Any confidence")), *((name, label) for name, (label, _which) in CERTAINTY.items())],
    )
    at = DayField(label=_("On date"))
    sort = forms.ChoiceField(
        label=_("Sort"), required=False, choices=[("", _("Sorted by kind")), ("newest", _("Newest first"))]
    )

    def __init__(self, *args: Any, user_id: UUID, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        wings = _wing_choices(user_id, self.data.get("wing", ""))
        self.fields["wing"].choices = [  # type: ignore[attr-defined]
            ("", _("All wings")),
            *((str(key), Truncator(name).chars(30)) for key, name in wings),
        ]

    @property
    def pickers(self) -> list[Any]:
        """The fields beside the search box."""
        return [self[name] for name in ("kind", "wing", "certainty", "at", "sort")]

    def moment(self) -> datetime | None:
        """The end of the chosen day in the current time zone, or None."""
        day: date | None = self.cleaned_data.get("at")
        return end_of(day) if day else None


def _wing_choices(user_id: UUID, chosen: str) -> list[tuple[UUID, str]]:
    """The most recent wings that hold drawers, and the chosen one, by name."""
    wings = Wing.objects.filter(user_id=user_id)
    used = wings.filter(merged_into_id=None, last_at__isnull=False).order_by("-last_at", "id")
    found = dict(used.values_list("id", "name")[:MAX_WINGS])
    chosen_id = parse_uuid(chosen)
    if chosen_id and chosen_id not in found:
        found |= dict(wings.filter(id=chosen_id).values_list("id", "name"))
    return sorted(found.items(), key=lambda wing: (wing[1].casefold(), wing[0]))


@read_page
def facts(request: MemoryRequest) -> HttpResponse:
    """Facts of a status or a day; to htmx only the list."""
    form = FactsForm(request.GET, user_id=request.user.id)
    if not form.is_valid() and set(form.errors) != {"at"}:
        raise Http404
    cleaned, found = form.cleaned_data, _chosen(request.user.id, form)
    after, newest = request.GET.get("after", ""), cleaned["sort"] == "newest"
    context = {
        "form": form,
        "page": grouped_facts(request.user.id, found, after, newest=newest),
        "status": "" if cleaned.get("at") else _status(form),
        "is_filtered": any(cleaned.get(name) for name in ("q", "kind", "wing", "certainty", "at")),
    }
    if request.htmx:
        return render(request, "memory/_facts.html", context)
    return render(request, "memory/facts.html", context | {"counts": count_by_status(request.user.id)})


def counts_on_list(request: MemoryRequest, fact: Fact) -> dict[str, int]:
    """What the list that sent an htmx request counts now, by the id of the element that shows it: facts of a
    status, and of the kind of `fact`. Empty for other pages."""
    path, _question, query = (request.htmx.current_url_abs_path or "").partition("?")
    form = FactsForm(QueryDict(query), user_id=request.user.id)
    if path != reverse("memory:facts") or not form.is_valid():
        return {}
    counts = count_by_status(request.user.id)
    shown = {f"count-{status}": counts.get(status, 0) for status in ALWAYS_SHOWN | {_status(form)}}
    if form.cleaned_data["sort"] != "newest":
        shown[f"count-{fact.kind}"] = _chosen(request.user.id, form).filter(kind=fact.kind).count()
    return shown


def _status(form: FactsForm) -> str:
    return form.cleaned_data["status"] or Fact.Status.ACTIVE


def _chosen(user_id: UUID, form: FactsForm) -> QuerySet[Fact]:
    cleaned, at = form.cleaned_data, form.moment()
    kinds = (cleaned["kind"],) if cleaned["kind"] else ()
    found = queries.select_facts(user_id, FactSelection(_status(form), cleaned["wing"], at, kinds))
    return _search(user_id, found if at else found.exclude(reworded()), cleaned)


def _search(user_id: UUID, found: QuerySet[Fact], chosen: Mapping[str, Any]) -> QuerySet[Fact]:
    """Facts of this certainty with every word in their statement, their value or their source."""
    if chosen["certainty"]:
        found = found.filter(CERTAINTY[chosen["certainty"]][1])
    stripped = (each.strip(".,;:!?“”\"'‘’") for each in chosen["q"].split()[:MAX_WORDS])
    words = [each for each in stripped if each and each.lower() not in IGNORED_WORDS]
    in_fact, in_source = Q(), Q()
    for word in words:
        in_fact &= _contains("statement", word) | _contains("value", word)
        in_source &= _contains("told", word)
    if not in_fact:
        return found
    said = _sources_with_text(user_id, alone=len(words) == 1).filter(in_source).values("fact_id")
    matching = found.filter(in_fact | Q(id__in=said))
    ids = list(matching.values_list("id", flat=True)[: MAX_IDS + 1])
    return matching if len(ids) > MAX_IDS else found.filter(id__in=ids)


def _contains(field: str, word: str) -> Q:
    """Whether a field contains the word, with straight or curly apostrophes."""
    spellings = {word.replace("’", "'"), word.replace("'", "’")}
    return Q(*((f"{field}__icontains", each) for each in spellings), _connector=Q.OR)


def _sources_with_text(user_id: UUID, *, alone: bool) -> QuerySet[FactSource]:
    """The sources of facts, each with the text of the fact and its quote as `told`, or the quote `alone`: a
    single word is in either.

    A search reads them once: a condition on each fact could read all drawers for every fact.
    """
    sources = FactSource.objects.filter(user_id=user_id, drawer__deleted_at=None)
    quoted = Substr("drawer__content", F("start") + 1, F("end") - F("start"))
    parts = ("fact__statement", Value(" "), "fact__value", Value(" "), quoted)
    return sources.annotate(told=quoted if alone else Concat(*parts, output_field=TextField()))
