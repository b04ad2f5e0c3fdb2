"""Runs of consolidation, and the summaries they write."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.owned import Owned, owned_reference


class ConsolidationRun(Owned):
    """A plan to consolidate a user's memory, and its state.

    Its changes are the change sets whose `batch_id` is the run's id. `digest` covers its changes,
    `facts_digest` the facts it was made from: a plan is applied exactly as it was shown, or not at all.
    `counts` are changes by kind.
    """

    class State(models.TextChoices):
        PLANNED = "planned", _("Planned")
        APPLIED = "applied", _("Applied")
        UNDONE = "undone", _("Undone")

    state = models.CharField(max_length=10, choices=State, default=State.PLANNED)
    digest = models.CharField(max_length=64)
    facts_digest = models.CharField(max_length=64)
    scheduled = models.BooleanField(default=False)
    counts = models.JSONField(default=dict)
    planned_at = models.DateTimeField(default=timezone.now)
    applied_at = models.DateTimeField(null=True)
    undone_at = models.DateTimeField(null=True)

    class Meta:
        indexes = (models.Index(fields=("user", "-planned_at"), name="consolidation_by_time"),)


class Summary(Owned):
    """A generated summary of a closet or room, in a few sentences.

    `subject_id` is the closet's id, or the room's if there is no `closet_id`. `digest` identifies the drawers
    it was made from.
    """

    class Writer(models.TextChoices):
        RULES = "rules", _("Rules")
        MODEL = "model", _("Model")

    subject_id = models.UUIDField()
    room_id = models.UUIDField()
    room = owned_reference("memory.Room", "room_id")
    closet_id = models.UUIDField(null=True)
    closet = owned_reference("memory.Closet", "closet_id", null=True)
    text = models.TextField()
    written_by = models.CharField(max_length=10, choices=Writer)
    digest = models.CharField(max_length=64)
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "summaries"
        indexes = (
            models.Index(fields=("user", "subject_id"), name="summary_of_place"),
            models.Index(fields=("user", "room_id"), name="summary_in_room"),
        )
