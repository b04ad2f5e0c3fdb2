"""The form that takes an export."""

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

MEGABYTE = 1024**2


class ImportForm(forms.Form):
    """One file, not empty and not larger than this server takes."""

    file = forms.FileField(
        label=_("Export file"),
        help_text=format_lazy(
            _("The zip as you got it, or the conversations.json in it, up to {size}."),
            size=filesizeformat(settings.UPLOAD_LIMIT_MB * MEGABYTE),
        ),
        error_messages={
            "required": _("Choose a file first."),
            "missing": _("Choose a file first."),
            "invalid": _("Choose a file first."),
            "empty": _("This file is empty."),
        },
        widget=forms.FileInput(attrs={"accept": ".zip,.json"}),
    )

    def clean_file(self) -> UploadedFile:
        """The file, unless it is too large."""
        file: UploadedFile = self.cleaned_data["file"]
        limit = settings.UPLOAD_LIMIT_MB * MEGABYTE
        if file.size is None or file.size > limit:
            raise forms.ValidationError(
                _("This file is larger than %(size)s, the most this server takes."),
                params={"size": filesizeformat(limit)},
            )
        return file
