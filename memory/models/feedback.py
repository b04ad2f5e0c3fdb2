"""What a person said of the drawers that recall had chosen for a reply."""

from django.db import models
from django.utils import timezone

from accounts.owned import Owned, owned_reference


class Misfit(Owned):
    """The owner said that a drawer did not fit the message for which it was recalled.

    The message is known by the trace of its recall, whose query says what was asked: no words are
    kept here, and with the trace the judgement goes too.
    """

    trace_id = models.UUIDField()
    trace = owned_reference("memory.RecallTrace", "trace_id")
    drawer_id = models.UUIDField()
    drawer = owned_reference("memory.Drawer", "drawer_id")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "trace_id", "drawer_id"), name="misfit_once"),)
        indexes = (models.Index(fields=("user", "drawer_id"), name="misfit_by_drawer"),)
