"""When each fact holds, computed from its remaining sources.

Every statement of a fact is a claim, and every "no longer" ends one; `memory.graph.intervals` turns them into
windows. A window becomes one or more rows: a reworded fact takes over from the earlier wording, and a fact
that is stated again after its end continues as a new row. Whoever changes facts, sources or endings then
settles the affected facts, inside a transaction that holds the palace lock. Nothing else writes `valid_to`.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_noop
from uuid_utils.compat import uuid7

from memory.facts.endings import ask_about, endings_in, endings_of, facts_ended_by
from memory.facts.owner_relations import project
from memory.facts.similarity import copy_vectors
from memory.facts.statements import KEY_LIMIT, plain
from memory.graph.intervals import CLEAR_MARGIN, Claim, Window, windows
from memory.models import Drawer, Fact, FactEnding, FactLink, FactSource, held_at

CORRECTION_PERIOD = timedelta(days=31)
"""How long before "it ended in May" what contradicts it was said, if that is what is wrong."""
HOLDS_OR_HELD = (Fact.Status.ACTIVE, Fact.Status.SUPERSEDED)
LESS_CERTAIN = gettext_noop("It contradicts a fact that is more certain.")
"""Why a value waits for review that settling found too uncertain to end the one that holds."""
OWNER_CERTAINTY, GUESS_CERTAINTY = 0.9, 0.7


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The evidence of a claim: a source of a fact, or the fact itself for its own start; and the drawer of
    the source or, for the start, of the first one."""

    fact: Fact
    source: FactSource | None = None
    drawer_id: UUID | None = None


class _Said(NamedTuple):
    """When a source says that a fact began, and when and by whom it was said."""

    fact_id: UUID
    since: datetime
    said_at: datetime
    by_owner: bool


@dataclass(slots=True, eq=False)
class _Segment:
    """The part of a window that one row covers: `fact` itself, or a copy of it if `repeats`. A `doubtful` one
    waits for review."""

    fact: Fact
    start: datetime
    repeats: bool
    sources: list[FactSource] = field(default_factory=list)
    end: datetime | None = None
    next: "_Segment | None" = None
    doubtful: bool = False


def settle(user_id: UUID, keys: Iterable[str]) -> None:
    """Recompute the windows of all facts of these keys, and the owner's relations derived from them."""
    facts, links = _read(user_id, {key[:KEY_LIMIT] for key in keys})
    _release(facts)
    valid = [fact for fact in facts if _has_validity(fact)]
    endings = endings_of(user_id, valid)
    segments = _segments(_claims(user_id, valid, _values(valid, links), endings))
    repeated = [_store_repetition(each) for each in segments if each.repeats]
    _write(valid, segments)
    ask_about(user_id, endings_of(user_id, [*valid, *repeated]) if repeated else endings)
    project(user_id, [*facts, *repeated])


def settle_around(user_id: UUID, fact_ids: Iterable[UUID]) -> None:
    """Settle the keys of these facts and of their rewordings, whatever their status."""
    ids = set(fact_ids)
    linked = _same(user_id).filter(Q(fact_id__in=ids) | Q(other_id__in=ids))
    ids.update(each for pair in linked.values_list("fact_id", "other_id") for each in pair)
    settle(user_id, Fact.objects.filter(user_id=user_id, id__in=ids).values_list("key", flat=True))


def settle_drawers(user_id: UUID, drawer_ids: Collection[UUID]) -> None:
    """Settle the facts that these drawers support, after the drawers were removed or restored.

    A fact that began with one of its sources now begins with the first remaining one, and is as certain as
    the surest; one whose owner chose another start keeps it, and one that they decided about stays as
    certain.
    """
    sources = FactSource.objects.filter(user_id=user_id, drawer_id__in=drawer_ids)
    facts = Fact.objects.filter(user_id=user_id, id__in=sources.values("fact_id"), merged_into_id=None)
    for fact in facts.filter(deleted_at=None).exclude(status=Fact.Status.REJECTED).order_by("id"):
        _restart(fact)
        _reassess(fact)
    ended = facts_ended_by(user_id, endings_in(user_id, list(drawer_ids)))
    settle_around(user_id, [*facts.values_list("id", flat=True), *(fact.id for fact in ended)])


def settle_without(user_id: UUID, removed: Collection[UUID]) -> None:
    """Settle facts that were superseded by removed ones, so that they hold again."""
    ended = Fact.objects.filter(user_id=user_id, superseded_by_id__in=removed, deleted_at=None)
    settle_around(user_id, [*ended.values_list("id", flat=True), *removed])


def drop_endings(user_id: UUID, endings: QuerySet[FactEnding]) -> None:
    """Delete endings; facts they ended hold again."""
    ended = [fact.id for fact in facts_ended_by(user_id, endings)]
    endings.delete()
    settle_around(user_id, ended)


def values_of(user_id: UUID, key: str) -> QuerySet[Fact]:
    """All current and past values of a single-valued key."""
    facts = Fact.objects.filter(user_id=user_id, key=key[:KEY_LIMIT], single_valued=True)
    return facts.filter(deleted_at=None, merged_into_id=None, status__in=HOLDS_OR_HELD)


def value_at(user_id: UUID, key: str, at: datetime) -> Fact | None:
    """The value a single-valued key had at a moment."""
    return values_of(user_id, key).filter(held_at(at)).first()


def is_less_certain(new: Fact, holding: Fact) -> bool:
    """Whether a value is clearly less certain than one that holds, so that it cannot end it."""
    return certainty(holding) - certainty(new) > CLEAR_MARGIN


def certainty(fact: Fact, source: FactSource | None = None) -> float:
    """How certain a fact is, or a source makes it; one that its owner approved is at least as certain as what
    they state, and what others said is no more than a guess."""
    if fact.review_reason:
        return max(fact.confidence, OWNER_CERTAINTY)
    if fact.authority != Drawer.Role.USER:
        return min(fact.confidence, GUESS_CERTAINTY)
    stated = source.confidence if source and fact.version == 1 else None
    return fact.confidence if stated is None else stated


def is_stated_after(fact: Fact, at: datetime) -> bool:
    """Whether any source states the fact for a later moment."""
    return fact.sources.filter(Q(drawer__said_at__gt=at) | Q(since__gt=at)).exists()


def same_statement(fact: Fact) -> QuerySet[Fact]:
    """The other fact with the same statement that holds, waits for review or was rejected, if any."""
    facts = Fact.objects.filter(user_id=fact.user_id, content_hash=bytes(fact.content_hash), deleted_at=None)
    return facts.exclude(status=Fact.Status.SUPERSEDED).exclude(id=fact.id)


def copy_sources(sources: Iterable[FactSource], fact_id: UUID) -> list[FactSource]:
    """Copy sources to another fact; returns the new ones."""
    return FactSource.objects.bulk_create(
        FactSource(
            user_id=source.user_id,
            fact_id=fact_id,
            drawer_id=source.drawer_id,
            start=source.start,
            end=source.end,
            since=source.since,
            confidence=source.confidence,
        )
        for source in sources
    )


def _read(user_id: UUID, keys: set[str]) -> tuple[list[Fact], list[tuple[UUID, UUID]]]:
    """The facts of these keys, of all keys linked to them by rewordings, and the pairs that reword each
    other.

    Excludes the trash.
    """
    known: set[str] = set()
    facts: list[Fact] = []
    links: list[tuple[UUID, UUID]] = []
    while keys - known:
        known |= keys
        rows = Fact.objects.filter(Q(deleted_at=None) | Q(deletion_id=None), user_id=user_id, key__in=known)
        facts = list(rows.order_by("valid_from", "id"))
        ids = {fact.id for fact in facts}
        linked = _same(user_id).filter(Q(fact_id__in=ids) | Q(other_id__in=ids))
        links = list(linked.values_list("fact_id", "other_id"))
        others = {each for link in links for each in link} - ids
        if others:
            reworded = Fact.objects.filter(user_id=user_id, id__in=others, deleted_at=None)
            keys = keys | set(reworded.values_list("key", flat=True))
    return facts, links


def _release(facts: Iterable[Fact]) -> None:
    """Let values that wait because others were more certain take part again."""
    for fact in facts:
        if is_outweighed(fact):
            fact.status, fact.review_reason = Fact.Status.SUPERSEDED, ""
            fact.save(update_fields=["status", "review_reason"])


def is_outweighed(fact: Fact) -> bool:
    """Whether a value waits only because another one is more certain."""
    is_live = fact.deleted_at is None and fact.merged_into_id is None
    return is_live and fact.status == Fact.Status.PENDING and fact.review_reason == LESS_CERTAIN


def _has_validity(fact: Fact) -> bool:
    return fact.deleted_at is None and fact.merged_into_id is None and fact.status in HOLDS_OR_HELD


def _same(user_id: UUID) -> QuerySet[FactLink]:
    return FactLink.objects.filter(user_id=user_id, kind=FactLink.Kind.SAME)


def _values(facts: Sequence[Fact], links: Iterable[tuple[UUID, UUID]]) -> dict[UUID, Hashable]:
    """An identifier of the value of each fact: the words of a single value, else the statement; facts that
    reword each other share one."""
    own: dict[UUID, Hashable] = {
        fact.id: (fact.key, plain(fact.value)) if fact.single_valued else bytes(fact.content_hash)
        for fact in facts
    }
    parents: dict[Hashable, Hashable] = {}

    def root(value: Hashable) -> Hashable:
        while value in parents:
            value = parents[value]
        return value

    for one, other in sorted(links):
        if one in own and other in own and root(own[one]) != root(own[other]):
            parents[root(own[other])] = root(own[one])
    return {fact_id: root(value) for fact_id, value in own.items()}


def _claims(
    user_id: UUID,
    facts: Sequence[Fact],
    values: Mapping[UUID, Hashable],
    endings: Iterable[tuple[FactEnding, Fact]],
) -> list[Claim[_Evidence]]:
    """All claims about these facts in order of time.

    At the same instant, repetitions come first and endings last; of several new values, that of the last
    message wins, and of one message the most certain.
    """
    claims, said = _statements(user_id, facts, values)
    certain = [pair for pair in endings if not pair[0].doubtful]
    drawers = Drawer.objects.filter(user_id=user_id, id__in={ending.drawer_id for ending, _ in certain})
    said_at = dict(drawers.values_list("id", "said_at")) if certain else {}
    over = [(values[fact.id], ending.at, said_at[ending.drawer_id]) for ending, fact in certain]
    claims = _without_denied(claims, said, over)
    for ending, fact in certain:
        is_dated = ending.at < said_at[ending.drawer_id]
        claims.append(Claim(values[fact.id], ending.at, _Evidence(fact), ends=True, firm=is_dated))

    def order(claim: Claim[_Evidence]) -> tuple[object, ...]:
        evidence = claim.evidence
        message = evidence.drawer_id or evidence.fact.id
        return claim.at, claim.ends, evidence.source is None, message, claim.certainty, evidence.fact.id

    return sorted(claims, key=order)


def _statements(
    user_id: UUID, facts: Sequence[Fact], values: Mapping[UUID, Hashable]
) -> tuple[list[Claim[_Evidence]], list[_Said]]:
    """The claims of these facts and of their later sources, and when each source was said."""
    by_id = {fact.id: fact for fact in facts}
    sources = FactSource.objects.filter(user_id=user_id, fact_id__in=list(by_id), drawer__deleted_at=None)
    sources = sources.annotate(said_at=F("drawer__said_at"), role=F("drawer__role")).order_by("id")
    drawer_of = {source.fact_id: source.drawer_id for source in reversed(sources)}
    names = {fact.id: plain(fact.value) for fact in facts} | _places_together(facts, drawer_of)
    starts: dict[UUID, float] = {}
    claims, said = [], []
    for source in sources:
        fact, since = by_id[source.fact_id], source.since or source.said_at
        if since <= fact.valid_from:
            starts[fact.id] = max(starts.get(fact.id, 0), certainty(fact, source))
        elif fact.ended_at is None:
            certain = certainty(fact, source)
            claims.append(_claim(_Evidence(fact, source, source.drawer_id), since, certain, values, names))
        if fact.ended_at is None:
            said.append(_Said(fact.id, since, source.said_at, source.role == Drawer.Role.USER))
    for fact in facts:
        certain = starts.get(fact.id, certainty(fact))
        claims.append(
            _claim(_Evidence(fact, None, drawer_of.get(fact.id)), fact.valid_from, certain, values, names)
        )
    return claims, said


def _places_together(facts: Iterable[Fact], drawer_of: Mapping[UUID, UUID]) -> dict[UUID, Hashable]:
    """A common name for places that one message gives for one moment, about as certainly: most likely, one
    lies in the other ("Ruzafa", "Valencia")."""
    together: dict[Hashable, list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.single_valued and fact.location and fact.id in drawer_of:
            together[fact.key, fact.valid_from, drawer_of[fact.id]].append(fact)
    likely = (
        (name, fact)
        for name, several in together.items()
        for fact in several
        if not is_less_certain(fact, max(several, key=certainty))
    )
    return {fact.id: name for name, fact in likely if together[name][1:]}


def _without_denied(
    claims: Sequence[Claim[_Evidence]],
    said: Iterable[_Said],
    over: Iterable[tuple[Hashable, datetime, datetime]],
) -> list[Claim[_Evidence]]:
    """The claims without those that a later message denies; the first one of a value becomes a moment.

    "At Lidl since May", said in July, denies "at Amazon", said in June, unless that names its own start. So
    does "I left Amazon in May": `over` has the values that ended, when, and when that was said.
    """
    exclusive = {claim.evidence.fact.id: claim for claim in claims if claim.exclusive}
    first = {claim.value: claim for claim in sorted(claims, key=lambda claim: claim.at, reverse=True)}
    undated = {(each.fact_id, each.since) for each in said if each.since >= each.said_at}
    periods: dict[Hashable, list[tuple[Hashable, datetime, datetime]]] = defaultdict(list)
    for each in said:
        if each.by_owner and each.since < each.said_at and (stated := exclusive.get(each.fact_id)):
            since = max(each.since, stated.evidence.fact.valid_from)
            periods[stated.track].append((stated.value, since, each.said_at))
    ended: dict[Hashable, list[tuple[datetime, datetime]]] = defaultdict(list)
    for value, at, said_at in over:
        ended[value].append((max(at, said_at - CORRECTION_PERIOD), said_at))

    def is_denied(claim: Claim[_Evidence]) -> bool:
        others = periods[claim.track] if claim.exclusive else ()
        spans = [(since, said_at) for value, since, said_at in others if value != claim.value]
        is_undated = (claim.evidence.fact.id, claim.at) in undated
        return is_undated and any(since < claim.at < at for since, at in (*spans, *ended[claim.value]))

    denied = {claim for claim in claims if is_denied(claim)}
    moments = [replace(claim, until=claim.at) for claim in denied if first[claim.value] is claim]
    return [*(claim for claim in claims if claim not in denied), *moments]


def _claim(
    evidence: _Evidence,
    at: datetime,
    certainty: float,
    values: Mapping[UUID, Hashable],
    names: Mapping[UUID, Hashable],
) -> Claim[_Evidence]:
    fact = evidence.fact
    return Claim(
        value=values[fact.id],
        name=names[fact.id],
        at=at,
        until=fact.ended_at,
        exclusive=fact.single_valued,
        track=fact.key,
        evidence=evidence,
        certainty=certainty,
    )


def _segments(claims: Iterable[Claim[_Evidence]]) -> list[_Segment]:
    """The rows to write, in order of their starts, each with its end and successor."""
    by_claim: dict[Claim[_Evidence], _Segment] = {}
    by_window = [(window, _split(window, by_claim)) for window in windows(claims)]
    until = {window.value: window.start for window, _ in by_window if not window.doubtful}  # in order of time
    for window, segments in by_window:
        for one, other in pairwise(segments):
            one.end, one.next = other.start, other
        segments[-1].end = window.end
        segments[0].doubtful = window.doubtful and until.get(window.value, window.start) <= window.start
        segments[-1].next = by_claim.get(window.displaced_by) if window.displaced_by else None
        for each in segments:
            _cap_end(each)
    every = [each for _, segments in by_window for each in segments]
    return [each for each in every if not (each.repeats and each.end == each.start)]


def _split(window: Window[_Evidence], by_claim: dict[Claim[_Evidence], _Segment]) -> list[_Segment]:
    """Split a window where another fact, or another wording of it, takes over."""
    segments: list[_Segment] = []
    for claim in window.claims:
        evidence, current = claim.evidence, segments[-1] if segments else None
        if current is None or _begins_row(claim, current):
            current = _Segment(evidence.fact, claim.at, repeats=evidence.source is not None)
            segments.append(current)
        elif evidence.source is None:
            current.fact, current.repeats = evidence.fact, False
        if evidence.source is not None and current.repeats:
            current.sources.append(evidence.source)
        by_claim[claim] = current
    return segments


def _begins_row(claim: Claim[_Evidence], current: _Segment) -> bool:
    """Whether a claim begins a new row.

    A fact that begins where a repetition would need a new row already is that row.
    """
    fact, source = claim.evidence.fact, claim.evidence.source
    is_same = bytes(fact.content_hash) == bytes(current.fact.content_hash)
    if source is None:
        return not (current.repeats and is_same and claim.at == current.start)
    has_ended = current.fact.ended_at is not None and current.fact.ended_at <= claim.at
    return has_ended or not is_same


def _cap_end(segment: _Segment) -> None:
    """Cap a row at the end that its own words state."""
    ended_at = segment.fact.ended_at
    if ended_at is not None and not segment.repeats:
        cap = max(ended_at, segment.start)
        if segment.end is None or cap < segment.end:
            segment.end, segment.next = cap, None


def _store_repetition(segment: _Segment) -> Fact:
    """Store a copy of the fact that begins with the segment, and move the sources of the segment to it.

    They are copied instead if the earlier row would be left without any.
    """
    fact = segment.fact
    facts = Fact.objects.filter(user_id=fact.user_id, id=fact.id)
    facts.update(status=Fact.Status.SUPERSEDED)
    fact.status = Fact.Status.SUPERSEDED
    later = facts.get()
    later.id, later.version, later.times_seen = uuid7(), 1, len(segment.sources)
    later.valid_from = segment.start
    later.save(force_insert=True)
    copy_vectors(fact, later.id)
    moving = [source.id for source in segment.sources]
    if fact.sources.filter(drawer__deleted_at=None).exclude(id__in=moving).exists():
        facts.update(times_seen=F("times_seen") - len(moving))
        fact.sources.filter(id__in=moving).update(fact_id=later.id)
    else:
        copy_sources(segment.sources, later.id)
    segment.fact, segment.repeats = later, False
    return later


def _write(facts: Iterable[Fact], segments: Sequence[_Segment]) -> None:
    """Store the validity of each row, ended ones first, so that no statement is active twice."""
    rows = {each.fact.id: each for each in segments}
    for fact in facts:
        rows.setdefault(fact.id, _Segment(fact, fact.valid_from, repeats=False, end=fact.valid_from))
    for segment in sorted(rows.values(), key=lambda each: (each.doubtful, each.end is None)):
        if segment.doubtful and not same_statement(segment.fact).exists():
            segment.fact.status, segment.fact.review_reason = Fact.Status.PENDING, LESS_CERTAIN
            segment.fact.valid_to = segment.fact.superseded_by_id = None
            segment.fact.save(update_fields=["superseded_by_id", "valid_to", "status", "review_reason"])
        else:
            _end(segment.fact, segment.end, _successor(segment))


def _successor(segment: _Segment) -> UUID | None:
    following = segment.next
    while following is not None and following.repeats:
        following = following.next
    return following.fact.id if following else None


def _end(fact: Fact, end: datetime | None, successor: UUID | None) -> None:
    status = Fact.Status.SUPERSEDED if end else _open_status(fact)
    found = (end, successor, status)
    if found != (fact.valid_to, fact.superseded_by_id, fact.status):
        fact.valid_to, fact.superseded_by_id, fact.status = found
        fact.save(update_fields=["superseded_by_id", "valid_to", "status"])


def _open_status(fact: Fact) -> str:
    """Active, unless the same statement exists elsewhere, waiting for review or rejected."""
    if fact.status == Fact.Status.ACTIVE:
        return fact.status
    return Fact.Status.SUPERSEDED if same_statement(fact).exists() else Fact.Status.ACTIVE


def _restart(fact: Fact) -> None:
    """Move the start of a fact that began with one of its sources to its first remaining source."""
    moments = fact.sources.values_list(Coalesce("since", "drawer__said_at"), "drawer__deleted_at")
    starts = [at for at, deleted_at in moments if deleted_at is None]
    if starts and fact.valid_from in {at for at, _ in moments} and fact.valid_from != min(starts):
        Fact.objects.filter(user_id=fact.user_id, id=fact.id).update(valid_from=min(starts))


def _reassess(fact: Fact) -> None:
    """Make a fact that its owner has not decided about as certain as its surest remaining source."""
    sources = fact.sources.filter(drawer__deleted_at=None)
    if fact.version > 1 or sources.filter(confidence=None).exists():
        return
    stated: list[float] = [each for each in sources.values_list("confidence", flat=True) if each is not None]
    if stated:
        Fact.objects.filter(user_id=fact.user_id, id=fact.id).update(confidence=max(stated))
