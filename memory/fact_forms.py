"""Forms about facts: which to list, another wording, a new one, and when one was over."""

from datetime import date, datetime, time
from typing import Any
from uuid import UUID

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memory.facts.statements import STATEMENT_LIMIT
from memory.kinds import KINDS
from memory.models import Fact, Wing
from memory.review.decisions import MOST_AT_ONCE
from memory.review.wording import SINGLE

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
    at = forms.DateField(
        label=_("As it was on"), required=False, widget=DAY_INPUT, error_messages=NO_DAY
    )

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
    since = forms.DateField(
        label=_("True since"), required=False, widget=DAY_INPUT, error_messages=NO_DAY
    )

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
