"""The forms of the chat pages."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms import add_initial_values
from chat.agents import agents_of
from chat.attachments import (
    MAX_FILE_BYTES,
    MAX_FILES,
    NOT_TEXT,
    TOO_LARGE,
    TOO_MANY,
    Attachment,
    add_files,
    join,
    parse_block,
)
from chat.models import Agent
from chat.projects import MAX_PROJECT_LENGTH
from chat.titles import MAX_TITLE_LENGTH
from memory.facts.corrections import MAX_REMARK_LENGTH

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


class FilesInput(forms.FileInput):
    """An input for several files."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several uploaded files."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        """Each file. Raises ValidationError."""
        cleaned = (super(FilesField, self).clean(each, initial) for each in data or (None,))
        return [file for file in cleaned if file]


class KeptField(forms.Field):
    """Attachments of a message that is edited or was not accepted, as blocks of text."""

    widget = forms.MultipleHiddenInput

    def clean(self, value: Any) -> list[Attachment]:
        """Each attachment; what cannot be parsed is dropped."""
        found = (parse_block(each.replace("\r\n", "\n")) for each in value or ())
        return [file for file in found if file]


class MessageForm(forms.Form):
    """A message, verbatim except for line ends, which browsers change.

    `attached` are files and `kept` those sent before, both among `attachments`; with `oversize` it may be
    longer than what the model reads at once. `seen` is the newest message on the page it was written on;
    `went_on` is set if there are newer ones.
    """

    content = forms.CharField(
        label=_("Message"),
        strip=False,
        error_messages={"required": _("Write something first.")},
        widget=forms.Textarea(
            attrs={
                "rows": 1,
                "dir": "auto",
                "autofocus": True,
                "data-enter-sends": "",
                "placeholder": _("Write a message"),
            }
        ),
    )

    attached = FilesField(required=False, allow_empty_file=True)
    kept = KeptField(required=False)
    oversize = forms.BooleanField(required=False)
    seen = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)
    attachments: Sequence[Attachment] = ()
    went_on = False
    too_long = False

    def clean_content(self) -> str:
        """The text; a message of only spaces is rejected."""
        content: str = self.cleaned_data["content"].replace("\r\n", "\n")
        if not content.strip():
            raise forms.ValidationError(_("Write something first."))
        return content

    def clean(self) -> dict[str, Any]:
        """The message with the attached files after its words."""
        cleaned: dict[str, Any] = super().clean() or {}
        self.attachments, refusals = add_files(cleaned.get("kept", ()), cleaned.get("attached", ()))
        if "content" in cleaned:
            cleaned["content"] = join(cleaned["content"], self.attachments)
        if refusals:
            self.reject(*refusals)
        return cleaned

    def reject(self, *reasons: "str | _StrPromise") -> None:
        """Show why a message was not sent. Its files stay among the `attachments`, because browsers do not
        resubmit files."""
        self.add_error("content", list(reasons))

    @property
    def file_rules(self) -> dict[str, str]:
        """The limits of files and what breaking them means, for a script that checks files when chosen."""
        name = {"name": "{name}"}
        return {
            "most-files": str(MAX_FILES),
            "most-bytes": str(MAX_FILE_BYTES),
            "too-many": TOO_MANY % {**name, "most": MAX_FILES},
            "too-large": TOO_LARGE % {**name, "most": MAX_FILE_BYTES // 1_000},
            "not-text": NOT_TEXT % name,
        }


class AgentChoice(forms.ModelChoiceField):  # type: ignore[type-arg]
    """A choice of agents by name."""

    def label_from_instance(self, obj: Agent) -> str:
        return obj.name


class SwitchesForm(forms.Form):
    """The agent of a chat, its memory switches and its project."""

    agent = AgentChoice(label=_("Agent"), queryset=Agent.objects.none(), empty_label=None, required=False)
    recall_memory = forms.BooleanField(label=_("Use memory in this chat"), required=False)
    mine = forms.BooleanField(label=_("Save this chat to memory"), required=False)
    incognito = forms.BooleanField(required=False, widget=forms.HiddenInput)
    project = forms.CharField(
        label=_("Project"),
        required=False,
        widget=forms.TextInput(
            attrs={
                "list": "projects",
                "autocomplete": "off",
                "dir": "auto",
                "maxlength": MAX_PROJECT_LENGTH,
                "placeholder": _("No project"),
            }
        ),
    )
    model = forms.CharField(
        label=_("Model"),
        required=False,
        max_length=120,
        widget=forms.TextInput(
            attrs={"list": "models", "autocomplete": "off", "placeholder": _("Same as the agent")}
        ),
    )

    def __init__(self, user_id: UUID, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        field = self.fields["agent"]
        assert isinstance(field, AgentChoice)
        field.queryset = agents_of(user_id)


class TitleForm(forms.Form):
    """A new title; an empty one restores the first words."""

    title = forms.CharField(
        label=_("Title"),
        required=False,
        max_length=MAX_TITLE_LENGTH,
        widget=forms.TextInput(attrs={"dir": "auto"}),
        help_text=_("Leave empty to use the first words of the chat."),
    )


class DeleteForm(forms.Form):
    """Whether to forget what was mined from a deleted chat too."""

    forget = forms.BooleanField(label=_("Also forget what was saved to memory from it"), required=False)


class RemarkForm(forms.Form):
    """What is wrong with a recalled drawer, in the owner's words; may be empty."""

    remark = forms.CharField(
        label=_("What is right?"),
        required=False,
        max_length=MAX_REMARK_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
        help_text=_("Your remark is kept beside the message. The message itself does not change."),
    )


class AgentForm(forms.ModelForm):  # type: ignore[type-arg]
    """An agent's name, instructions, model and its two memory switches."""

    class Meta:
        model = Agent
        fields = ("name", "instructions", "model", "recall_memory", "mine")
        labels = {
            "name": _("Name"),
            "instructions": _("Instructions"),
            "model": _("Model"),
            "recall_memory": _("Use memory in its replies"),
            "mine": _("Save its chats to memory"),
        }
        help_texts = {
            "instructions": _("Instructions for the model, sent with every chat."),
            "model": _("The name of the model at your endpoint. Leave empty for the default."),
        }
        widgets = {
            "name": forms.TextInput(attrs={"dir": "auto"}),
            "instructions": forms.Textarea(attrs={"rows": 8, "dir": "auto"}),
            "model": forms.TextInput(attrs={"list": "models", "autocomplete": "off"}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        add_initial_values(self, self.fields)
