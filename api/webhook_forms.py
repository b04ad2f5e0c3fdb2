"""The form for an address that is to be told."""

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from api.webhooks.addresses import LONGEST, AddressRefused, read
from api.webhooks.happenings import EVENTS, FORGOTTEN, MINED, REVIEWED


class WebhookForm(forms.Form):
    """Where to, and what is told."""

    url = forms.CharField(
        label=_("Address"),
        help_text=_("Such as https://example.org/palace. It has to be reachable from here."),
        max_length=LONGEST,
        widget=forms.URLInput(attrs={"autocomplete": "off", "dir": "ltr"}),
    )
    events = forms.MultipleChoiceField(
        label=_("It is told when"),
        choices=(
            (MINED, _("a chat is remembered")),
            (REVIEWED, _("you decide about what was understood")),
            (FORGOTTEN, _("something is forgotten, erased or brought back")),
        ),
        initial=list(EVENTS),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one thing to be told of.")},
    )

    def clean_url(self) -> str:
        """An address that may be told, as far as it says itself."""
        url: str = self.cleaned_data["url"].strip()
        try:
            read(url, private=settings.WEBHOOKS_PRIVATE)
        except AddressRefused as error:
            raise forms.ValidationError(str(error)) from error
        return url
