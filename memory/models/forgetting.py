"""Receipts of what was forgotten, without its text."""

from django.db import models
from django.utils import timezone

from accounts.owned import Owned


class Forgetting(Owned):
    """One request to forget and its state; `id` is that of the deletion.

    `counts` says how much of each store went into the trash, `erased` how much was erased for good, `residue`
    what the search for its words found then: tables and numbers, never words. `with_chats` means that the
    words are erased from the chats too.
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
