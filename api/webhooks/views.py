"""The webhook pages."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.hooks import enqueue
from accounts.http import SignedInRequest
from api.webhooks import subscriptions
from api.webhooks.delivery import send_test
from api.webhooks.events import EVENTS, FORGOTTEN, MINED, REVIEWED
from api.webhooks.http import secret_of
from llm.addresses import MAX_URL_LENGTH, AddressRefused

REFUSED = 422


class WebhookForm(forms.Form):
    """The URL and the events to subscribe to."""

    url = forms.CharField(
        label=gettext_lazy("URL"),
        help_text=gettext_lazy("For example https://example.org/palace. Palace must be able to reach it."),
        max_length=MAX_URL_LENGTH,
        widget=forms.URLInput(attrs={"autocomplete": "off", "dir": "ltr"}),
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Send when"),
        choices=(
            (MINED, gettext_lazy("a chat is saved to memory")),
            (REVIEWED, gettext_lazy("you review facts, skills or insights")),
            (FORGOTTEN, gettext_lazy("something is forgotten, erased or restored")),
        ),
        initial=list(EVENTS),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one event.")},
    )


@require_http_methods(["GET", "HEAD", "POST"])
def webhooks(request: SignedInRequest) -> HttpResponse:
    """List webhooks, with a form to add one."""
    form = WebhookForm(request.POST or None)
    if form.is_valid():
        given = form.cleaned_data
        try:
            made = subscriptions.add_webhook(request.user.id, given["url"], given["events"], timezone.now())
        except AddressRefused as error:
            form.add_error("url", str(error))
        else:
            messages.success(request, _("The webhook was added."))
            return redirect("webhooks:webhook", made.id)
    context = {"form": form, "webhooks": subscriptions.webhooks_of(request.user.id)}
    return render(request, "webhooks/webhooks.html", context, status=REFUSED if form.errors else 200)


@require_safe
@never_cache
def webhook(request: SignedInRequest, webhook_id: UUID) -> HttpResponse:
    """Show a webhook with its secret and latest deliveries."""
    found = subscriptions.webhook_of(request.user.id, webhook_id)
    context = {"webhook": found, "secret": secret_of(found), "deliveries": subscriptions.deliveries_of(found)}
    return render(request, "webhooks/webhook.html", context)


@require_POST
def try_webhook(request: SignedInRequest, webhook_id: UUID) -> HttpResponse:
    """Send a test message."""
    found = subscriptions.webhook_of(request.user.id, webhook_id)
    send_test(found, timezone.now())
    enqueue("deliver_webhooks", request.user.id)
    messages.info(
        request, _("The test message is being sent. Reload this page in a moment to see the result.")
    )
    return redirect("webhooks:webhook", found.id)


@require_POST
def resume_webhook(request: SignedInRequest, webhook_id: UUID) -> HttpResponse:
    """Resume a paused webhook."""
    found = subscriptions.webhook_of(request.user.id, webhook_id)
    subscriptions.resume(found, timezone.now())
    return redirect("webhooks:webhook", found.id)


@require_http_methods(["GET", "HEAD", "POST"])
def remove_webhook(request: SignedInRequest, webhook_id: UUID) -> HttpResponse:
    """Remove a webhook, after a confirmation."""
    found = subscriptions.webhook_of(request.user.id, webhook_id)
    if request.method != "POST":
        return render(request, "webhooks/remove_webhook.html", {"webhook": found})
    subscriptions.remove_webhook(found)
    messages.success(request, _("The webhook was removed."))
    return redirect("webhooks:webhooks")


app_name = "webhooks"
urlpatterns = [
    path("", webhooks, name="webhooks"),
    path("<uuid:webhook_id>/", webhook, name="webhook"),
    path("<uuid:webhook_id>/try/", try_webhook, name="try_webhook"),
    path("<uuid:webhook_id>/resume/", resume_webhook, name="resume_webhook"),
    path("<uuid:webhook_id>/remove/", remove_webhook, name="remove_webhook"),
]
