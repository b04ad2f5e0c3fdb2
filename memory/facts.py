"""Files facts: the same words again add a source, another value of the same thing ends the old
one, and nothing is overwritten."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from django.db.models import F, Q, QuerySet

from memory.models import Fact, FactSource

MEMORY_TYPES = {
    "event": Fact.Memory.EPISODIC,
    "experience": Fact.Memory.EPISODIC,
    "skill": Fact.Memory.PROCEDURAL,
    "instruction": Fact.Memory.PROCEDURAL,
    "successful_path": Fact.Memory.PROCEDURAL,
    "behaviour": Fact.Memory.REFLECTIVE,
    "insight": Fact.Memory.REFLECTIVE,
}


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact ready to be filed, with the drawer and character range of its words."""

    kind: str
    key: str
    value: str
    statement: str
    predicate: str
    object: str
    confidence: float
    authority: str
    valid_from: datetime
    drawer_id: UUID
    span: tuple[int, int]
    single_valued: bool = False
    event_time: datetime | None = None
    persons: tuple[str, ...] = ()
    location: str = ""
    mined_by: str = "rules"
    review_reason: str = ""


def file_fact(user_id: UUID, statement: Statement) -> Fact | None:
    """The new fact, or None when it was known: then its source is added and the count grows.

    Runs inside a transaction that holds the palace lock.
    """
    digest = content_hash(statement)
    known = _known(user_id, digest, statement.valid_from)
    if known is not None:
        _seen_again(known, statement)
        return None
    fact = _create(user_id, statement, digest)
    _add_source(fact, statement)
    return fact


def content_hash(statement: Statement) -> bytes:
    """A digest of what is said, whatever its case, spacing and final punctuation."""
    words = re.sub(r"\s+", " ", statement.statement).strip(" .!").casefold()
    return sha256(f"{statement.kind}\n{words}".encode()).digest()


def current_facts(user_id: UUID, at: datetime | None = None) -> QuerySet[Fact]:
    """Facts in force: now, or those that were true at a moment. Never deleted or rejected."""
    facts = Fact.objects.filter(user_id=user_id, deleted_at=None)
    if at is None:
        return facts.filter(status=Fact.Status.ACTIVE)
    return facts.filter(
        Q(valid_to=None) | Q(valid_to__gt=at),
        status__in=(Fact.Status.ACTIVE, Fact.Status.SUPERSEDED),
        valid_from__lte=at,
    )


def _known(user_id: UUID, digest: bytes, at: datetime) -> Fact | None:
    same = Fact.objects.filter(user_id=user_id, content_hash=digest, deleted_at=None)
    standing = same.exclude(status=Fact.Status.SUPERSEDED).first()
    if standing is not None:
        return standing
    return same.filter(Q(valid_to__gt=at), valid_from__lte=at).first()


def _seen_again(fact: Fact, statement: Statement) -> None:
    if _add_source(fact, statement):
        facts = Fact.objects.filter(user_id=fact.user_id, id=fact.id)
        facts.update(times_seen=F("times_seen") + 1)
        if statement.valid_from < fact.valid_from and fact.status != Fact.Status.REJECTED:
            _start_earlier(fact, statement.valid_from)


def _start_earlier(fact: Fact, start: datetime) -> None:
    """A fact that was already true before its first known mention, unless another value was."""
    between = _same_key(fact.user_id, fact.key).filter(
        valid_from__gte=start, valid_from__lt=fact.valid_from
    )
    if not (fact.single_valued and between.exclude(id=fact.id).exists()):
        Fact.objects.filter(user_id=fact.user_id, id=fact.id).update(valid_from=start)


def _add_source(fact: Fact, statement: Statement) -> bool:
    _, created = FactSource.objects.get_or_create(
        user_id=fact.user_id,
        fact_id=fact.id,
        drawer_id=statement.drawer_id,
        start=statement.span[0],
        defaults={"end": statement.span[1]},
    )
    return created


def _create(user_id: UUID, statement: Statement, digest: bytes) -> Fact:
    fact = Fact(
        user_id=user_id,
        kind=statement.kind,
        memory_type=MEMORY_TYPES.get(statement.kind, Fact.Memory.SEMANTIC),
        key=statement.key[:120],
        value=statement.value,
        statement=statement.statement[:1000],
        predicate=statement.predicate[:120],
        object=statement.object,
        single_valued=statement.single_valued,
        event_time=statement.event_time,
        persons=list(statement.persons),
        location=statement.location,
        confidence=statement.confidence,
        authority=statement.authority,
        review_reason=statement.review_reason[:300],
        status=Fact.Status.PENDING if statement.review_reason else Fact.Status.ACTIVE,
        valid_from=statement.valid_from,
        content_hash=digest,
        mined_by=statement.mined_by,
    )
    if fact.single_valued and fact.status == Fact.Status.ACTIVE:
        take_place_in_time(fact)
    fact.save(force_insert=True)
    return fact


def take_place_in_time(fact: Fact) -> None:
    """Close the value that held before `fact`, and close `fact` where a later value begins."""
    others = _same_key(fact.user_id, fact.key).exclude(id=fact.id)
    later = others.filter(valid_from__gt=fact.valid_from).order_by("valid_from", "id").first()
    if later is not None:
        fact.status = Fact.Status.SUPERSEDED
        fact.valid_to = later.valid_from
        fact.superseded_by_id = later.id
    others.filter(
        Q(valid_to=None) | Q(valid_to__gt=fact.valid_from), valid_from__lte=fact.valid_from
    ).update(status=Fact.Status.SUPERSEDED, valid_to=fact.valid_from, superseded_by_id=fact.id)


def reopen(user_id: UUID, removed: Sequence[UUID]) -> None:
    """Let values hold again that facts which are gone had ended: until the next value, or still.

    Runs inside a transaction that holds the palace lock, after the facts were removed.
    """
    ended = Fact.objects.filter(user_id=user_id, superseded_by_id__in=removed, deleted_at=None)
    for fact in ended.order_by("valid_from", "id"):
        others = _same_key(user_id, fact.key).exclude(id=fact.id)
        later = others.filter(valid_from__gt=fact.valid_from).order_by("valid_from", "id").first()
        fact.superseded_by_id = later.id if later else None
        fact.valid_to = later.valid_from if later else None
        fact.status = Fact.Status.SUPERSEDED if later else Fact.Status.ACTIVE
        fact.save(update_fields=["superseded_by_id", "valid_to", "status"])


def _same_key(user_id: UUID, key: str) -> QuerySet[Fact]:
    return Fact.objects.filter(
        user_id=user_id,
        key=key[:120],
        single_valued=True,
        deleted_at=None,
        status__in=(Fact.Status.ACTIVE, Fact.Status.SUPERSEDED),
    )
