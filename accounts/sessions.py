"""Sign-in sessions in the database that record their owner."""

from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils import timezone
from django.utils.dateparse import parse_datetime

USER_AGENT_KEY = "_user_agent"
STARTED_AT_KEY = "_started_at"


class Session(AbstractBaseSession):
    """A sign-in session that knows whose it is, so that a person can list and end theirs."""

    user = models.ForeignKey(
        "accounts.User", null=True, on_delete=models.CASCADE, related_name="sessions"
    )
    user_agent = models.CharField(max_length=200, blank=True)
    started_at = models.DateTimeField(default=timezone.now)

    class Meta(AbstractBaseSession.Meta):
        app_label = "accounts"

    @classmethod
    def get_session_store_class(cls) -> type["SessionStore"]:
        """The store that writes these rows."""
        return SessionStore


class SessionStore(DatabaseStore):
    """Django's database session with the user in a column of its own."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        """The table of the sessions."""
        return Session

    def save(self, must_create: bool = False) -> None:
        """Write the session; its start is kept in it, because each save makes the row anew."""
        self.setdefault(STARTED_AT_KEY, timezone.now().isoformat())
        super().save(must_create=must_create)

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        """The row for `data`, with its owner and browser filled in."""
        row: Session = super().create_model_instance(data)  # type: ignore[assignment]
        row.user_id = data.get("_auth_user_id")
        row.user_agent = str(data.get(USER_AGENT_KEY, ""))[:200]
        row.started_at = parse_datetime(str(data.get(STARTED_AT_KEY, ""))) or timezone.now()
        return row
