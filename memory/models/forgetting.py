"""Receipts of what was forgotten, without its text."""

from django.db import models
from django.utils import timezone

from accounts.owned import Owned


class Forgetting(Owned):
    """A request to forget and its state; `id` is that of the deletion.

    `counts` are the rows of each store moved to the trash, `erased` those erased for good, and `residue` what
    the search for its words found: tables and numbers, never words. `with_chats` means that the messages are
    erased from the chats too.
    """

    scope = models.CharField(max_length=12)
    object_id = models.UUIDField(null=True)
    since = models.DateTimeField(null=True)
    until = models.DateTimeField(null=True)
    with_chats = models.BooleanField(default=False)
    counts = models.JSONField(default=dict)
    erased = models.JSONField(default=dict)
    residue = models.JSONField(null=True)
    at = models.DateTimeField(default=timezone.now)
    final_at = models.DateTimeField(null=True)
    undone_at = models.DateTimeField(null=True)

    class Meta:
        indexes = (
            models.Index(fields=("user", "-at"), name="forgetting_by_time"),
            models.Index(
                fields=("at",),
                name="forgetting_to_finish",
                condition=models.Q(final_at=None, undone_at=None),
            ),
        )
