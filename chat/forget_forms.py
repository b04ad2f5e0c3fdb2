"""What a person chooses in the wizard of forgetting."""

from datetime import datetime, time, timedelta
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from chat.wishes import Wanted
from memory.forgetting.scopes import KINDS
from memory.graph.resolution import find_entity
from memory.names import normalise_name

TYPED = _("forget everything")
DAYS = forms.DateInput(attrs={"type": "date"})


class ScopeForm(forms.Form):
    """What is to be forgotten: a kind with its id, a name, or days."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in KINDS])
    id = forms.UUIDField(required=False)
    name = forms.CharField(required=False, max_length=200)
    first = forms.DateField(label=_("From"), required=False, widget=DAYS)
    last = forms.DateField(label=_("To, with that day"), required=False, widget=DAYS)

    def __init__(self, user_id: UUID, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user_id = user_id

    def clean(self) -> dict[str, Any]:
        """Finds who or what a name means, and refuses what says nothing."""
        given = super().clean() or self.cleaned_data
        kind = given.get("kind")
        if kind == "entity" and given.get("name"):
            entity = find_entity(self.user_id, given["name"])
            if entity is None:
                raise forms.ValidationError(_("Nobody and nothing goes by that name here."))
            given["id"] = entity.id
        if kind == "dates":
            self._check_days(given)
        elif kind != "everything" and not given.get("id"):
            raise forms.ValidationError(_("Choose what is to be forgotten."))
        return given

    def wanted(self, *, with_chats: bool) -> Wanted:
        """The wish, once the form is valid. Days are those of the person's own clock."""
        given = self.cleaned_data
        if given["kind"] == "dates":
            since = _midnight(given["first"]) if given["first"] else None
            last = given["last"] or given["first"]
            until = _midnight(last + timedelta(days=1)) if last else None
            return Wanted("dates", since=since, until=until, with_chats=with_chats)
        return Wanted(given["kind"], given["id"], with_chats=with_chats)

    def _check_days(self, given: dict[str, Any]) -> None:
        first, last = given.get("first"), given.get("last")
        if self.errors:
            return
        if not first and not last:
            raise forms.ValidationError(_("Say at least one day."))
        if first and last and last < first:
            raise forms.ValidationError(_("The last day is before the first."))


class ConfirmForm(forms.Form):
    """How to forget: into the trash or at once, with the chats or without them."""

    HOW: ClassVar = [
        ("trash", _("Into the trash: for 30 days you can take it back")),
        ("now", _("Erase now: nothing brings it back")),
    ]
    how = forms.ChoiceField(
        label=_("How"), choices=HOW, initial="trash", widget=forms.RadioSelect()
    )
    with_chats = forms.BooleanField(
        label=_("Also take the words out of the chats they were said in"),
        required=False,
        initial=True,
        help_text=_("Otherwise the chats stay as they are, and nothing more is learned from them."),
    )
    typed = forms.CharField(required=False)

    def __init__(self, kind: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if kind == "everything":
            label = _("Type “%(words)s” to go on") % {"words": TYPED}
            self.fields["typed"] = forms.CharField(label=label, required=True)
        else:
            del self.fields["typed"]

    def clean_typed(self) -> str:
        """Refuses anything but the words that were asked for."""
        typed: str = self.cleaned_data["typed"]
        if normalise_name(typed) != normalise_name(str(TYPED)):
            raise forms.ValidationError(_("That is something else. Nothing was forgotten."))
        return typed


def _midnight(day: Any) -> datetime:
    zone = timezone.get_current_timezone()
    return datetime.combine(day, time.min, tzinfo=zone)
