"""Withholds drawers marked as sensitive, and facts that rest on them alone, from models."""

from collections.abc import Collection, Sequence
from uuid import UUID

from memory.facts.queries import KnownFact, Line
from memory.models import Drawer
from memory.projections.values import only_sensitive

WITHHELD = "Marked as sensitive. Only the owner can read it, in Palace."


def sensitive(user_id: UUID, drawer_ids: Collection[UUID]) -> set[UUID]:
    """The drawers that are marked as sensitive."""
    found = Drawer.objects.filter(user_id=user_id, id__in=list(drawer_ids), sensitive=True)
    return set(found.values_list("id", flat=True))


def public_facts(user_id: UUID, known: Sequence[KnownFact]) -> list[KnownFact]:
    """The facts with other than sensitive evidence, without sensitive quotes."""
    secret = only_sensitive(user_id, [each.fact.id for each in known])
    hidden = sensitive(user_id, [quote.drawer_id for each in known for quote in each.quotes])
    return [
        KnownFact(each.fact, tuple(q for q in each.quotes if q.drawer_id not in hidden))
        for each in known
        if each.fact.id not in secret
    ]


def public_relations(user_id: UUID, lines: Sequence[Line]) -> list[Line]:
    """The relations that do not rest on a sensitive drawer."""
    hidden = sensitive(user_id, [line.drawer_id for line in lines])
    return [line for line in lines if line.drawer_id not in hidden]
