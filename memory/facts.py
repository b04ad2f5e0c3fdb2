"""Files facts: the same words again add a source, another value of the same thing ends the old
one, and nothing is overwritten."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from django.db.models import F, Q, QuerySet
from uuid_utils.compat import uuid7

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
    """A fact ready to be filed, with the drawer and character range of its words; or, when it has
    `ended`, words that say that it stopped at `valid_from`."""

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
    ended: bool = False
    event_time: datetime | None = None
    persons: tuple[str, ...] = ()
    location: str = ""
    mined_by: str = "rules"
    review_reason: str = ""


def file_fact(user_id: UUID, statement: Statement) -> Fact | None:
    """The new fact, or None when it was known: then its source is added and the count grows. None
    too when the statement is that a fact has ended: then that fact is closed.

    Runs inside a transaction that holds the palace lock.
    """
    if statement.ended:
        _end(user_id, statement)
        return None
    digest = content_hash(statement)
    known = _known(user_id, statement, digest)
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


def _known(user_id: UUID, statement: Statement, digest: bytes) -> Fact | None:
    """The same fact, if it held when this was said, or from the next moment that is known of.

    What was rejected or waits for review is known at any time.
    """
    at = statement.valid_from
    same = Fact.objects.filter(user_id=user_id, content_hash=digest, deleted_at=None)
    standing = same.exclude(status=Fact.Status.SUPERSEDED).first()
    in_turn = standing is None or (
        standing.status == Fact.Status.ACTIVE and standing.single_valued and statement.single_valued
    )
    if not in_turn:
        return standing
    holding = same.filter(Q(valid_to=None) | Q(valid_to__gt=at), valid_from__lte=at).first()
    if holding is not None or not statement.single_valued:
        return holding
    later = _same_key(user_id, statement.key).filter(valid_from__gt=at)
    following = later.order_by("valid_from", "id").first()
    if following is None or bytes(following.content_hash) != digest:
        return None
    between = _value_at(user_id, statement.key, at)
    return None if between and _said_since(between, at) else following


def _end(user_id: UUID, statement: Statement) -> None:
    if statement.review_reason:
        return
    same = Q(key=statement.key[:120], value__iexact=statement.value) | Q(
        predicate=statement.predicate[:120], object__iexact=statement.object
    )
    standing = current_facts(user_id, statement.valid_from).filter(same, valid_to=None)
    standing.update(status=Fact.Status.SUPERSEDED, valid_to=statement.valid_from)


def _seen_again(fact: Fact, statement: Statement) -> None:
    if _add_source(fact, statement):
        facts = Fact.objects.filter(user_id=fact.user_id, id=fact.id)
        facts.update(times_seen=F("times_seen") + 1)
        if statement.valid_from < fact.valid_from and fact.status != Fact.Status.REJECTED:
            facts.update(valid_from=statement.valid_from)
            if fact.single_valued:
                settle(fact.user_id, fact.key)


def _add_source(fact: Fact, statement: Statement) -> bool:
    """Whether these words are new evidence: a second reader may cut the same ones differently."""
    start, end = statement.span
    read = FactSource.objects.filter(
        user_id=fact.user_id, fact_id=fact.id, drawer_id=statement.drawer_id
    )
    if read.filter(start__lt=end, end__gt=start).exists():
        return False
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
        _part(fact)
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


def settle(user_id: UUID, key: str) -> None:
    """Give every value of a key the time from its own start to that of the next one.

    Runs inside a transaction that holds the palace lock.
    """
    values = list(_same_key(user_id, key).order_by("valid_from", "id"))
    for fact, following in zip(values, [*values[1:], None], strict=True):
        fact.valid_to = following.valid_from if following else None
        fact.superseded_by_id = following.id if following else None
        fact.status = Fact.Status.SUPERSEDED if following else _last_status(fact)
        fact.save(update_fields=["superseded_by_id", "valid_to", "status"])


def _last_status(fact: Fact) -> str:
    """Active, unless the same statement stands elsewhere, waiting for review or rejected."""
    twins = Fact.objects.filter(
        user_id=fact.user_id, content_hash=fact.content_hash, deleted_at=None
    ).exclude(status=Fact.Status.SUPERSEDED)
    stands = twins.exclude(id=fact.id).exists()
    return Fact.Status.SUPERSEDED if stands else Fact.Status.ACTIVE


def reopen(user_id: UUID, removed: Sequence[UUID]) -> None:
    """Let values hold again that facts which are gone had ended: until the next value, or still.

    Runs inside a transaction that holds the palace lock, after the facts were removed.
    """
    ended = Fact.objects.filter(user_id=user_id, superseded_by_id__in=removed, deleted_at=None)
    for key in sorted(set(ended.values_list("key", flat=True))):
        settle(user_id, key)


def _part(fact: Fact) -> None:
    """When the value that held at the start of `fact` was said again later, let that later time
    begin a fact of its own, so that a statement which arrives late ends nothing said since."""
    holding = _value_at(fact.user_id, fact.key, fact.valid_from)
    since = _said_since(holding, fact.valid_from) if holding else []
    if holding and since:
        sources = FactSource.objects.filter(user_id=fact.user_id, fact_id=holding.id)
        _continue(holding, since, moved=len(since) < sources.count())


def _value_at(user_id: UUID, key: str, at: datetime) -> Fact | None:
    values = _same_key(user_id, key)
    return values.filter(Q(valid_to=None) | Q(valid_to__gt=at), valid_from__lte=at).first()


def _said_since(fact: Fact, at: datetime) -> list[FactSource]:
    sources = FactSource.objects.filter(user_id=fact.user_id, fact_id=fact.id)
    return list(sources.filter(drawer__said_at__gt=at).select_related("drawer").order_by("id"))


def _continue(fact: Fact, sources: Sequence[FactSource], *, moved: bool) -> None:
    """The same fact once more, from the first of these sources on, which it takes over if the
    earlier part has others."""
    facts = Fact.objects.filter(user_id=fact.user_id, id=fact.id)
    facts.update(status=Fact.Status.SUPERSEDED)
    later = facts.get()
    later.id, later.times_seen = uuid7(), len(sources)
    later.valid_from = min(source.drawer.said_at for source in sources)
    later.save(force_insert=True)
    if moved:
        facts.update(times_seen=F("times_seen") - len(sources))
        ids = [source.id for source in sources]
        links = FactSource.objects.filter(user_id=fact.user_id, id__in=ids)
        links.update(fact_id=later.id)
    else:
        FactSource.objects.bulk_create(
            FactSource(
                user_id=fact.user_id,
                fact_id=later.id,
                drawer_id=source.drawer_id,
                start=source.start,
                end=source.end,
            )
            for source in sources
        )
    settle(fact.user_id, fact.key)


def _same_key(user_id: UUID, key: str) -> QuerySet[Fact]:
    return Fact.objects.filter(
        user_id=user_id,
        key=key[:120],
        single_valued=True,
        deleted_at=None,
        status__in=(Fact.Status.ACTIVE, Fact.Status.SUPERSEDED),
    )
