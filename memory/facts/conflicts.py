"""Conflicts between facts that only their owner can decide."""

from uuid import UUID

from django.utils.translation import gettext_noop

from memory.facts.statements import Statement, says_the_same
from memory.facts.validity import value_at
from memory.models import Drawer, Fact, FactSource
from memory.text.kinship import names_relation

UNDECIDED = gettext_noop("It contradicts another fact, and Palace cannot tell which one is true.")
CONFLICTING_RELATIONSHIP = gettext_noop("Another fact names a different relationship to this person or pet.")
OWNER = "user"
READER = "reader"
_PARTNERS = frozenset(("married_to", "engaged_to", "partner_of"))
_RELATIVES = frozenset(
    ("parent_of", "child_of", "sibling_of", "grandparent_of", "grandchild_of", "has_pet", *_PARTNERS)
)
_ACQUAINTANCES = frozenset(("friend_of", "acquainted_with"))


def conflicting_value(user_id: UUID, statement: Statement) -> Fact | None:
    """The value that a statement contradicts but cannot supersede.

    The owner stated only the value, both were stated at the same instant in different chats, or the built-in
    reader found another name that no words introduce as the owner's.
    """
    is_doubtful_name = statement.mined_by == READER and statement.predicate == "named"
    if not (statement.single_valued or is_doubtful_name):
        return None
    holding = value_at(user_id, statement.key, statement.valid_from)
    if holding is None or says_the_same(holding, statement):
        return None
    if not statement.single_valued:
        return holding
    if (statement.authority == OWNER) != (holding.authority == OWNER):
        return holding if statement.authority != OWNER else None
    if holding.valid_from != statement.valid_from or _from_same_chat(holding, statement):
        return None
    return holding


def conflicting_relationship(user_id: UUID, statement: Statement) -> Fact | None:
    """The active fact that gives a relative or pet found by the built-in reader another relationship, such as
    partner instead of child."""
    if statement.mined_by != READER or statement.predicate not in _RELATIVES:
        return None
    same = _PARTNERS if statement.predicate in _PARTNERS else {statement.predicate}
    facts = Fact.objects.filter(user_id=user_id, status=Fact.Status.ACTIVE, deleted_at=None)
    return facts.filter(predicate__in=_RELATIVES - same, object__iexact=statement.object).first()


def is_guess_about_known_person(user_id: UUID, statement: Statement) -> bool:
    """Whether the built-in reader found a relationship that no word of its source names, to somebody whose
    relationship to the owner is known: a friend or acquaintance, or one that contradicts it."""
    if statement.mined_by != READER:
        return False
    if statement.predicate in _ACQUAINTANCES:
        facts = Fact.objects.filter(user_id=user_id, status=Fact.Status.ACTIVE, deleted_at=None)
        known = facts.filter(predicate__in=_RELATIVES | {"friend_of"}, object__iexact=statement.object)
        is_known = known.exclude(predicate=statement.predicate).exists()
    else:
        is_known = conflicting_relationship(user_id, statement) is not None
    return is_known and not names_relation(_words_of(user_id, statement), statement.predicate)


def contradicted_by(fact: Fact) -> Fact | None:
    """The other value that holds at the moment a fact waiting for review would begin, or None."""
    if not fact.single_valued or fact.status != Fact.Status.PENDING:
        return None
    return value_at(fact.user_id, fact.key, fact.valid_from)


def _words_of(user_id: UUID, statement: Statement) -> str:
    drawer = Drawer.objects.get(user_id=user_id, id=statement.drawer_id)
    return drawer.content[slice(*statement.span)]


def _from_same_chat(fact: Fact, statement: Statement) -> bool:
    """Whether both come from one chat: there, the later message wins even if all share one time."""
    drawer = Drawer.objects.get(user_id=fact.user_id, id=statement.drawer_id)
    sources = FactSource.objects.filter(user_id=fact.user_id, fact_id=fact.id)
    return sources.filter(drawer__source_id=drawer.source_id).exists()
