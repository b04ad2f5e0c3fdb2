"""Fields and forms of the memory pages."""

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memory.models import Drawer, Wing
from memory.organize.notes import NOTE_LIMIT
from memory.search.queries import SearchFilters
from memory.text.sanitizing import storable

NAME_LIMIT = 200
MAX_HITS = 15
MAX_PAGES = 12
MONTHS = 12


class WordsField(forms.CharField):
    """Text kept as written: untrimmed, but without characters the database cannot store."""

    def __init__(self, **kwargs: Any) -> None:
        attributes = {"dir": "auto", "rows": kwargs.pop("rows", 4)}
        super().__init__(strip=False, widget=forms.Textarea(attrs=attributes), **kwargs)

    def to_python(self, value: Any) -> str:
        """Remove characters that cannot be stored, and normalise line ends."""
        return storable((super().to_python(value) or "").replace("\r\n", "\n")).text

    def run_validators(self, value: Any) -> None:
        """Validate the length only: `to_python` removed characters that cannot be stored."""
        if self.max_length is not None and len(value) > self.max_length:
            raise forms.ValidationError(
                _("Use at most %(most)s characters; this has %(given)s."),
                params={"most": self.max_length, "given": len(value)},
            )


class SingleLineField(forms.CharField):
    """A single line in any script."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"})
        super().__init__(**{"max_length": NAME_LIMIT, "widget": widget, **kwargs})


class DayField(forms.DateField):
    """An optional date."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
        errors = {"invalid": _("Enter a date such as 2024-05-31.")}
        super().__init__(required=False, widget=widget, error_messages=errors, **kwargs)


def start_of(day: date) -> datetime:
    """The first instant of a day in the current time zone."""
    return timezone.make_aware(datetime.combine(day, time.min))


def end_of(day: date) -> datetime:
    """The last instant of a day in the current time zone."""
    return timezone.make_aware(datetime.combine(day, time.max))


def last_months(today: date) -> list[date]:
    """The first days of the last twelve months, this one last."""
    last = today.year * 12 + today.month - 1
    return [date(number // 12, number % 12 + 1, 1) for number in range(last - MONTHS + 1, last + 1)]


class NoteForm(forms.Form):
    """A note and where to file it."""

    text = WordsField(label=_("Note"), max_length=NOTE_LIMIT, rows=8)
    wing = SingleLineField(
        required=False, label=_("Wing"), help_text=_("The subject. Leave empty for “Notes”.")
    )
    wing_kind = forms.ChoiceField(label=_("Kind of wing"), choices=Wing.Kind, initial="topic")
    room = SingleLineField(
        required=False, label=_("Room"), help_text=_("A part of the subject, such as a month.")
    )
    closet = SingleLineField(required=False, label=_("Closet"), help_text=_("The topic within it."))

    def where(self) -> list[forms.BoundField]:
        """The optional fields that place the note."""
        return [field for field in self if field.name != "text"]

    def where_is_wrong(self) -> bool:
        """Whether one of these has an error."""
        return any(field.errors for field in self.where())


class AnnotationForm(forms.Form):
    """The owner's remark on a drawer."""

    annotation = WordsField(
        label=_("Your remark"),
        max_length=10_000,
        required=False,
        rows=3,
        help_text=_("The words above never change. Add your own remark here."),
    )


class OwnWordsForm(forms.Form):
    """The owner's own text in place of the profile's generated prose."""

    text = WordsField(
        label=_("Your summary"),
        max_length=3_000,
        required=False,
        rows=6,
        help_text=_("At most 3,000 characters. Models see the first sentences."),
    )


class SearchForm(forms.Form):
    """The search words, filters, page size and page."""

    q = forms.CharField(required=False, max_length=20_000)
    k = forms.IntegerField(required=False, min_value=1, max_value=MAX_HITS)
    page = forms.IntegerField(required=False, min_value=1, max_value=MAX_PAGES)
    wing = forms.UUIDField(required=False)
    kind = forms.ChoiceField(required=False, choices=[("", _("Every kind")), *Wing.Kind.choices])
    role = forms.ChoiceField(required=False, choices=[("", _("Anyone")), *Drawer.Role.choices])
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)

    def clean(self) -> dict[str, Any]:
        """Require days in order."""
        cleaned = super().clean() or {}
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and until < since:
            raise forms.ValidationError(_("The first day is after the last."))
        return cleaned

    def within(self) -> SearchFilters:
        """The filters; call it on a valid form."""
        cleaned = self.cleaned_data
        return SearchFilters(
            wing_id=cleaned["wing"],
            wing_kind=cleaned["kind"],
            role=cleaned["role"],
            since=start_of(cleaned["since"]) if cleaned["since"] else None,
            until=start_of(cleaned["until"] + timedelta(days=1)) if cleaned["until"] else None,
        )


class SkillForm(forms.Form):
    """The text of a skill."""

    goal = SingleLineField(label=_("Purpose"), max_length=300)
    worked = WordsField(label=_("What worked"), max_length=4_000, rows=5)
    failed = WordsField(label=_("What did not work"), max_length=4_000, rows=3, required=False)
    applies = SingleLineField(label=_("Where it applies"), max_length=300, required=False)


class TimelineForm(forms.Form):
    """Filters of the timeline."""

    q = forms.CharField(
        label=_("Words"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"dir": "auto", "type": "search"}),
    )
    kind = forms.ChoiceField(
        label=_("Kind"),
        required=False,
        choices=[
            ("", _("Everything")),
            ("event", _("Appointments and trips")),
            ("experience", _("Experiences")),
        ],
    )
    year = forms.IntegerField(required=False, min_value=2, max_value=9998, widget=forms.HiddenInput)
    undated = forms.BooleanField(required=False, widget=forms.HiddenInput)
