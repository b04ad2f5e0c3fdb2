"""What is never put before a model: words that their owner marked sensitive."""

from collections.abc import Collection, Sequence
from uuid import UUID

from memory.facts.queries import KnownFact, Line
from memory.models import Drawer
from memory.projections.values import only_sensitive

WITHHELD = "Marked sensitive by its owner, who alone can read it, in Palace."


def sensitive(user_id: UUID, drawer_ids: Collection[UUID]) -> set[UUID]:
    """Those of the drawers that are marked sensitive."""
    found = Drawer.objects.filter(user_id=user_id, id__in=list(drawer_ids), sensitive=True)
    return set(found.values_list("id", flat=True))


def tellable(user_id: UUID, known: Sequence[KnownFact]) -> list[KnownFact]:
    """The facts that anything but sensitive words tells, without sensitive quotes."""
    secret = only_sensitive(user_id, [each.fact.id for each in known])
    hidden = sensitive(user_id, [quote.drawer_id for each in known for quote in each.quotes])
    return [
        KnownFact(each.fact, tuple(q for q in each.quotes if q.drawer_id not in hidden))
        for each in known
        if each.fact.id not in secret
    ]


def tellable_lines(user_id: UUID, lines: Sequence[Line]) -> list[Line]:
    """The relations that rest on words which are not sensitive."""
    hidden = sensitive(user_id, [line.drawer_id for line in lines])
    return [line for line in lines if line.drawer_id not in hidden]
