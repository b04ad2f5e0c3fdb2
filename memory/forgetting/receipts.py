"""Receipts: what was forgotten, in numbers, readable long after the words are gone."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.forgetting.scopes import Scope
from memory.models import Forgetting


class NoSuchReceipt(Exception):
    """This person has no such receipt."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What was wished for: its scope, how much of each store went into the trash, and whether the
    words are to go out of the chats too."""

    scope: Scope
    counts: Mapping[str, int]
    with_chats: bool = False


def open_receipt(user_id: UUID, deletion_id: UUID, wish: Wish, now: datetime) -> Forgetting:
    """Begin the receipt of a deletion."""
    return Forgetting.objects.create(
        user_id=user_id,
        id=deletion_id,
        scope=wish.scope.kind,
        object_id=wish.scope.object_id,
        since=wish.scope.since,
        until=wish.scope.until,
        with_chats=wish.with_chats,
        counts=dict(wish.counts),
        at=now,
    )


def receipt_of(user_id: UUID, deletion_id: UUID) -> Forgetting:
    """The receipt of a deletion. Raises NoSuchReceipt."""
    found = Forgetting.objects.filter(user_id=user_id, id=deletion_id).first()
    if found is None:
        raise NoSuchReceipt
    return found


def receipts_of(user_id: UUID, most: int = 20) -> list[Forgetting]:
    """The newest receipts of a person, newest first."""
    return list(Forgetting.objects.filter(user_id=user_id).order_by("-at", "-id")[:most])


def mark_undone(user_id: UUID, deletion_id: UUID, now: datetime) -> None:
    """Note that a deletion was taken back."""
    Forgetting.objects.filter(user_id=user_id, id=deletion_id).update(undone_at=now)


def mark_final(
    receipt: Forgetting, erased: Mapping[str, int], residue: Mapping[str, Any], now: datetime
) -> Forgetting:
    """Note what was erased for good, and what the search for its words found."""
    receipt.erased, receipt.residue, receipt.final_at = dict(erased), dict(residue), now
    receipt.save(update_fields=("erased", "residue", "final_at"))
    return receipt
