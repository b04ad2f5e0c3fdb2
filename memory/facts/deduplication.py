"""Finds the fact that a statement repeats."""

from uuid import UUID

from django.db.models import Q, QuerySet

from memory.facts.endings import ended_between
from memory.facts.statements import KEY_LIMIT, Statement, says_the_same
from memory.facts.validity import is_stated_after, value_at, values_of
from memory.mining.progress import text_digest
from memory.models import Drawer, Fact, FactSource, FactVersion, Tombstone, held_at


def find_duplicate(user_id: UUID, statement: Statement, digest: bytes) -> Fact | None:
    """The fact a statement repeats: one that held at the time, or the next one with nothing in between.

    Rejected and waiting facts match at any time, a merged fact matches as the one it was merged into, and a
    fact its owner reworded also matches by its earlier words.
    """
    candidates = Fact.objects.filter(user_id=user_id, deleted_at=None).filter(
        Q(content_hash=digest) | Q(key=statement.key[:KEY_LIMIT], predicate=statement.predicate[:KEY_LIMIT])
    )
    same = [
        fact
        for fact in candidates.order_by("id")
        if says_the_same(fact, statement) and not _is_better_wording(fact, statement, digest)
    ]
    if not same:
        return _by_earlier_words(user_id, statement, digest)
    merged = [fact.merged_into_id for fact in same if fact.merged_into_id]
    if merged:
        return Fact.objects.filter(user_id=user_id, id=merged[0], deleted_at=None).first()
    return _match_in_time(user_id, statement, candidates.filter(id__in=[fact.id for fact in same]))


def _is_better_wording(fact: Fact, statement: Statement, digest: bytes) -> bool:
    """Whether the statement is a model's wording of what the built-in reader extracted from the same
    drawer."""
    if (fact.mined_by, statement.mined_by) != ("reader", "model"):
        return False
    here = FactSource.objects.filter(user_id=fact.user_id, fact_id=fact.id, drawer_id=statement.drawer_id)
    return bytes(fact.content_hash) != digest and here.exists()


def is_forgotten(user_id: UUID, statement: Statement) -> bool:
    """Whether the owner deleted this fact and these are the same words again."""
    drawer = Drawer.objects.get(user_id=user_id, id=statement.drawer_id)
    digest = tombstone_digest(statement.key, statement.value, drawer.source_message_id)
    return Tombstone.objects.filter(user_id=user_id, kind=Tombstone.Kind.FACT, digest=digest).exists()


def tombstone_digest(key: str, value: str, message_id: UUID) -> bytes:
    """The digest that recognises a deleted fact when its message is mined again."""
    plain = " ".join(value.casefold().split())
    return text_digest(f"{message_id}\n{key[:KEY_LIMIT]}\n{plain}")


def _match_in_time(user_id: UUID, statement: Statement, same: QuerySet[Fact]) -> Fact | None:
    at = statement.valid_from
    current = same.exclude(status=Fact.Status.SUPERSEDED).order_by("id").first()
    if current is not None and not _may_be_earlier_period(current, statement):
        return current
    holding = same.filter(held_at(at)).first()
    if holding is not None or not statement.single_valued:
        return holding
    later = values_of(user_id, statement.key).filter(valid_from__gt=at)
    following = later.order_by("valid_from", "id").first()
    if following is None or not says_the_same(following, statement):
        return None
    if ended_between(following, at, following.valid_from):
        return None
    between = value_at(user_id, statement.key, at)
    return None if between and is_stated_after(between, at) else following


def _may_be_earlier_period(current: Fact, statement: Statement) -> bool:
    """Whether the statement may refer to an earlier period, with other values or an ending in between."""
    if current.status != Fact.Status.ACTIVE:
        return False
    if current.single_valued and statement.single_valued:
        return True
    return ended_between(current, statement.valid_from, current.valid_from)


def _by_earlier_words(user_id: UUID, statement: Statement, digest: bytes) -> Fact | None:
    """The fact whose owner reworded these words, or this value of the same key.

    Applies if the same drawer is read again or only the wording differs.
    """
    value = Q(
        content__key=statement.key[:KEY_LIMIT],
        content__predicate=statement.predicate[:KEY_LIMIT],
        content__value=statement.value,
    )
    versions = FactVersion.objects.filter(value | Q(content_hash=digest), user_id=user_id, undone_at=None)
    facts = Fact.objects.filter(
        user_id=user_id, id__in=versions.values("fact_id"), deleted_at=None, merged_into_id=None
    )
    for fact in facts.order_by("id"):
        here = FactSource.objects.filter(user_id=user_id, fact_id=fact.id, drawer_id=statement.drawer_id)
        if fact.value == statement.value or here.exists():
            return fact
    return None
