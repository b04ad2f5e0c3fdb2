"""The forms that ask for an export, and that take one back."""

from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from chat.import_forms import ImportForm
from memory.models import Wing

MOST_WINGS = 500


class ExportForm(forms.Form):
    """Everything, or one wing."""

    wing = forms.ChoiceField(
        label=gettext_lazy("What to export"),
        required=False,
        error_messages={"invalid_choice": gettext_lazy("There is no such wing any more.")},
        help_text=gettext_lazy(
            "One wing holds its drawers and what was understood of them, without your chats."
        ),
    )

    def __init__(self, user_id: UUID, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        wings = Wing.objects.filter(user_id=user_id, merged_into_id=None).order_by("-last_at", "id")
        named = wings.values_list("id", "name")[:MOST_WINGS]
        field: Any = self.fields["wing"]
        field.choices = [("", _("Everything")), *((str(wing_id), name) for wing_id, name in named)]

    @property
    def wing_id(self) -> UUID | None:
        """The id of the chosen wing; None for everything."""
        chosen: str = self.cleaned_data["wing"]
        return UUID(chosen) if chosen else None


class RestoreForm(ImportForm):
    """An export of Palace, not larger than this server takes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].widget.attrs["accept"] = ".zip"
        self.fields["file"].help_text = _("The zip, as Palace made it.")
