"""Files facts: a repeated statement adds a source, another value supersedes the old one.

Nothing is overwritten.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Greatest
from django.utils.translation import gettext_noop

from memory.facts.conflicts import (
    CONFLICTING_RELATIONSHIP,
    OWNER,
    UNDECIDED,
    conflicting_relationship,
    conflicting_value,
    is_nameless_relationship,
    is_unsupported_relationship,
)
from memory.facts.deduplication import find_duplicate, is_forgotten
from memory.facts.endings import fact_named_in_part, facts_ended_by, store_ending
from memory.facts.queries import notes_to_mark, with_words
from memory.facts.similarity import (
    NO_VECTORS,
    FactVectors,
    SimilarFact,
    file_vector,
    similar_facts,
)
from memory.facts.statements import DEFAULT_MAX_CONFIDENCE, MAX_CONFIDENCE, Statement, digest_of
from memory.facts.validity import LESS_CERTAIN, settle, settle_around
from memory.facts.vocabulary import KINDS
from memory.models import Fact, FactSource, FactVector
from memory.outgoing import Outgoing
from memory.text.owner_sentences import MAX_WORDS_LENGTH

ASSISTANT = "assistant"
SIMILAR_TO_REJECTED = gettext_noop("It is similar to something you rejected.")


def file_fact(statement: Statement, vectors: FactVectors = NO_VECTORS) -> Fact | None:
    """File a statement and return the fact if it is new.

    Returns None if the fact is known (it gains a source, unless an assistant repeats it), if the statement
    ends a fact (which is closed; if the ending is doubtful, review asks its owner), if its owner deleted the
    fact, if it only guesses who a known person is, or if it names nobody. `vectors` may contain the vector of
    the statement; without it a backfill compares the fact later. Call inside a transaction that holds the
    palace lock.
    """
    if statement.ended:
        _file_ending(statement)
        return None
    duplicate = find_duplicate(statement)
    if duplicate is not None:
        _add_repetition(duplicate, statement)
        return None
    if is_forgotten(statement) or is_unsupported_relationship(statement):
        return None
    if is_nameless_relationship(statement.fact):
        return None
    return _file_new(statement, vectors)


def _file_new(statement: Statement, vectors: FactVectors) -> Fact | None:
    fact = statement.fact
    fact.confidence = _confidence(fact)
    similar = similar_facts(fact, vectors)
    current = (each.fact for each in similar if each.is_same and each.fact.status == Fact.Status.ACTIVE)
    if fact.authority == ASSISTANT and any(each.deleted_at is None for each in current):
        return None
    fact.review_reason = _review_reason(statement, similar)
    if fact.review_reason:
        existing = _known_by_sentence(statement)
        if existing is not None:
            if _add_source(existing, statement):  # its dates stay
                facts = Fact.objects.filter(user_id=existing.user_id, id=existing.id)
                facts.update(times_seen=F("times_seen") + 1)
            return None
        fact.status = Fact.Status.PENDING
    fact.save(force_insert=True)
    _add_source(fact, statement)
    file_vector(fact, vectors, similar)
    if fact.status == Fact.Status.SUPERSEDED:
        settle(fact.user_id, [fact.key])
    fact.refresh_from_db()
    return fact


def _file_ending(statement: Statement) -> None:
    if statement.fact.review_reason and statement.fact.authority == ASSISTANT:
        return
    user_id, ending = statement.fact.user_id, store_ending(statement)
    named = facts_ended_by(user_id, [ending]) if ending else []
    if ending and not named and (fuller := fact_named_in_part(statement.fact)):
        ending = store_ending(replace(statement, fact=_doubtful_end_of(fuller, statement.fact.valid_from)))
        named = [fuller] if ending else []
    settle_around(user_id, [fact.id for fact in named])


def _doubtful_end_of(fact: Fact, at: datetime) -> Fact:
    """What may end a fact that was named in part ("I sold my car")."""
    names = {name: getattr(fact, name) for name in ("user_id", "key", "predicate", "value", "object")}
    return Fact(**names, single_valued=fact.single_valued, valid_from=at, review_reason=UNDECIDED)


def compare_later(user_id: UUID, fact_ids: Iterable[UUID], vectors: FactVectors) -> None:
    """Store vectors of facts that were filed without them, and link each fact to those it rewords.

    Facts that changed since are left for the next run. Call inside a transaction that holds the palace lock.
    """
    facts = Fact.objects.filter(user_id=user_id, id__in=list(fact_ids), deleted_at=None)
    for fact in facts.order_by("id"):
        was_compared = FactVector.objects.filter(user_id=user_id, fact_id=fact.id).exists()
        similar = () if was_compared else similar_facts(fact, vectors)
        file_vector(fact, vectors, similar)
        if any(each.is_same for each in similar):
            settle_around(user_id, [fact.id])


def _review_reason(statement: Statement, similar: Iterable[SimilarFact]) -> str:
    reasons = [statement.fact.review_reason] if statement.fact.review_reason else []
    if conflicting_value(statement) is not None:
        reasons.append(UNDECIDED)
    if conflicting_relationship(statement.fact) is not None:
        reasons.append(CONFLICTING_RELATIONSHIP)
    if any(each.is_same and each.fact.status == Fact.Status.REJECTED for each in similar):
        reasons.append(SIMILAR_TO_REJECTED)
    return " ".join(reasons)[:300]


def _known_by_sentence(statement: Statement) -> Fact | None:
    """A fact that holds, waits or was rejected and that its owner would read in the same sentence: with the
    same statement, whatever its kind, or as the same quotation from this drawer."""
    fact = statement.fact
    facts = Fact.objects.filter(user_id=fact.user_id, deleted_at=None).exclude(status=Fact.Status.SUPERSEDED)
    digests = [digest_of(kind, fact.statement) for kind in {*KINDS, fact.kind}]
    known = facts.filter(content_hash__in=digests).order_by("id").first()
    if known is not None:
        return known
    fact.words = Outgoing(fact.user_id).words(statement.drawer.content, *statement.span)[:MAX_WORDS_LENGTH]
    here = FactSource.objects.filter(user_id=fact.user_id, drawer_id=statement.drawer.id)
    others = with_words(fact.user_id, facts.filter(id__in=here.values("fact_id")).order_by("id"))
    return next((each for each in others if each.sentence == fact.sentence), None)


def _add_repetition(fact: Fact, statement: Statement) -> None:
    new = statement.fact
    if not _add_source(fact, statement):
        return
    facts = Fact.objects.filter(user_id=fact.user_id, id=fact.id)
    fact.sources.filter(confidence=None).update(confidence=fact.confidence)  # older ones have none
    facts.update(times_seen=F("times_seen") + 1, archived_at=None)
    if new.authority == fact.authority:
        facts.update(confidence=Greatest("confidence", _confidence(new)))
    if new.valid_from < fact.valid_from and fact.status != Fact.Status.REJECTED:
        facts.update(valid_from=new.valid_from)
    if _is_confirmed_by(fact, new):
        others = fact.sources.exclude(drawer_id=statement.drawer.id)
        others.update(since=min(new.valid_from, fact.valid_from))  # ignore the dates of others
        facts.update(status=Fact.Status.ACTIVE, authority=new.authority, confidence=_confidence(new))
        notes_to_mark(fact.user_id, [fact.id], sensitive=False).update(sensitive=False)
    settle(fact.user_id, [fact.key])


def _is_confirmed_by(fact: Fact, new: Fact) -> bool:
    """Whether the owner now clearly states what only others stated, or what was extracted with doubts."""
    disputes = (UNDECIDED, LESS_CERTAIN, CONFLICTING_RELATIONSHIP, SIMILAR_TO_REJECTED)
    is_disputed = fact.authority == OWNER and any(reason in fact.review_reason for reason in disputes)
    is_clear = new.authority == OWNER and not new.review_reason
    return fact.status == Fact.Status.PENDING and is_clear and not is_disputed


def _add_source(fact: Fact, statement: Statement) -> bool:
    """Add a source to a fact, known or new; False if its words overlap a known one, because re-extraction may
    cut them differently, or if an assistant repeats a known fact, perhaps from memory."""
    start, end = statement.span
    if statement.fact.authority == ASSISTANT and fact is not statement.fact:
        return False
    if fact.sources.filter(drawer_id=statement.drawer.id, start__lt=end, end__gt=start).exists():
        return False
    _, created = FactSource.objects.get_or_create(
        user_id=fact.user_id,
        fact_id=fact.id,
        drawer_id=statement.drawer.id,
        start=start,
        defaults={
            "end": end,
            "since": statement.fact.valid_from,
            "confidence": _confidence(statement.fact),
        },
    )
    return created


def _confidence(fact: Fact) -> float:
    return min(fact.confidence, MAX_CONFIDENCE.get(fact.authority, DEFAULT_MAX_CONFIDENCE))
