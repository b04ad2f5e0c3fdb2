"""How an export or a restore stands that its owner asked for on a page."""

from datetime import timedelta

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.owned import Operational

KEPT = timedelta(days=1)
DROPPED_FOR = timedelta(hours=1)


class Transfer(Operational):
    """An export in the making or ready to be fetched, or a file to restore.

    It holds no words of its owner, only counts. `done` of `total` rows were written or read;
    `counts` says what the file holds or, of a restore, what it would add and added. `name` is
    where the file lies among those of its owner; it is empty once the file is deleted, which it is
    at `expires_at`. `forgettings` counts what had been forgotten when the file was begun. One with a
    `dropped_at` was thrown away: nobody sees it, and soon it is gone with its file. A file to
    restore is looked through (checking) before its owner decides.
    """

    class Direction(models.TextChoices):
        EXPORT = "export", _("Export")
        RESTORE = "restore", _("Restore")

    class State(models.TextChoices):
        CHECKING = "checking", _("Being looked through")
        READY = "ready", _("Ready to restore")
        WAITING = "waiting", _("Waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")

    direction = models.CharField(max_length=10, choices=Direction)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    wing_id = models.UUIDField(null=True, blank=True)
    name = models.CharField(max_length=60, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    forgettings = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    counts = models.JSONField(default=dict, blank=True)
    error = models.CharField(max_length=300, blank=True)
    asked_at = models.DateTimeField(default=timezone.now)
    active_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField()
    dropped_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        app_label = "chat"
        indexes = (models.Index(fields=("user", "-asked_at"), name="transfer_by_time"),)

    def __str__(self) -> str:
        return f"transfer {self.id}"


AT_WORK = (Transfer.State.CHECKING, Transfer.State.WAITING, Transfer.State.RUNNING)
"""States in which a worker is at it, or will be."""

OPEN = (*AT_WORK, Transfer.State.READY)
"""States in which it is not over."""


def in_state(transfer: Transfer, *states: str) -> models.QuerySet[Transfer]:
    """The row of a transfer, as long as it stands so."""
    return Transfer.objects.filter(user_id=transfer.user_id, id=transfer.id, state__in=states)
