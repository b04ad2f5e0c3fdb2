"""Receipts: counts and labels of what was forgotten, without its words."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.owned import first_or_raise
from memory.forgetting.holders import holders
from memory.forgetting.scopes import Scope
from memory.models import Closet, Entity, Forgetting, Room, Wing

SAID_ELSEWHERE, IN_CHATS, WRITTEN, NAMED = "said_elsewhere", "in_chats", "written", "named"
NAMED_ELSEWHERE = "named_elsewhere"
MAX_SHOWN = 20

LABELS: Mapping[str, Promise] = {
    "drawers": _("Messages and notes, word for word"),
    "facts": _("Facts that come only from them"),
    "relations": _("Relations that come only from them"),
    "vectors": _("Their entries in search by meaning"),
    "summaries": _("Summaries of their places"),
    "skills": _("Skills derived from them"),
    "traces": _("Recall records that refer to them"),
    "entities": _("People and things that nothing else mentions"),
    "places": _("Wings, rooms and closets that became empty"),
    "names": _("Names made from their words"),
    "journals": _("Activity and undo entries that mention them"),
}
KEPT: Mapping[str, Promise] = {
    "facts_kept": _("Facts that other messages support too: they stay, without these"),
}
SCOPES: Mapping[str, Promise] = {
    "drawer": _("A drawer"),
    "closet": _("A closet"),
    "room": _("A room"),
    "wing": _("A wing"),
    "entity": _("A person or thing"),
    "source": _("A chat"),
    "event": _("What one run of mining saved from a chat"),
    "project": _("A project"),
    "agent": _("Chats with an agent"),
    "import": _("Chats of an import"),
    "selection": _("Several items at once"),
    "dates": _("A range of days"),
    "everything": _("Everything"),
    "account": _("An account"),
}
_NAMED: Mapping[str, tuple[type[Closet | Entity | Room | Wing], str]] = {
    "closet": (Closet, "name"),
    "entity": (Entity, "name"),
    "project": (Wing, "name"),
    "room": (Room, "title"),
    "wing": (Wing, "name"),
}
REASONS: Mapping[str, Promise] = {
    SAID_ELSEWHERE: _("said in other messages that you keep, or that are in the trash"),
    IN_CHATS: _("in chats that you keep"),
    WRITTEN: _("in something you wrote yourself: your profile or an agent"),
    NAMED: _("in a name that you gave yourself"),
    NAMED_ELSEWHERE: _("in names of places that come from other chats and notes"),
}
Line = tuple[Promise | str, int]
"""A label and a count."""
Named = tuple[str, UUID | None]
"""A kind of request and the id of what it is about."""
_SENTENCES = {
    "waiting": "It is in the trash for 30 days and can be restored until then.",
    "undone": "It was undone.",
    "clean": "Erased. {tables} tables were searched for {words} of its words: none is left.",
    "found": "Erased, but the search of {tables} tables found some of its words:",
    "unsearched": "Erased. The search ran out of time after {tables} tables and found nothing.",
}


@dataclass(frozen=True, slots=True)
class ReceiptView:
    """A receipt for display: what is gone, what stayed and why, and unexpected residue.

    `state` is waiting, undone, clean, found or unsearched.
    """

    scope: Promise | str
    gone: tuple[Line, ...]
    kept: tuple[Line, ...]
    left: tuple[Line, ...]
    residue: tuple[Line, ...]
    state: str


def open_receipt(
    user_id: UUID,
    deletion_id: UUID,
    scope: Scope,
    counts: Mapping[str, int],
    now: datetime,
    *,
    with_chats: bool,
) -> Forgetting:
    """Open the receipt of a deletion with the counts of what was moved to the trash."""
    return Forgetting.objects.create(
        user_id=user_id,
        id=deletion_id,
        scope=scope.kind,
        object_id=scope.object_id,
        since=scope.since,
        until=scope.until,
        with_chats=with_chats,
        counts=dict(counts),
        at=now,
    )


def receipt_of(user_id: UUID, deletion_id: UUID) -> Forgetting:
    """The receipt of a deletion. Raises NotFound."""
    return first_or_raise(Forgetting.objects.filter(user_id=user_id, id=deletion_id))


def receipts_of(user_id: UUID) -> list[Forgetting]:
    """The user's latest receipts, newest first."""
    return list(Forgetting.objects.filter(user_id=user_id).order_by("-at", "-id")[:MAX_SHOWN])


def names_of(user_id: UUID, wanted: Collection[Named]) -> dict[Named, str]:
    """The names of people, things and places by kind and id; none of what has none or is erased."""
    names: dict[Named, str] = {}
    for kind, (model, field) in _NAMED.items():
        if ids := [object_id for each, object_id in wanted if each == kind and object_id]:
            found = model.objects.filter(user_id=user_id, id__in=ids).values_list("id", field)
            names |= {(kind, object_id): name for object_id, name in found}
    return names


def names_in_trash(user_id: UUID, receipts: Iterable[Forgetting]) -> dict[UUID, str]:
    """The names of what these receipts are about, by their ids, as long as it can be restored."""
    kept = {each.id: (each.scope, each.object_id) for each in receipts if _state(each) == "waiting"}
    names = names_of(user_id, kept.values())
    return {receipt_id: names[each] for receipt_id, each in kept.items() if each in names}


def waiting(user_id: UUID) -> QuerySet[Forgetting]:
    """Receipts of deletions in the trash, which can still be undone."""
    return Forgetting.objects.filter(user_id=user_id, final_at=None, undone_at=None)


def mark_final(
    receipt: Forgetting, erased: Mapping[str, int], residue: Mapping[str, Any], now: datetime
) -> Forgetting:
    """Record what was erased for good and what the search for its words found."""
    receipt.erased, receipt.residue, receipt.final_at = dict(erased), dict(residue), now
    receipt.save(update_fields=("erased", "residue", "final_at"))
    return receipt


def lines(counts: Mapping[str, int]) -> tuple[Line, ...]:
    """Labelled counts of a preview or receipt, without zeros."""
    labels = dict(LABELS)
    for holder in holders():
        labels |= holder.labels
    return tuple((label, counts[store]) for store, label in labels.items() if counts.get(store))


def kept_lines(counts: Mapping[str, int]) -> tuple[Line, ...]:
    """What stays because other messages support it too."""
    return tuple((label, counts[store]) for store, label in KEPT.items() if counts.get(store))


def receipt_view(receipt: Forgetting) -> ReceiptView:
    """A receipt for display."""
    found = (receipt.residue or {}).get("found", [])
    left: dict[str, int] = {}
    for each in found:
        if each["why"]:
            left[each["why"]] = left.get(each["why"], 0) + each["rows"]
    counts = {
        # Rows moved to the trash and rows erased are the same, counted twice.
        store: max(receipt.counts.get(store, 0), receipt.erased.get(store, 0))
        for store in {*receipt.counts, *receipt.erased}
    }
    return ReceiptView(
        scope=SCOPES.get(receipt.scope, receipt.scope),
        gone=lines(counts),
        kept=kept_lines(receipt.counts),
        left=tuple((REASONS[why], rows) for why, rows in left.items()),
        residue=tuple(
            (f"{each['table']}.{each['column']}", each["rows"]) for each in found if not each["why"]
        ),
        state=_state(receipt),
    )


def as_lines(lines: tuple[Line, ...]) -> list[str]:
    """Lines as text for a terminal."""
    return [f"  {count:>9,}  {label}" for label, count in lines]


def receipt_text(receipt: Forgetting) -> str:
    """A receipt as a few lines of text."""
    view, residue = receipt_view(receipt), receipt.residue or {}
    stays = as_lines((*view.kept, *view.left))
    sentence = _SENTENCES[view.state].format(tables=residue.get("tables", 0), words=residue.get("words", 0))
    parts = ["Forgotten:", *as_lines(view.gone), *(["What stays:", *stays] if stays else [])]
    return "\n".join([*parts, sentence, *as_lines(view.residue), f"Receipt {receipt.id}"])


def _state(receipt: Forgetting) -> str:
    if receipt.undone_at is not None:
        return "undone"
    if receipt.final_at is None:
        return "waiting"
    residue = receipt.residue or {}
    if any(not each["why"] for each in residue.get("found", [])):
        return "found"
    return "clean" if residue.get("is_clean") else "unsearched"
