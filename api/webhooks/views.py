"""The webhook pages."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import SignedInRequest
from accounts.jobs import enqueue
from api.models import Webhook
from api.webhooks import subscriptions
from api.webhooks.delivery import send_test
from api.webhooks.http import secret_of
from api.webhooks.subscriptions import WebhookForm
from llm.addresses import AddressRefused

REFUSED = 422


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
    found = _found(request, webhook_id)
    context = {"webhook": found, "secret": secret_of(found), "deliveries": subscriptions.deliveries_of(found)}
    return render(request, "webhooks/webhook.html", context)


@require_POST
def try_webhook(request: SignedInRequest, webhook_id: UUID) -> HttpResponse:
    """Send a test message."""
    found = _found(request, webhook_id)
    send_test(found, timezone.now())
    enqueue("deliver_webhooks", request.user.id)
    messages.info(
        request, _("The test message is being sent. Reload this page in a moment to see the result.")
    )
    return redirect("webhooks:webhook", found.id)


@require_POST
def resume_webhook(request: SignedInRequest, webhook_id: UUID) -> HttpResponse:
    """Resume a paused webhook."""
    found = _found(request, webhook_id)
    subscriptions.resume(found, timezone.now())
    return redirect("webhooks:webhook", found.id)


@require_http_methods(["GET", "HEAD", "POST"])
def remove_webhook(request: SignedInRequest, webhook_id: UUID) -> HttpResponse:
    """Remove a webhook, after a confirmation."""
    found = _found(request, webhook_id)
    if request.method != "POST":
        return render(request, "webhooks/remove_webhook.html", {"webhook": found})
    subscriptions.remove_webhook(found)
    messages.success(request, _("The webhook was removed."))
    return redirect("webhooks:webhooks")


def _found(request: SignedInRequest, webhook_id: UUID) -> Webhook:
    return get_object_or_404(subscriptions.webhooks_of(request.user.id), id=webhook_id)
