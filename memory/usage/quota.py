"""Limits the number of a user's drawers.

A full palace accepts no new ones but loses nothing: messages stay in their chats until there is room.
"""

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.models import User
from memory.models import Palace


@dataclass(frozen=True, slots=True)
class Quota:
    """The maximum number of drawers (None for no limit), and the number outside the trash."""

    limit: int | None
    kept: int = 0

    @property
    def is_full(self) -> bool:
        """Whether no new drawer can be made."""
        return self.limit is not None and self.kept >= self.limit

    @property
    def words(self) -> str:
        """The notice for the owner of a full palace; empty while there is room."""
        if not self.is_full:
            return ""
        return _(
            "Your palace is full: it has %(kept)s of %(limit)s drawers. New messages stay in your chats, "
            "word for word, and are saved to memory when there is room: delete drawers you do not need, or "
            "ask the owner of this site for more."
        ) % {"kept": f"{self.kept:,}", "limit": f"{self.limit:,}"}


def drawer_limit(user_id: UUID) -> int | None:
    """The maximum number of drawers: the user's own limit, else the site's, else None."""
    own = User.objects.filter(id=user_id).values_list("drawer_quota", flat=True).first()
    return own if own is not None else settings.DRAWER_QUOTA


def quota_of(user_id: UUID, limit: int | None = None) -> Quota:
    """The state of a user's quota; pass `limit` to save a query."""
    maximum = limit if limit is not None else drawer_limit(user_id)
    if maximum is None:
        return Quota(None)
    return Quota(maximum, drawers_kept(user_id))


def drawers_kept(user_id: UUID) -> int:
    """The number of drawers outside the trash."""
    kept = Palace.objects.filter(user_id=user_id).values_list("drawers_indexed", flat=True).first()
    return kept or 0
