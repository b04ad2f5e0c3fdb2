"""Forms that edit entities and query the graph."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from memory.graph.editing import DETAIL_LIMIT, Part
from memory.graph.resolution import find_entities, find_entity
from memory.graph.traversal import EntityPage
from memory.models import OWNER, Entity, Relation
from memory.pages.forms import DayField, SingleLineField, end_of
from memory.templatetags.days import day_of

LABEL = 40

KINDS = (
    ("person", _("Person")),
    ("animal", _("Animal")),
    ("place", _("Place")),
    ("organisation", _("Organisation")),
    ("project", _("Project")),
    ("thing", _("Thing")),
    ("topic", _("Topic")),
)
KIND_FILTERS = {
    "person": _("People and animals"),
    "work": _("Work and projects"),
    "place": _("Places"),
    "topic": _("Topics"),
    "thing": _("Things"),
}
MAX_HOPS = 2
_OWNER_NAMES = frozenset({"me", "i", "you", OWNER})
_UNKNOWN_NAME = _("No person or thing has that name.")


class RenameForm(forms.Form):
    """A new name for an entity."""

    name = SingleLineField(label=_("New name"), help_text=_("Search still finds the old name."))


class KindForm(forms.Form):
    """The type of an entity."""

    type = forms.ChoiceField(label=_("Kind"), choices=KINDS)


class NameForm(forms.Form):
    """An alias of an entity."""

    name = SingleLineField(label=_("Another name"), help_text=_("A nickname, or the name in another script."))


class DetailForm(forms.Form):
    """An attribute of an entity."""

    label = SingleLineField(label=_("Detail"), help_text=_("Such as “birthday” or “telephone”."))
    value = SingleLineField(
        label=_("Value"),
        required=False,
        max_length=DETAIL_LIMIT,
        help_text=_("Leave empty to remove the detail."),
    )


class MergeForm(forms.Form):
    """The entity to merge into this one."""

    name = SingleLineField(
        label=_("Name of the other one"), help_text=_("Its names and relations move here.")
    )
    type = forms.ChoiceField(
        label=_("Its kind"),
        required=False,
        choices=(("", _("Any kind")), *KINDS),
        help_text=_("Only needed if several share the name."),
    )

    def __init__(self, *args: Any, entity: Entity, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._entity = entity

    def clean(self) -> dict[str, Any]:
        """Find the other entity and add it as `other`."""
        cleaned = super().clean() or {}
        found = [
            each
            for each in find_entities(self._entity.user_id, cleaned.get("name", ""))
            if each.id != self._entity.id and cleaned.get("type", "") in ("", each.type)
        ]
        if cleaned.get("name") and not found:
            self.add_error("name", _("No other person or thing has that name."))
        elif len(found) > 1:
            self.add_error("type", _("Several share that name. Choose the kind."))
        return cleaned | {"other": found[0] if found else None}


class SplitForm(forms.Form):
    """The relations and names to split off into a new entity."""

    name = SingleLineField(label=_("Name of the new one"))
    type = forms.ChoiceField(label=_("Kind"), choices=KINDS)
    relations = forms.MultipleChoiceField(
        label=_("Relations to move"), required=False, widget=forms.CheckboxSelectMultiple
    )
    names = forms.MultipleChoiceField(
        label=_("Names to move"), required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, page: EntityPage, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sourced = [*page.current, *page.past]
        self._set_choices("relations", [(each.relation.id, _label(each.relation)) for each in sourced])
        self._set_choices("names", [(name.id, name.name) for name in page.aliases])

    def part(self) -> Part:
        """The part to split off; call it on a valid form."""
        cleaned = self.cleaned_data
        return Part(
            name=cleaned["name"],
            type=cleaned["type"],
            relation_ids=tuple(UUID(each) for each in cleaned.get("relations", ())),
            name_ids=tuple(UUID(each) for each in cleaned.get("names", ())),
        )

    def _set_choices(self, name: str, choices: Sequence[tuple[UUID, str]]) -> None:
        self.fields[name].choices = [  # type: ignore[attr-defined]
            (str(key), words) for key, words in choices
        ]
        if not choices:
            del self.fields[name]


class GraphForm(forms.Form):
    """Base for queries of the graph on a date, by entity name."""

    def __init__(self, *args: Any, user_id: UUID, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._user_id = user_id

    def moment(self) -> datetime | None:
        """The end of the chosen day, or None; call it on a valid form."""
        day = self.cleaned_data["at"]
        return end_of(day) if day else None

    def find(self, name: str) -> Entity:
        """The entity of this name. Raises ValidationError."""
        found = find_entity(self._user_id, OWNER if name.casefold() in _OWNER_NAMES else name)
        if found is None:
            raise forms.ValidationError(_UNKNOWN_NAME)
        return found


class AsOfForm(GraphForm):
    """The date, entity, distance and kinds to show."""

    name = SingleLineField(label=_("Find a person or thing"), required=False)
    at = DayField(label=_("On date"))
    ended = forms.BooleanField(label=_("Include past relations"), required=False)
    hops = forms.TypedChoiceField(
        label=_("Distance"),
        choices=((0, _("Everything")), (1, _("One step")), (MAX_HOPS, _("Two steps"))),
        coerce=int,
        required=False,
    )
    kinds = forms.MultipleChoiceField(
        label=_("Show"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        choices=tuple(KIND_FILTERS.items()),
    )
    entity = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def __init__(self, given: QueryDict, *, user_id: UUID) -> None:
        data = given.copy()
        if not data.getlist("kinds"):
            data.setlist("kinds", list(KIND_FILTERS))
        super().__init__(data, user_id=user_id)

    def clean_name(self) -> Entity | None:
        """The entity of this name, or None if it is empty."""
        name = self.cleaned_data["name"]
        return self.find(name) if name else None

    def entity_id(self) -> UUID | None:
        """The entity that was named or linked to; call it on a valid form."""
        named = self.cleaned_data["name"]
        linked: UUID | None = self.cleaned_data["entity"]
        return named.id if named else linked

    def moment(self) -> datetime:
        """The end of the chosen day, or of today; call it on a valid form."""
        return super().moment() or end_of(timezone.localdate())


class PathsForm(GraphForm):
    """Two entities and a date."""

    start = SingleLineField(label=_("First person or thing"), help_text=_("A name. “Me” is you."))
    end = SingleLineField(label=_("Second person or thing"))
    at = DayField(label=_("On a day (optional)"))

    def clean_start(self) -> Entity:
        return self.find(self.cleaned_data["start"])

    def clean_end(self) -> Entity:
        return self.find(self.cleaned_data["end"])


def _label(relation: Relation) -> str:
    edge = relation.edge
    first, second = (Truncator(name).chars(LABEL) for name in (edge.first, edge.second))
    return f"{first} {edge.words} {second}, {date_format(day_of(relation.valid_from))}"
