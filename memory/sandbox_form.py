"""The form of the sandbox: a message to try, and settings for this one try."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from memory.forms import WordsField
from memory.models import MemoryPreferences
from memory.settings_form import SettingsForm

LONGEST = 200_000


class SandboxForm(forms.ModelForm):  # type: ignore[type-arg]
    """A message, the person's earlier ones, a day, and the settings that matter for recall. It
    changes a copy of the preferences and saves nothing."""

    message = WordsField(label=_("Your message"), max_length=LONGEST, rows=4)
    earlier = WordsField(
        label=_("Your earlier messages"),
        required=False,
        max_length=LONGEST,
        rows=3,
        help_text=_("One a line, the newest last. “And the second one?” borrows its words there."),
    )
    on = forms.DateField(
        label=_("As if it were"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_("“Yesterday” is read from this day. Empty means today."),
    )

    field_order = ("message", "earlier", "on")

    class Meta:
        model = MemoryPreferences
        fields = (
            "recipe",
            "top_k",
            "token_budget",
            "similarity_floor",
            "inject_profile",
            "use_rerank",
        )
        labels = SettingsForm.Meta.labels
        help_texts = SettingsForm.Meta.help_texts

    def clean_message(self) -> str:
        """The message word for word; one of spaces alone is none."""
        message: str = self.cleaned_data["message"]
        if not message.strip():
            raise forms.ValidationError(_("Write something first."))
        return message

    def earlier_messages(self) -> tuple[str, ...]:
        """The earlier messages of a valid form, newest last."""
        lines: list[str] = self.cleaned_data["earlier"].split("\n")
        return tuple(line for line in lines if line.strip())

    def save(self, commit: bool = True) -> Any:
        """Not for a sandbox: raises TypeError."""
        raise TypeError(_("A sandbox keeps nothing."))
