"""Recall traces as their owner reads them."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Literal, NamedTuple
from uuid import UUID

from django.db.models import BooleanField, Func, IntegerField, QuerySet, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce, Left, NullIf
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.owned import first_or_raise
from memory.aaak import Pointer
from memory.facts.queries import with_words
from memory.models import Drawer, Entity, Fact, RecallTrace
from memory.outgoing import MARGIN, Outgoing
from memory.paging import Page, paginate
from memory.recall.reasons import Signal, signal
from memory.recall.weights import KNOWN, WORDS_SUPPORT

STRONG, GOOD = 0.9, 0.6
FACTS_SUPPORT = 0.75
"""The weight of a certain fact relative to similarity: enough for a good match, never for a strong one."""
Match = Literal["strong", "good", "weak"]
Shown = dict[str, Any]
"""A stored trace or a part of it, as JSON or for a template."""


class Bar(NamedTuple):
    """A signal's share of a drawer's score in whole percent, and whether it counts `against` the drawer."""

    key: str
    signal: Signal
    percent: int
    against: bool


class Lead(NamedTuple):
    """A fact or entity that led to a drawer; `is_fact` says which.

    `state` is the status of a fact that is no longer active, else empty; `until` is when it ended.
    """

    id: UUID
    words: str
    is_fact: bool
    state: str = ""
    until: datetime | None = None


class Explanation(NamedTuple):
    """Why a drawer was recalled: a `reason` in a sentence, how well it matches, its signals, and the facts
    and entities that led to it."""

    reason: str
    match: Match
    bars: tuple[Bar, ...] = ()
    understood: tuple[Lead, ...] = ()


def explain_hits(user_id: UUID, hits: Iterable[Mapping[str, Any]]) -> tuple[Explanation, ...]:
    """Explain each stored hit, in order."""
    rows = list(hits)
    known = _leads(user_id, {key for row in rows for key in _lead_ids(row)})
    return tuple(
        Explanation(
            row["reason"],
            match_of(row.get("scores", {})),
            bars(row),
            tuple(known[key] for key in dict.fromkeys(_lead_ids(row)) if key in known),
        )
        for row in rows
    )


def match_of(scores: Mapping[str, float]) -> Match:
    """Classify a hit or candidate by its own scores. The order of hits also counts their dates and rooms."""
    similarity, coverage = scores.get("similarity", 0.0), scores.get("coverage", 0.0)
    known = max(scores.get(name, 0.0) for name in KNOWN)
    best = max(similarity + WORDS_SUPPORT * coverage, coverage, FACTS_SUPPORT * known)
    if best >= STRONG or "pointer" in scores:
        return "strong"
    return "good" if best >= GOOD else "weak"


def bars(row: Mapping[str, Any]) -> tuple[Bar, ...]:
    """The signals of a stored hit or candidate, strongest first. Percentages are whole numbers; the positive
    ones add up to 100."""
    given: Mapping[str, float] = row.get("shares", {})
    ordered = sorted(given, key=lambda key: (-given[key], key))
    percents = _whole_percentages({key: given[key] for key in ordered if given[key] > 0})
    penalties = {key: round(100 * given[key]) for key in ordered if given[key] < 0}
    shown = {key: percent for key, percent in (percents | penalties).items() if percent}
    return tuple(Bar(key, signal(key), abs(percent), percent < 0) for key, percent in shown.items())


def _whole_percentages(given: Mapping[str, float]) -> dict[str, int]:
    """Shares as whole percentages that add up to 100 (largest remainder method)."""
    exact = {key: 100 * share for key, share in given.items()}
    found = {key: int(share) for key, share in exact.items()}
    cut = sorted(exact, key=lambda key: found[key] - exact[key])
    for key in cut[: 100 - sum(found.values()) if found else 0]:
        found[key] += 1
    return found


def legend(rows: Iterable[Iterable[Bar]]) -> tuple[Signal, ...]:
    """The signals that appear in these bars, each once."""
    found = {bar.key: bar.signal for row in rows for bar in row}
    return tuple(found.values())


def _lead_ids(row: Mapping[str, Any]) -> Iterable[UUID]:
    return (UUID(key) for ids in row.get("retrievers", {}).values() for key in ids)


def _leads(user_id: UUID, ids: set[UUID]) -> dict[UUID, Lead]:
    if not ids:
        return {}
    facts = with_words(user_id, Fact.objects.filter(user_id=user_id, id__in=ids, deleted_at=None))
    entities = Entity.objects.filter(user_id=user_id, id__in=ids)
    return {
        **{fact.id: _fact(fact) for fact in facts},
        **{key: Lead(key, name, False) for key, name in entities.values_list("id", "name")},
    }


def _fact(fact: Fact) -> Lead:
    is_active = fact.status == Fact.Status.ACTIVE
    state = "" if is_active else str(fact.get_status_display())
    return Lead(fact.id, fact.sentence, is_fact=True, state=state, until=fact.valid_to)


SHOWN_CHARACTERS = 120

RETRIEVERS: Mapping[str, str | Promise] = {
    "embedding": _("Embedding your message"),
    "vectors": _("By meaning"),
    "words": _("By words"),
    "pointers": _("By pointer"),
    "rescoring": _("Similarity check of other matches"),
    "known_facts": _("By known facts"),
    "skills": _("By skills"),
    "unfiled": _("In chats that are not filed yet"),
    "feedback": _("What you marked as not relevant"),
    "sentences": _("Sentences"),
}
"""The names of retrievers, in the order in which they are listed."""
STAGES: Mapping[str, str | Promise] = {
    "floor": _("Nothing similar enough"),
    "threshold": _("Not similar enough"),
    "echo": _("Repeated question"),
    "copy": _("Same words as another"),
    "top_k": _("Over the limit"),
    "budget": _("Over the token budget"),
}


def stored_trace(readable: QuerySet[RecallTrace], trace_id: UUID) -> RecallTrace:
    """One of the readable traces. Raises NotFound."""
    return first_or_raise(readable.filter(id=trace_id))


def trace_of(readable: QuerySet[RecallTrace], trace_id: UUID) -> Shown:
    """A stored trace, with the drawers as they are now. Raises NotFound."""
    row = stored_trace(readable, trace_id)
    return trace_view(row.user_id, row.trace, row.hits) | {"at": row.at, "source": row.get_source_display()}


def trace_view(user_id: UUID, trace: Shown, hits: Iterable[Shown]) -> Shown:
    """A stored trace and its hits, for `memory/_trace.html`: how it was searched, what was `considered`, and
    how many `more` drawers were found."""
    considered = _candidates(user_id, trace, {hit["drawer_id"]: hit.get("reason", "") for hit in hits})
    runs = trace.get("retrievers", {})
    return {
        "searched": trace["decision"]["search"],
        "reason": trace["decision"]["reason"],
        "query": trace["query"] and trace["query"] | _days(trace["query"].get("span")),
        "retrievers": [_run(name, runs[name]) for name in RETRIEVERS if name in runs],
        "timings": trace["timings"],
        "failures": [failure["words"] for failure in trace["degraded"]],
        "considered": considered,
        "more": max(0, trace.get("found", 0) - len(considered)),
        "profile_tokens": trace.get("profile_tokens", 0),
        "left_out": _by_reason(considered),
    }


def _days(span: Shown | None) -> Shown:
    """The `first` and `last` day that a message names."""
    if not span:
        return {}
    last = date.fromisoformat(span["end"]) - timedelta(days=1)
    return {"first": date.fromisoformat(span["start"]), "last": last}


def _run(name: str, run: Shown) -> Shown:
    """A retriever, how many drawers it found (None for a preparation), and how long it took."""
    found = None if name == "embedding" else run["found"]
    return {**run, "name": RETRIEVERS[name], "found": found}


def _candidates(user_id: UUID, trace: Shown, recalled: Mapping[str, str]) -> list[Shown]:
    """What was found: each drawer's pointer, role and first words (empty if forgotten since), its signals,
    why it was `used`, or if it was left out, at which stage and why; also its `similarity` if that is below
    the `minimum`. `unfiled_in` is the chat of a message without a drawer."""
    cuts = {cut["drawer_id"]: cut for cut in trace["cut"]}
    found = trace["considered"]
    drawers = _drawers(user_id, [candidate["drawer_id"] for candidate in found])
    return [
        _candidate(row, drawers.get(UUID(row["drawer_id"])), cuts.get(row["drawer_id"], {}))
        | {"recalled": row["drawer_id"] in recalled, "used": recalled.get(row["drawer_id"], "")}
        for row in found
    ]


def _candidate(row: Shown, drawer: Shown | None, cut: Shown) -> Shown:
    return {
        "drawer_id": UUID(row["drawer_id"]),
        **(drawer or {"pointer": "", "role": "", "words": ""}),
        "match": match_of(row.get("scores", {})),
        "bars": bars(row),
        "stage": STAGES.get(cut.get("stage", ""), ""),
        "left_out": cut.get("why", ""),
        "similarity": cut.get("similarity"),
        "minimum": cut.get("minimum"),
        "unfiled_in": None if drawer else row.get("unfiled_in"),
    }


def _by_reason(considered: Iterable[Shown]) -> dict[str, list[Shown]]:
    groups: dict[str, list[Shown]] = {}
    for each in considered:
        if each["left_out"] and each["pointer"] and not each["recalled"]:
            groups.setdefault(each["left_out"], []).append(each)
    return groups


def _drawers(user_id: UUID, ids: list[str]) -> dict[UUID, Shown]:
    rows = Drawer.objects.live().filter(user_id=user_id, id__in=ids)
    pointer = ("pointer_wing", "pointer_room", "pointer_drawer")
    named = rows.values("id", "role", *pointer, words=Left("content", SHOWN_CHARACTERS + 1 + MARGIN))
    out = Outgoing(user_id)
    return {
        row["id"]: {
            "pointer": str(Pointer(*(row[part] for part in pointer))),
            "role": row["role"],
            "words": out.words(row["words"])[: SHOWN_CHARACTERS + 1],
        }
        for row in named
    }


MAX_TRACES_SEARCHED = 300
MAX_ITEMS = 20
PAGE_SIZE = 50
MAX_QUESTION_LENGTH = 1_000


def recalls(readable: QuerySet[RecallTrace], after: str = "", limit: int = PAGE_SIZE) -> Page[RecallTrace]:
    """A page of recalls, newest first, annotated with whether they `searched`, the `question` (None without a
    search, or if it was forgotten), and the number of recalled `drawers` that still exist.
    Raises CursorUnreadable."""
    rows = readable.only("user_id", "id", "at", "source").annotate(
        searched=Coalesce(Cast(KT("trace__decision__search"), BooleanField()), True),
        question=NullIf(Left(KT("trace__query__text"), MAX_QUESTION_LENGTH), Value("")),
        drawers=Func("hits", function="jsonb_array_length", output_field=IntegerField()),
    )
    return paginate(rows, "-at", "-id", after, limit)


def uses_of(user_id: UUID, drawer_id: UUID) -> list[tuple[RecallTrace, str]]:
    """Up to 20 of the user's latest 300 recalls that chose a drawer, newest first, each with the reason in a
    sentence."""
    traces = RecallTrace.objects.filter(user_id=user_id)
    latest = traces.order_by("-at").values("id")[:MAX_TRACES_SEARCHED]
    chosen = traces.filter(id__in=latest, hits__contains=[{"drawer_id": str(drawer_id)}])
    rows = chosen.order_by("-at", "-id").only("user_id", "id", "at", "hits", "without_reply")[:MAX_ITEMS]
    return [(row, _reason(row.hits, drawer_id)) for row in rows]


def _reason(hits: list[dict[str, object]], drawer_id: UUID) -> str:
    found = (hit.get("reason") for hit in hits if hit["drawer_id"] == str(drawer_id))
    return str(next(found, "") or "")
