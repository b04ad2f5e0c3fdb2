"""The addresses of a person: adding, pausing and removing them."""

import secrets
from datetime import datetime
from uuid import UUID

from django import forms
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from api.models import Webhook, WebhookDelivery
from api.webhooks.addresses import LONGEST, AddressRefused, read, resolve
from api.webhooks.events import EVENTS, FORGOTTEN, MINED, REVIEWED

MOST = 10
SHOWN = 20
KNOWN = "This address is told already."
TOO_MANY = f"There can be at most {MOST} addresses."


def webhooks_of(user_id: UUID) -> QuerySet[Webhook]:
    """The addresses of a person, the oldest first."""
    return Webhook.objects.filter(user_id=user_id).order_by("created_at", "id")


def deliveries_of(webhook: Webhook) -> list[WebhookDelivery]:
    """What this address was told lately, or is to be told, newest first."""
    found = WebhookDelivery.objects.filter(user_id=webhook.user_id, webhook_id=webhook.id)
    return list(found.order_by("-happened_at", "-id")[:SHOWN])


def add_webhook(user_id: UUID, url: str, events: list[str], now: datetime) -> Webhook:
    """Tell an address from now on. Raises AddressRefused, with a sentence, for one that may not be
    told, is told already or is one too many."""
    resolve(url, private=settings.WEBHOOKS_PRIVATE)
    if webhooks_of(user_id).count() >= MOST:
        raise AddressRefused(TOO_MANY)
    webhook = Webhook(user_id=user_id, url=url, events=events, salt=new_salt(), since=now, created_at=now)
    try:
        with transaction.atomic():
            webhook.save(force_insert=True)
    except IntegrityError as error:
        raise AddressRefused(KNOWN) from error
    return webhook


def pause(webhook: Webhook, now: datetime) -> None:
    """Tell nothing until it is resumed."""
    webhook.paused_at, webhook.paused_because = now, Webhook.Reason.OWNER
    webhook.save(update_fields=("paused_at", "paused_because"))


def resume(webhook: Webhook, now: datetime) -> None:
    """Tell what waits, and what happens from now on."""
    webhook.paused_at, webhook.paused_because, webhook.since = None, "", now
    with transaction.atomic():
        webhook.save(update_fields=("paused_at", "paused_because", "since"))
        waiting = WebhookDelivery.objects.filter(
            user_id=webhook.user_id, webhook_id=webhook.id, next_at__isnull=False
        )
        waiting.update(next_at=now, attempts=0)


def renew_secret(webhook: Webhook) -> None:
    """Sign with another secret from now on."""
    webhook.salt = new_salt()
    webhook.save(update_fields=("salt",))


def remove_webhook(webhook: Webhook) -> None:
    """Tell an address nothing any more; what was on its way goes too."""
    with transaction.atomic():
        WebhookDelivery.objects.filter(user_id=webhook.user_id, webhook_id=webhook.id).delete()
        Webhook.objects.filter(user_id=webhook.user_id, id=webhook.id).delete()


def new_salt() -> str:
    """What makes the secret of one address unlike every other."""
    return secrets.token_hex(16)


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
