"""The change log: what was changed, with every row before and after."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.owned import Owned, owned_reference


class ChangeSet(Owned):
    """One change that its owner can read and undo; `RowChange` holds the rows.

    `area` names the part of Palace that made the change and undoes it. Sets of one `batch_id` were made
    together; that is the id to undo. `others` are further rows the change is listed under. `details` holds
    codes, ids and numbers, never words. A set without `made_at` is part of a plan, and an `expired` one has
    lost its rows.
    """

    class Area(models.TextChoices):
        PALACE = "palace", _("Palace")
        GRAPH = "graph", _("People and things")
        FACTS = "facts", _("Facts")
        CONSOLIDATION = "consolidation", _("Consolidation")
        CHAT = "chat", _("Chat")

    class Kind(models.TextChoices):
        RENAMED = "renamed", _("Renamed")
        RETYPED = "retyped", _("Kind changed")
        MERGED = "merged", _("Merged")
        MOVED = "moved", _("Moved")
        ANNOTATED = "annotated", _("Remark changed")
        PINNED = "pinned", _("Pinned")
        UNPINNED = "unpinned", _("Unpinned")
        HIDDEN = "hidden", _("Marked as sensitive")
        SHOWN = "shown", _("No longer sensitive")
        DETAILED = "detailed", _("Detail changed")
        NAMED = "named", _("Another name")
        UNNAMED = "unnamed", _("Name removed")
        SPLIT = "split", _("Split")
        DECIDED = "decided", _("Decision about facts")
        EDITED = "edited", _("Edited")
        CLOSED = "closed", _("Replaced facts closed")
        ARCHIVED = "archived", _("Facts archived")
        SUMMARISED = "summarised", _("Summaries written")
        REMOVED = "removed", _("Empty places removed")

    area = models.CharField(max_length=15, choices=Area)
    kind = models.CharField(max_length=10, choices=Kind)
    subject = models.CharField(max_length=12)
    subject_id = models.UUIDField()
    others = ArrayField(models.UUIDField(), default=list)
    batch_id = models.UUIDField()
    details = models.JSONField(default=dict)
    made_at = models.DateTimeField(null=True)
    undone_at = models.DateTimeField(null=True)
    expired = models.BooleanField(default=False, db_default=False)

    class Meta:
        indexes = (
            models.Index(
                fields=("made_at",),
                name="change_set_to_expire",
                condition=models.Q(expired=False, made_at__isnull=False),
            ),
            models.Index(fields=("user", "batch_id", "id"), name="change_set_batch"),
            models.Index(fields=("user", "subject_id"), name="change_set_subject"),
            models.Index(fields=("user", "made_at"), name="change_set_by_time"),
        )


class RowChange(Owned):
    """One row of a change set: its columns before and after, as PostgreSQL writes them in JSON.

    `before` is null if the row was added, `after` if it was removed. `added` holds what was added to counters
    that other changes may touch too.
    """

    change_set_id = models.UUIDField()
    change_set = owned_reference("memory.ChangeSet", "change_set_id", related_name="rows")
    position = models.PositiveIntegerField()
    table = models.CharField(max_length=60)
    row_id = models.UUIDField()
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    added = models.JSONField(default=dict)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "change_set_id", "position"), name="row_change_once"),
        )
        indexes = (models.Index(fields=("user", "row_id"), name="row_change_of_row"),)
