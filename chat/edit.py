"""What a person changed of a chat or an agent, so that it can be taken back."""

from django.db import models

from accounts.owned import Owned, owned_reference


class Edit(Owned):
    """A new title of a chat, or a change of an agent: one of the two is named.

    `before` and `after` hold the values that differ, by field. It is kept for 30 days.
    """

    conversation_id = models.UUIDField(null=True)
    conversation = owned_reference("chat.Conversation", "conversation_id", null=True)
    agent_id = models.UUIDField(null=True)
    agent = owned_reference("chat.Agent", "agent_id", null=True)
    before = models.JSONField()
    after = models.JSONField()
    undone_at = models.DateTimeField(null=True)
    at = models.DateTimeField()

    class Meta:
        app_label = "chat"
        indexes = (models.Index(fields=("user", "at"), name="edit_by_time"),)

    def __str__(self) -> str:
        return f"edit {self.id}"
