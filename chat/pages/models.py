"""Settings › Models: a user's own model endpoint, and the models to choose from in the composer."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.http import SignedInRequest
from chat.endpoints import (
    PRESETS,
    EndpointUnusable,
    choose_model,
    connect,
    decrypted_key,
    disconnect,
    endpoint_of,
    list_site_models,
    models_for,
    set_context_window,
)
from chat.models import ModelEndpoint
from chat.pages.queries import model_picker, requested_agent
from llm import current
from llm.addresses import MAX_URL_LENGTH, NO_CREDENTIALS, NO_URL, AddressRefused, parse
from llm.openai_gateway import MAX_NAME_LENGTH
from memory.pages.requests import REFUSED, form_page, post_page, read_page
from memory.preferences import change_preferences, preferences_of

MAX_KEY_LENGTH = 400
MIN_WINDOW, MAX_WINDOW = 500, 100_000_000
NO_ENDPOINT_URL = gettext_lazy("Enter a complete URL, such as https://api.openai.com/v1.")
NO_ENDPOINT_CREDENTIALS = gettext_lazy("Leave the user name and password out of the URL; enter a key below.")
BAD_KEY = gettext_lazy("This contains a character that no key has. Copy the key again, without spaces.")


class EndpointForm(forms.Form):
    """The URL of an endpoint and its key, which is never sent back to the page."""

    base_url = forms.CharField(
        label=gettext_lazy("Base URL"),
        max_length=MAX_URL_LENGTH,
        widget=forms.URLInput(attrs={"placeholder": "https://api.openai.com/v1", "dir": "ltr"}),
    )
    key = forms.CharField(
        label=gettext_lazy("API key"),
        required=False,
        max_length=MAX_KEY_LENGTH,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "dir": "ltr"}),
        help_text=gettext_lazy(
            "Stored encrypted and never shown again. Leave it empty if the endpoint needs none."
        ),
    )

    model = forms.CharField(
        label=gettext_lazy("Model"),
        required=False,
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput(attrs={"autocomplete": "off", "dir": "ltr"}),
        help_text=gettext_lazy("Needed only if the endpoint does not list its models."),
    )

    def __init__(self, *arguments: Any, private: bool, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._private = private

    def clean_base_url(self) -> str:
        """The URL without a trailing slash or `/chat/completions`."""
        url: str = self.cleaned_data["base_url"].rstrip("/").removesuffix("/chat/completions")
        try:
            parse(url, private=self._private)
        except AddressRefused as refusal:
            words = {NO_URL: NO_ENDPOINT_URL, NO_CREDENTIALS: NO_ENDPOINT_CREDENTIALS}
            raise forms.ValidationError(words.get(str(refusal), str(refusal))) from None
        if "?" in url or "#" in url:
            raise forms.ValidationError(NO_ENDPOINT_URL)
        return url

    def clean_key(self) -> str:
        key: str = self.cleaned_data["key"]
        if not all("!" <= character <= "~" for character in key):
            raise forms.ValidationError(BAD_KEY)
        return key


class ChoiceForm(forms.Form):
    """Which of an endpoint's models write replies and read chats, and the context window of
    `window_model`, the model for replies when the form was shown."""

    chat_model = forms.ChoiceField(label=gettext_lazy("Model for replies"))
    mining_model = forms.ChoiceField(
        label=gettext_lazy("Model for memory"),
        required=False,
        help_text=gettext_lazy("Reads your finished chats. A small, cheap model is enough."),
    )
    window = forms.IntegerField(
        required=False,
        min_value=MIN_WINDOW,
        max_value=MAX_WINDOW,
        help_text=gettext_lazy(
            "Palace warns you before a message exceeds it. If you leave it empty, Palace does not know the "
            "size and cannot warn you."
        ),
    )
    window_model = forms.ChoiceField(required=False, widget=forms.HiddenInput)

    def __init__(self, endpoint: ModelEndpoint, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        choices = [(name, name) for name in endpoint.offered]
        fields: Any = self.fields
        fields["chat_model"].choices = fields["window_model"].choices = choices
        fields["mining_model"].choices = [("", _("Same as for replies")), *choices]
        fields["window"].label = _("Context window of %(model)s, in tokens") % {
            "model": self["window_model"].value() or endpoint.chat_model
        }


@form_page
def models(request: SignedInRequest) -> HttpResponse:
    """The user's endpoint; a submitted one is tested, and kept if it works."""
    wanted = {"base_url": request.GET.get("url", "")[:MAX_URL_LENGTH]}
    form = EndpointForm(request.POST or None, initial=wanted, private=request.user.is_staff)
    if form.is_bound and form.is_valid():
        endpoint = endpoint_of(request.user.id) or ModelEndpoint(user=request.user)
        try:
            connect(endpoint, **form.cleaned_data, site=current.site_configuration(), now=timezone.now())
        except EndpointUnusable as refusal:
            form.add_error("base_url", str(refusal))
        else:
            messages.success(request, _connected_message(endpoint))
            return redirect("chat:models")
    return _page(request, form)


@post_page
def choose(request: SignedInRequest) -> HttpResponse:
    """Choose the models for replies and for memory, and set the context window that the form shows."""
    endpoint = endpoint_of(request.user.id)
    form = ChoiceForm(endpoint, request.POST) if endpoint else None
    if endpoint and form and form.is_valid():
        now = timezone.now()
        shown = form.cleaned_data["window_model"]
        if shown and "window" in form.data:
            set_context_window(endpoint, shown, form.cleaned_data["window"])
        choose_model(endpoint, form.cleaned_data["chat_model"], now)
        change_preferences(request.user.id, {"extraction_model": form.cleaned_data["mining_model"]}, now)
        messages.success(request, _("Saved. Applies from the next message."))
    elif form and "window" in form.errors:
        return _page(request, EndpointForm(private=request.user.is_staff), form)
    else:
        messages.error(request, _("The endpoint no longer offers that model. Test it again."))
    return redirect("chat:models")


@post_page
def test(request: SignedInRequest) -> HttpResponse:
    """Test the endpoint again and refresh its list of models."""
    endpoint = endpoint_of(request.user.id)
    if endpoint is not None:
        try:
            connect(endpoint, endpoint.base_url, "", current.site_configuration(), timezone.now())
        except EndpointUnusable as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, _connected_message(endpoint))
    return redirect("chat:models")


@post_page
def remove(request: SignedInRequest) -> HttpResponse:
    """Remove the endpoint and erase its key."""
    disconnect(request.user.id, timezone.now())
    messages.success(request, _("Endpoint removed and key erased."))
    return redirect("chat:models")


@read_page
def options(request: SignedInRequest) -> HttpResponse:
    """The models of the site's endpoint and the usual one of an agent, for the picker of the composer."""
    if not models_for(request.user.id):
        list_site_models()
    picker = model_picker(request.user.id, requested_agent(request), request.GET.get("chosen", ""))
    return render(request, "chat/_model_options.html", picker)


def _connected_message(endpoint: ModelEndpoint) -> str:
    count = len(endpoint.offered)
    words = ngettext("Connected. It offers %(count)s model.", "Connected. It offers %(count)s models.", count)
    return words % {"count": count}


def _page(request: SignedInRequest, form: EndpointForm, choice: ChoiceForm | None = None) -> HttpResponse:
    endpoint = endpoint_of(request.user.id)
    site = current.site_configuration()
    mining_model = preferences_of(request.user.id).extraction_model
    if endpoint and choice is None:
        model = endpoint.chat_model
        chosen = {"chat_model": model, "mining_model": mining_model}
        chosen |= {"window_model": model, "window": endpoint.offered.get(model)}
        choice = ChoiceForm(endpoint, initial=chosen)
    context = {
        "form": form,
        "endpoint": endpoint,
        "choice": choice,
        "has_key": bool(endpoint and decrypted_key(endpoint)),
        "presets": [each for each in PRESETS if request.user.is_staff or not each.local],
        "site": site if site.has_endpoint else None,
    }
    status = REFUSED if form.errors or (choice and choice.errors) else 200
    return render(request, "chat/models.html", context, status=status)
