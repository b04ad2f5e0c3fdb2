"""Makes changes to the palace so that each can be undone exactly.

A draft changes rows and remembers what was there. Everything here runs inside a transaction that
holds the palace lock.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, models
from uuid_utils.compat import uuid7

from memory.activity import Happening, record
from memory.arranging.places import Place
from memory.models import ActivityEvent, Closet, Drawer, PalaceEdit, Room, Wing, WingName
from memory.summaries import forget_summaries_of

TABLES: dict[str, type[models.Model]] = {
    "wing": Wing,
    "wingname": WingName,
    "room": Room,
    "closet": Closet,
    "drawer": Drawer,
}
RENUMBER = """
UPDATE memory_room r SET wing_id = given.wing_id, ordinal = given.ordinal
FROM unnest(%s::uuid[], %s::uuid[], %s::int[]) AS given(id, wing_id, ordinal)
WHERE r.user_id = %s AND r.id = given.id
"""

Subject = Place | Drawer


class Draft:
    """A change in the making. Steps are kept in the order in which they were taken, as JSON."""

    def __init__(self, subject: Subject, now: datetime, batch_id: UUID | None = None) -> None:
        self.id = uuid7()
        self.user_id = subject.user_id
        self.now = now
        self._subject = subject
        self._batch_id = batch_id or self.id
        self._steps: list[dict[str, Any]] = []
        self._touched: set[UUID] = {subject.id}

    def change(self, rows: Iterable[models.Model], **values: Any) -> None:
        """Give rows of one table other values; rows that had the same before share a step."""
        groups: dict[tuple[Any, ...], list[Any]] = {}
        found = list(rows)
        for row in found:
            groups.setdefault(tuple(getattr(row, name) for name in values), []).append(row)
        for before, group in groups.items():
            ids = [row.id for row in group]
            told = dict(zip(values, map(_plain, before), strict=True))
            self._note(type(group[0]), "id", ids, told)
            _rows(self.user_id, type(group[0]), "id", ids).update(**values)

    def change_inside(self, place: Place, before: Mapping[str, Any], **values: Any) -> None:
        """Give all drawers in a room or closet other values, which are the same of all now."""
        field = "room_id" if isinstance(place, Room) else "closet_id"
        told = {name: _plain(value) for name, value in before.items()}
        self._note(Drawer, field, [place.id], told)
        _rows(self.user_id, Drawer, field, [place.id]).update(**values)

    def house(self, rooms: Collection[Room], wing: Wing) -> None:
        """Give rooms new numbers in another wing, and their drawers with them."""
        if not rooms:
            return
        first = wing.rooms_made + 1
        wing.rooms_made += len(rooms)
        wing.save(update_fields=["rooms_made"])
        before = {str(room.id): [str(room.wing_id), room.ordinal] for room in rooms}
        self._steps.append({"houses": before})
        now = {str(room.id): (str(wing.id), first + step) for step, room in enumerate(rooms)}
        house(self.user_id, now)
        self.touch(*(room.id for room in rooms))

    def make_name(self, wing: Wing, slug: str, name: str) -> None:
        """Let a wing be found by one more name, which is its own."""
        made = WingName.objects.create(
            user_id=self.user_id, wing_id=wing.id, slug=slug, name=name, is_alias=False
        )
        self._steps.append({"table": "wingname", "made": [str(made.id)]})

    def make_alias(self, closet: Closet, slug: str, name: str) -> None:
        """Let a closet be found by a name it had."""
        made = Closet.objects.create(
            user_id=self.user_id,
            room_id=closet.room_id,
            slug=slug,
            name=name,
            merged_into_id=closet.id,
        )
        self._steps.append({"table": "closet", "made": [str(made.id)]})

    def touch(self, *ids: UUID) -> None:
        """Note what else this change rests on."""
        self._touched.update(ids)

    def keep(self, kind: PalaceEdit.Kind) -> PalaceEdit:
        """Write down what was done, for its owner to read and undo."""
        edit = PalaceEdit.objects.create(
            user_id=self.user_id,
            id=self.id,
            kind=kind,
            batch_id=self._batch_id,
            touched=sorted(self._touched),
            details=self._steps,
            at=self.now,
            **{_column(self._subject): self._subject.id},
        )
        forget_summaries_of(self.user_id, self._touched)
        details = {"batch": str(edit.batch_id), "change": kind.value}
        happening = Happening(ActivityEvent.Kind.ARRANGED, self._subject.id, details)
        record(self.user_id, happening, self.now)
        return edit

    def _note(
        self, model: type[models.Model], field: str, ids: Iterable[UUID], before: dict[str, Any]
    ) -> None:
        table = model._meta.model_name
        self._steps.append(
            {"table": table, "by": field, "ids": [str(each) for each in ids], "before": before}
        )


def put_back(edit: PalaceEdit) -> None:
    """Restore what an edit replaced, step by step backwards."""
    for step in reversed(edit.details):
        if "houses" in step:
            house(edit.user_id, step["houses"])
        elif "made" in step:
            _unmake(edit.user_id, TABLES[step["table"]], step["made"])
        else:
            rows = _rows(edit.user_id, TABLES[step["table"]], step["by"], step["ids"])
            rows.update(**step["before"])
    forget_summaries_of(edit.user_id, edit.touched)


def house(user_id: UUID, rooms: Mapping[str, tuple[str, int]]) -> None:
    """Put rooms into wings under these numbers, by room id, and their drawers with them."""
    wings = [wing for wing, _ in rooms.values()]
    with connection.cursor() as cursor:
        numbers = [number for _, number in rooms.values()]
        cursor.execute(RENUMBER, [list(rooms), wings, numbers, user_id])
    for wing in set(wings):
        there = [room for room, (into, _) in rooms.items() if into == wing]
        _rows(user_id, Drawer, "room_id", there).exclude(wing_id=wing).update(wing_id=wing)


def _unmake(user_id: UUID, model: type[models.Model], ids: Iterable[str]) -> None:
    """A name that became a closet of its own meanwhile stays, with what it holds."""
    rows = _rows(user_id, model, "id", ids)
    (rows.exclude(merged_into_id=None) if model is Closet else rows).delete()


def _rows(
    user_id: UUID, model: type[models.Model], field: str, ids: Iterable[Any]
) -> "models.QuerySet[Any]":
    return model._default_manager.filter(user_id=user_id, **{f"{field}__in": list(ids)})


def _column(subject: Subject) -> str:
    return f"{subject._meta.model_name}_id"


def _plain(value: Any) -> Any:
    """A value as JSON; moments in the form that the database reads again."""
    if isinstance(value, UUID):
        return str(value)
    return value.isoformat() if isinstance(value, datetime) else value
