"""The form that takes an export."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

MEGABYTE = 1024**2


class ImportForm(forms.Form):
    """One file, not empty and not larger than this server takes."""

    file = forms.FileField(
        label=gettext_lazy("Export file"),
        error_messages={
            "required": gettext_lazy("Choose a file first."),
            "missing": gettext_lazy("Choose a file first."),
            "invalid": gettext_lazy("Choose a file first."),
            "empty": gettext_lazy("This file is empty."),
        },
        widget=forms.FileInput(attrs={"accept": ".zip,.json,.jsonl"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        attributes = self.fields["file"].widget.attrs
        attributes["data-most-bytes"] = settings.UPLOAD_LIMIT_MB * MEGABYTE
        attributes["data-too-large"] = self._too_large()
        self.fields["file"].help_text = _(
            "Of ChatGPT, Claude.ai, Claude Code, Open WebUI or LibreChat, as you got it: a zip or "
            "a file, up to %(limit)s."
        ) % {"limit": filesizeformat(settings.UPLOAD_LIMIT_MB * MEGABYTE)}

    def clean_file(self) -> "UploadedFile[Any]":
        """The file, unless it is too large."""
        file: UploadedFile[Any] = self.cleaned_data["file"]
        if file.size is None or file.size > settings.UPLOAD_LIMIT_MB * MEGABYTE:
            raise forms.ValidationError(self._too_large())
        return file

    def _too_large(self) -> str:
        return _("This file is larger than %(limit)s MB, the most this server takes.") % {
            "limit": settings.UPLOAD_LIMIT_MB
        }
