"""Finds the facts that tell when something in their owner's life was."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q

from memory.facts.succession import HOLDS_OR_HELD
from memory.models import Fact

MOST = 60


def facts_that_tell_when(
    user_id: UUID, predicates: Collection[str], words: Collection[str]
) -> list[Fact]:
    """Facts with one of these predicates, or with one of these pieces of words in what they state,
    newest first, at most 60. Those that are over are among them; never deleted, rejected, merged
    or archived ones, nor those that wait for review."""
    wanted = Q(predicate__in=predicates)
    for word in words:
        wanted |= Q(statement__icontains=word) | Q(object__icontains=word)
    known = Fact.objects.filter(
        user_id=user_id,
        status__in=HOLDS_OR_HELD,
        deleted_at=None,
        merged_into_id=None,
        archived_at=None,
    )
    return list(known.filter(wanted).order_by("-valid_from", "id")[:MOST])
