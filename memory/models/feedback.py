"""The owner's feedback on drawers recalled for a reply."""

from django.db import models
from django.utils import timezone

from accounts.owned import Owned, owned_reference


class Misfit(Owned):
    """The owner marked a drawer as not relevant to the message it was recalled for.

    The message is identified by the trace of its recall, whose query is what was asked: no words are stored
    here, and the feedback is deleted with the trace.
    """

    trace_id = models.UUIDField()
    trace = owned_reference("memory.RecallTrace", "trace_id")
    drawer_id = models.UUIDField()
    drawer = owned_reference("memory.Drawer", "drawer_id")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "trace_id", "drawer_id"), name="misfit_once"),)
        indexes = (models.Index(fields=("user", "drawer_id"), name="misfit_by_drawer"),)
