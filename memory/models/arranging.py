"""What owners change about their palace, and the searches they keep."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.owned import Owned, owned_reference


class PalaceEdit(Owned):
    """Something its owner changed about a wing, room, closet or drawers.

    One of the four ids names what it concerns, and it goes with that. `details` says what was there
    before, exactly as much as undoing needs; `touched` are all places and drawers whose later
    changes rest on this one. Edits of one `batch_id` were made at once and are undone together.
    """

    class Kind(models.TextChoices):
        RENAMED = "renamed", _("Renamed")
        REKINDED = "rekinded", _("Kind changed")
        MERGED = "merged", _("Merged")
        MOVED = "moved", _("Moved")
        ANNOTATED = "annotated", _("Remark changed")
        PINNED = "pinned", _("Pinned")
        UNPINNED = "unpinned", _("Unpinned")
        HIDDEN = "hidden", _("Marked as sensitive")
        SHOWN = "shown", _("No longer sensitive")

    kind = models.CharField(max_length=10, choices=Kind)
    batch_id = models.UUIDField()
    wing_id = models.UUIDField(null=True)
    wing = owned_reference("memory.Wing", "wing_id", related_name="edits", null=True)
    room_id = models.UUIDField(null=True)
    room = owned_reference("memory.Room", "room_id", related_name="edits", null=True)
    closet_id = models.UUIDField(null=True)
    closet = owned_reference("memory.Closet", "closet_id", related_name="edits", null=True)
    drawer_id = models.UUIDField(null=True)
    drawer = owned_reference("memory.Drawer", "drawer_id", related_name="edits", null=True)
    touched = ArrayField(models.UUIDField(), default=list)
    details = models.JSONField(default=list)
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)

    class Meta:
        indexes = (
            models.Index(fields=("user", "-id"), name="palace_edit_lately"),
            models.Index(fields=("user", "batch_id"), name="palace_edit_batch"),
            models.Index(fields=("user", "wing_id"), name="palace_edit_of_wing"),
            models.Index(fields=("user", "room_id"), name="palace_edit_of_room"),
            models.Index(fields=("user", "closet_id"), name="palace_edit_of_closet"),
            models.Index(fields=("user", "drawer_id"), name="palace_edit_of_drawer"),
        )


class SavedSearch(Owned):
    """A search its owner keeps: a name, and the query string of its page without a place in the
    list. One that was thrown away can be taken back."""

    name = models.CharField(max_length=100)
    query = models.TextField()
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        indexes = (models.Index(fields=("user", "name"), name="saved_search_by_name"),)
