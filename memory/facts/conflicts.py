"""Conflicts between facts that only their owner can decide."""

from datetime import timedelta

from django.utils.translation import gettext_noop

from memory.facts.statements import Statement, says_the_same
from memory.facts.validity import value_at
from memory.facts.vocabulary import slug
from memory.models import Fact
from memory.text.kinship import names_relation

UNDECIDED = gettext_noop("It contradicts another fact, and Palace cannot tell which one is true.")
CONFLICTING_RELATIONSHIP = gettext_noop("Another fact names a different relationship to this person or pet.")
YEAR = timedelta(days=365.25)
OWNER = "user"
READER = "reader"
_PARTNERS = frozenset(("married_to", "engaged_to", "partner_of"))
_RELATIVES = frozenset(
    ("parent_of", "child_of", "sibling_of", "grandparent_of", "grandchild_of", "has_pet", *_PARTNERS)
)
_ACQUAINTANCES = frozenset(("friend_of", "acquainted_with"))


def conflicting_value(statement: Statement) -> Fact | None:
    """The value that a statement contradicts but cannot supersede.

    The owner stated only the value, both were stated at the same instant in different chats, or the built-in
    reader found another name that no words introduce as the owner's, or an age that does not fit the known
    one.
    """
    new = statement.fact
    is_doubtful_name = new.mined_by == READER and new.predicate == "named"
    if not (new.single_valued or is_doubtful_name):
        return None
    holding = value_at(new.user_id, new.key, new.valid_from)
    if holding is None or says_the_same(holding, new):
        return None
    if not new.single_valued or _is_impossible_age(new, holding):
        return holding
    if (new.authority == OWNER) != (holding.authority == OWNER):
        return holding if new.authority != OWNER else None
    # Within one chat, the later message wins, even if all have the same time.
    in_this_chat = holding.sources.filter(drawer__source_id=statement.drawer.source_id)
    return None if holding.valid_from != new.valid_from or in_this_chat.exists() else holding


def _is_impossible_age(new: Fact, holding: Fact) -> bool:
    """Whether the built-in reader found an age that nobody of the known age can have by then, nor of another
    age found before."""
    if new.mined_by != READER or new.predicate != "aged" or _fit(new, holding):
        return False
    ages = Fact.objects.filter(user_id=new.user_id, key=new.key, predicate=new.predicate, deleted_at=None)
    return not any(_fit(new, age) for age in ages.exclude(status=Fact.Status.REJECTED))


def _fit(one: Fact, other: Fact) -> bool:
    """Whether a person can have both ages, each at its time, or they are not in digits."""
    if not (one.object.isdecimal() and other.object.isdecimal()):
        return True
    years = (one.valid_from - other.valid_from) / YEAR
    return abs(int(one.object) - int(other.object) - years) <= 1


def conflicting_relationship(new: Fact) -> Fact | None:
    """The active fact that gives a relative or pet found by the built-in reader another relationship, such as
    partner instead of child."""
    if new.mined_by != READER or new.predicate not in _RELATIVES:
        return None
    same = _PARTNERS if new.predicate in _PARTNERS else {new.predicate}
    facts = Fact.objects.filter(user_id=new.user_id, status=Fact.Status.ACTIVE, deleted_at=None)
    return facts.filter(predicate__in=_RELATIVES - same, object__iexact=new.object).first()


def is_unsupported_relationship(statement: Statement) -> bool:
    """Whether the built-in reader found a relationship that no word of its source names, to somebody whose
    relationship to the owner is known: a friend or acquaintance, or one that contradicts it."""
    new = statement.fact
    if new.mined_by != READER:
        return False
    if new.predicate in _ACQUAINTANCES:
        facts = Fact.objects.filter(user_id=new.user_id, status=Fact.Status.ACTIVE, deleted_at=None)
        known = facts.filter(predicate__in=_RELATIVES | {"friend_of"}, object__iexact=new.object)
        is_known = known.exclude(predicate=new.predicate).exists()
    else:
        is_known = conflicting_relationship(new) is not None
    words = statement.drawer.content[slice(*statement.span)]
    return is_known and not names_relation(words, new.predicate)


def is_nameless_relationship(new: Fact) -> bool:
    """Whether a fact only has a word for somebody ("Mama", "a brother") who is known by name, or about whom
    its owner would be asked."""
    if " " in new.object or not names_relation(new.object, new.predicate):
        return False
    family = new.key.removesuffix(f"_{slug(new.object)}")
    facts = Fact.objects.filter(user_id=new.user_id, status=Fact.Status.ACTIVE, deleted_at=None)
    named = facts.filter(predicate=new.predicate, key__startswith=family).exclude(object__iexact=new.object)
    return bool(new.review_reason) or named.exists()


def contradicted_by(fact: Fact) -> Fact | None:
    """What a fact waiting for review contradicts: the other value that holds when it would begin, or another
    relationship to the same person or pet; None if nothing does."""
    if fact.status != Fact.Status.PENDING:
        return None
    if CONFLICTING_RELATIONSHIP in fact.review_reason:
        return conflicting_relationship(fact)
    is_value = fact.single_valued or UNDECIDED in fact.review_reason
    return value_at(fact.user_id, fact.key, fact.valid_from) if is_value else None
