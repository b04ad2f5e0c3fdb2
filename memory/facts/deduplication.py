"""Finds the fact that a statement repeats."""

from uuid import UUID

from django.db.models import Q, QuerySet

from memory.facts.endings import ended_between
from memory.facts.statements import KEY_LIMIT, Statement, says_the_same
from memory.facts.validity import is_outweighed, is_stated_after, value_at, values_of
from memory.forgetting.tombstones import tombstoned
from memory.models import Fact, FactVersion, held_at
from memory.text.digests import text_digest


def find_duplicate(statement: Statement) -> Fact | None:
    """The fact a statement repeats: one that held at the time, or the next one with nothing in between.

    Rejected and waiting facts match at any time, a merged fact matches as the one it was merged into, and a
    fact its owner reworded also matches by its earlier words.
    """
    new = statement.fact
    candidates = Fact.objects.filter(user_id=new.user_id, deleted_at=None).filter(
        Q(content_hash=new.content_hash) | Q(key=new.key, predicate=new.predicate)
    )
    same = [
        fact
        for fact in candidates.order_by("id")
        if says_the_same(fact, new) and not _is_better_wording(fact, statement)
    ]
    if not same:
        return _by_earlier_words(statement)
    merged = [fact.merged_into_id for fact in same if fact.merged_into_id]
    if merged:
        return Fact.objects.filter(user_id=new.user_id, id=merged[0], deleted_at=None).first()
    return _match_in_time(new, candidates.filter(id__in=[fact.id for fact in same]))


def _is_better_wording(fact: Fact, statement: Statement) -> bool:
    """Whether the statement is a model's wording of what the built-in reader extracted from the same
    drawer."""
    new = statement.fact
    if (fact.mined_by, new.mined_by) != ("reader", "model"):
        return False
    here = fact.sources.filter(drawer_id=statement.drawer.id)
    return bytes(fact.content_hash) != new.content_hash and here.exists()


def is_forgotten(statement: Statement) -> bool:
    """Whether the owner deleted this fact and these are the same words again."""
    new = statement.fact
    digest = tombstone_digest(new.key, new.value, statement.drawer.source_message_id)
    return bool(tombstoned(new.user_id, [digest]))


def tombstone_digest(key: str, value: str, message_id: UUID) -> bytes:
    """The digest that recognises a deleted fact when its message is mined again."""
    plain = " ".join(value.casefold().split())
    return text_digest(f"{message_id}\n{key[:KEY_LIMIT]}\n{plain}")


def _match_in_time(new: Fact, same: QuerySet[Fact]) -> Fact | None:
    at = new.valid_from
    current = same.exclude(status=Fact.Status.SUPERSEDED).order_by("id").first()
    holding = same.filter(held_at(at)).first()
    if current is not None and not _may_be_earlier_period(current, new):
        return holding if holding and is_outweighed(current) else current
    if holding is not None or not new.single_valued:
        return holding
    later = values_of(new.user_id, new.key).filter(valid_from__gt=at)
    following = later.order_by("valid_from", "id").first()
    if following is None or not says_the_same(following, new):
        return None
    if ended_between(following, at, following.valid_from):
        return None
    between = value_at(new.user_id, new.key, at)
    return None if between and is_stated_after(between, at) else following


def _may_be_earlier_period(current: Fact, new: Fact) -> bool:
    """Whether the new fact may refer to an earlier period, with other values or an ending in between."""
    if current.status != Fact.Status.ACTIVE:
        return False
    if current.single_valued and new.single_valued:
        return True
    return ended_between(current, new.valid_from, current.valid_from)


def _by_earlier_words(statement: Statement) -> Fact | None:
    """The fact whose owner reworded these words, or this value of the same key.

    Applies if the same drawer is read again or only the wording differs.
    """
    new, user_id = statement.fact, statement.fact.user_id
    value = Q(content__key=new.key, content__predicate=new.predicate, content__value=new.value)
    known = value | Q(content_hash=new.content_hash)
    versions = FactVersion.objects.filter(known, user_id=user_id, undone_at=None)
    facts = Fact.objects.filter(
        user_id=user_id, id__in=versions.values("fact_id"), deleted_at=None, merged_into_id=None
    )
    for fact in facts.order_by("id"):
        if fact.value == new.value or fact.sources.filter(drawer_id=statement.drawer.id).exists():
            return fact
    return None
