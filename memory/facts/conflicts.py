"""Contradictions that Palace cannot decide, so that their owner must."""

from uuid import UUID

from django.utils.translation import gettext_noop

from memory.facts.statements import Statement, says_the_same
from memory.facts.succession import value_at
from memory.models import Drawer, Fact, FactSource

UNDECIDED = gettext_noop(
    "It contradicts something else that is known, and Palace cannot tell which holds."
)
OWNER = "user"


def rival_of(user_id: UUID, statement: Statement) -> Fact | None:
    """The value that a statement contradicts without being able to follow it: said by its owner
    while the new one was not, or said elsewhere at the very same moment."""
    if not statement.single_valued:
        return None
    holding = value_at(user_id, statement.key, statement.valid_from)
    if holding is None or says_the_same(holding, statement):
        return None
    if _weight(statement.authority) != _weight(holding.authority):
        return holding if statement.authority != OWNER else None
    if holding.valid_from != statement.valid_from or _one_source(holding, statement):
        return None
    return holding


def contradicted_by(fact: Fact) -> Fact | None:
    """The value that holds where a waiting fact would begin, if it is another one."""
    if not fact.single_valued or fact.status != Fact.Status.PENDING:
        return None
    return value_at(fact.user_id, fact.key, fact.valid_from)


def _weight(authority: str) -> bool:
    return authority == OWNER


def _one_source(fact: Fact, statement: Statement) -> bool:
    """In one chat the later words win, even when every message bears the same time."""
    drawer = Drawer.objects.get(user_id=fact.user_id, id=statement.drawer_id)
    sources = FactSource.objects.filter(user_id=fact.user_id, fact_id=fact.id)
    return sources.filter(drawer__source_id=drawer.source_id).exists()
