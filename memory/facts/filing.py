"""Files facts: a repeated statement adds a source, another value supersedes the old one.

Nothing is overwritten.
"""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import F
from django.utils.translation import gettext_noop

from memory.facts.conflicts import (
    CONFLICTING_RELATIONSHIP,
    OWNER,
    UNDECIDED,
    conflicting_relationship,
    conflicting_value,
    is_guess_about_known_person,
)
from memory.facts.deduplication import find_duplicate, is_forgotten
from memory.facts.endings import facts_ended_by, store_ending
from memory.facts.queries import with_words
from memory.facts.similarity import (
    NO_VECTORS,
    FactVectors,
    SimilarFact,
    file_vector,
    similar_facts,
    was_compared,
)
from memory.facts.statements import (
    KEY_LIMIT,
    NAME_LIMIT,
    STATEMENT_LIMIT,
    Statement,
    content_hash,
    digest_of,
)
from memory.facts.validity import settle, settle_around
from memory.facts.vocabulary import KINDS, details_of
from memory.models import Drawer, Fact, FactSource
from memory.outgoing import Outgoing
from memory.text.owner_sentences import MAX_WORDS_LENGTH

MAX_CONFIDENCE = {"user": 0.90, "tool": 0.95}
DEFAULT_MAX_CONFIDENCE = 0.70
ASSISTANT = "assistant"
SIMILAR_TO_REJECTED = gettext_noop("It is similar to something you rejected.")


def file_fact(user_id: UUID, statement: Statement, vectors: FactVectors = NO_VECTORS) -> Fact | None:
    """File a statement and return the fact if it is new.

    Returns None if the fact is known (it gains a source, unless an assistant repeats it), if the statement
    ends a fact (which is closed), if its owner deleted the fact, or if it only guesses who a known
    person is. `vectors` may contain the vector of the statement; without it a backfill compares the
    fact later. Call inside a transaction that holds the palace lock.
    """
    if statement.ended:
        _file_ending(user_id, statement)
        return None
    duplicate = find_duplicate(user_id, statement, content_hash(statement))
    if duplicate is not None:
        _add_repetition(duplicate, statement)
        return None
    if is_forgotten(user_id, statement) or is_guess_about_known_person(user_id, statement):
        return None
    return _file_new(user_id, statement, vectors)


def _file_new(user_id: UUID, statement: Statement, vectors: FactVectors) -> Fact | None:
    fact = _fact(user_id, statement)
    similar = similar_facts(fact, vectors)
    if _is_from_assistant(statement) and any(each.is_same and _is_current(each.fact) for each in similar):
        return None
    fact.review_reason = _review_reason(user_id, statement, similar)
    if fact.review_reason:
        existing = _known_by_sentence(fact, statement)
        if existing is not None:
            _add_undated_source(existing, statement)
            return None
        fact.status = Fact.Status.PENDING
    fact.save(force_insert=True)
    _add_source(fact, statement)
    file_vector(fact, vectors, similar)
    if fact.status == Fact.Status.SUPERSEDED:
        settle(user_id, [fact.key])
    fact.refresh_from_db()
    return fact


def _file_ending(user_id: UUID, statement: Statement) -> None:
    if statement.review_reason:
        return
    ending = store_ending(user_id, statement)
    settle_around(user_id, [fact.id for fact in facts_ended_by(user_id, [ending])])


def compare_later(user_id: UUID, fact_ids: Iterable[UUID], vectors: FactVectors) -> None:
    """Store vectors of facts that were filed without them, and link each fact to those it rewords.

    Facts that changed since are left for the next run. Call inside a transaction that holds the palace lock.
    """
    facts = Fact.objects.filter(user_id=user_id, id__in=list(fact_ids), deleted_at=None)
    for fact in facts.order_by("id"):
        similar = () if was_compared(fact) else similar_facts(fact, vectors)
        file_vector(fact, vectors, similar)
        if any(each.is_same for each in similar):
            settle_around(user_id, [fact.id])


def _review_reason(user_id: UUID, statement: Statement, similar: Iterable[SimilarFact]) -> str:
    reasons = [statement.review_reason] if statement.review_reason else []
    if conflicting_value(user_id, statement) is not None:
        reasons.append(UNDECIDED)
    if conflicting_relationship(user_id, statement) is not None:
        reasons.append(CONFLICTING_RELATIONSHIP)
    if any(each.is_same and each.fact.status == Fact.Status.REJECTED for each in similar):
        reasons.append(SIMILAR_TO_REJECTED)
    return " ".join(reasons)[:300]


def _known_by_sentence(fact: Fact, statement: Statement) -> Fact | None:
    """A fact that holds, waits or was rejected and that its owner would read in the same sentence: with the
    same statement, whatever its kind, or as the same quotation from this drawer."""
    facts = Fact.objects.filter(user_id=fact.user_id, deleted_at=None).exclude(status=Fact.Status.SUPERSEDED)
    digests = [digest_of(kind, fact.statement) for kind in {*KINDS, fact.kind}]
    known = facts.filter(content_hash__in=digests).order_by("id").first()
    if known is not None:
        return known
    drawer = Drawer.objects.get(user_id=fact.user_id, id=statement.drawer_id)
    fact.words = Outgoing(fact.user_id).words(drawer.content, *statement.span)[:MAX_WORDS_LENGTH]
    here = FactSource.objects.filter(user_id=fact.user_id, drawer_id=drawer.id)
    others = with_words(fact.user_id, facts.filter(id__in=here.values("fact_id")).order_by("id"))
    return next((each for each in others if each.sentence == fact.sentence), None)


def _is_from_assistant(statement: Statement) -> bool:
    """Whether an assistant made the statement: it may come from memory, so it is no source of a known
    fact."""
    return statement.authority == ASSISTANT


def _is_current(fact: Fact) -> bool:
    return fact.status == Fact.Status.ACTIVE and fact.deleted_at is None


def _add_repetition(fact: Fact, statement: Statement) -> None:
    if _is_from_assistant(statement) or not _add_source(fact, statement):
        return
    facts = Fact.objects.filter(user_id=fact.user_id, id=fact.id)
    facts.update(times_seen=F("times_seen") + 1, archived_at=None)
    if statement.valid_from < fact.valid_from and fact.status != Fact.Status.REJECTED:
        facts.update(valid_from=statement.valid_from)
    if _is_confirmed_by(fact, statement):
        said = FactSource.objects.filter(user_id=fact.user_id, fact_id=fact.id)
        said.update(since=min(statement.valid_from, fact.valid_from))  # ignore the dates of others
        facts.update(
            status=Fact.Status.ACTIVE,
            authority=statement.authority,
            confidence=_confidence(statement),
        )
    settle(fact.user_id, [fact.key])


def _add_undated_source(fact: Fact, statement: Statement) -> None:
    """Add the words as a source of a fact without changing when it holds."""
    if not _is_from_assistant(statement) and _add_source(fact, statement):
        facts = Fact.objects.filter(user_id=fact.user_id, id=fact.id)
        facts.update(times_seen=F("times_seen") + 1)


def _is_confirmed_by(fact: Fact, statement: Statement) -> bool:
    """Whether the owner now clearly states what only others stated, or what was extracted with doubts."""
    return (
        fact.status == Fact.Status.PENDING
        and statement.authority == OWNER
        and not statement.review_reason
        and (fact.authority != OWNER or not _is_disputed(fact))
    )


def _is_disputed(fact: Fact) -> bool:
    return any(
        reason in fact.review_reason for reason in (UNDECIDED, CONFLICTING_RELATIONSHIP, SIMILAR_TO_REJECTED)
    )


def _add_source(fact: Fact, statement: Statement) -> bool:
    """Add a source; False if its words overlap a known one, because re-extraction may cut them
    differently."""
    start, end = statement.span
    known = FactSource.objects.filter(user_id=fact.user_id, fact_id=fact.id, drawer_id=statement.drawer_id)
    if known.filter(start__lt=end, end__gt=start).exists():
        return False
    _, created = FactSource.objects.get_or_create(
        user_id=fact.user_id,
        fact_id=fact.id,
        drawer_id=statement.drawer_id,
        start=start,
        defaults={"end": end, "since": statement.valid_from},
    )
    return created


def _confidence(statement: Statement) -> float:
    return min(statement.confidence, MAX_CONFIDENCE.get(statement.authority, DEFAULT_MAX_CONFIDENCE))


def _fact(user_id: UUID, statement: Statement) -> Fact:
    """The fact, superseded until it is settled, because the same one may already hold."""
    return Fact(
        user_id=user_id,
        kind=statement.kind,
        memory_type=details_of(statement.kind).memory_type,
        key=statement.key[:KEY_LIMIT],
        value=statement.value,
        statement=statement.statement[:STATEMENT_LIMIT],
        predicate=statement.predicate[:KEY_LIMIT],
        object=statement.object,
        single_valued=statement.single_valued,
        event_time=statement.event_time,
        persons=list(statement.persons),
        entities=list(statement.entities),
        location=statement.location,
        topic=statement.topic[:NAME_LIMIT],
        source_kind=statement.source_kind,
        importance=statement.importance,
        confidence=_confidence(statement),
        authority=statement.authority,
        status=Fact.Status.SUPERSEDED,
        valid_from=statement.valid_from,
        ended_at=max(statement.until, statement.valid_from) if statement.until else None,
        content_hash=content_hash(statement),
        mined_by=statement.mined_by,
    )
