"""Searches that a person keeps under a name."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.owned import first_or_raise
from memory.models import SavedSearch
from memory.text.sanitizing import storable

MAX_ITEMS = 50
KEPT = timedelta(days=30)
MAX_QUERY_LENGTH = 4_000


class SearchNotKept(ValueError):
    """The search cannot be kept; the message says why to its owner."""


def saved_searches(user_id: UUID) -> Sequence[SavedSearch]:
    """The searches a person keeps, by name."""
    kept = SavedSearch.objects.filter(user_id=user_id, deleted_at=None)
    return list(kept.order_by("name", "id")[:MAX_ITEMS])


def keep(user_id: UUID, name: str, query: str, now: datetime) -> SavedSearch:
    """Keep a search, a query string of its page; one of the same name gives way. What was thrown
    away long ago goes for good. Raises SearchNotKept."""
    title = " ".join(storable(name).text.split())[:100]
    if not title:
        raise SearchNotKept(_("A saved search needs a name."))
    if len(query) > MAX_QUERY_LENGTH:
        raise SearchNotKept(_("These words are too long for a saved search."))
    kept = SavedSearch.objects.filter(user_id=user_id)
    kept.filter(deleted_at__lt=now - KEPT).delete()
    standing = kept.filter(deleted_at=None)
    standing.filter(name=title).update(deleted_at=now)
    if standing.count() >= MAX_ITEMS:
        full = _("You can save at most %(most)s searches. Delete one first.")
        raise SearchNotKept(full % {"most": MAX_ITEMS})
    return SavedSearch.objects.create(user_id=user_id, name=title, query=query, created_at=now)


def drop(user_id: UUID, search_id: UUID, now: datetime) -> SavedSearch:
    """Throw a search away; `restore` brings it again. Raises NotFound."""
    return _set(user_id, search_id, now)


def restore(user_id: UUID, search_id: UUID) -> SavedSearch:
    """Keep a search again that was thrown away. Raises NotFound."""
    return _set(user_id, search_id, None)


def _set(user_id: UUID, search_id: UUID, deleted_at: datetime | None) -> SavedSearch:
    found = first_or_raise(SavedSearch.objects.filter(user_id=user_id, id=search_id))
    found.deleted_at = deleted_at
    found.save(update_fields=["deleted_at"])
    return found
