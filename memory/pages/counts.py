"""Counts that every page shows in its navigation."""

from functools import partial

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from memory.facts.queries import count_waiting


def waiting(request: HttpRequest) -> dict[str, object]:
    """How many facts wait for their owner's decision; asked only by pages that show it."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {"waiting_for_review": SimpleLazyObject(partial(count_waiting, user.id))}
