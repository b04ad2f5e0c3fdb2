"""Actions on several drawers or places at once, with the result for each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _
from uuid_utils.compat import uuid7

from accounts.owned import NotFound
from memory.drawers import pointer_of
from memory.forgetting.trash import NothingToDelete, delete_chosen
from memory.models import ChangeSet, Drawer
from memory.organize.marking import mark
from memory.organize.merging import merge
from memory.organize.moving import Destination, Outcome, move, move_drawers
from memory.organize.places import SCOPES, ArrangingRefused, Target, title_of
from memory.outgoing import MARGIN, Outgoing

MAX_ITEMS = 500
MARKS = {
    "pin": ("pinned", True),
    "unpin": ("pinned", False),
    "hide": ("sensitive", True),
    "show": ("sensitive", False),
}
ACTIONS = (*MARKS, "move", "merge", "delete")
EXCERPT = 80


@dataclass(frozen=True, slots=True)
class Item:
    """A selected drawer, closet, room or wing. Its `name` is empty if it is gone."""

    scope: str
    id: UUID
    name: str = ""
    kind: str = ""

    @property
    def value(self) -> str:
        return f"{self.scope}:{self.id}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A selected item that was skipped, and why."""

    item: Item
    reason: str


@dataclass(frozen=True, slots=True)
class ActionResult:
    """The result: how many items were changed, what was skipped, and what undoes it.

    That is a batch of changes, or a deletion.
    """

    number: int
    left: tuple[Skipped, ...] = ()
    batch_id: UUID | None = None
    deletion_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class ActionRequest:
    """One of ACTIONS, and where to move or merge to; moved drawers may get a closet of this name."""

    action: str
    into: UUID | None = None
    closet: str = ""


def read_items(values: Iterable[str]) -> tuple[Item, ...]:
    """The items of a form, each once; invalid ones are left out."""
    found = {}
    for value in values:
        scope, _colon, text = value.partition(":")
        if scope == "drawer" or scope in SCOPES:
            try:
                found[value] = Item(scope, UUID(text))
            except ValueError:
                continue
    return tuple(found.values())[:MAX_ITEMS]


def named(user_id: UUID, items: Sequence[Item]) -> tuple[Item, ...]:
    """The same items with their names; those that are gone have none."""
    names: dict[UUID, tuple[str, str]] = {}
    for scope, model in SCOPES.items():
        ids = [each.id for each in items if each.scope == scope]
        for place in model._default_manager.filter(user_id=user_id, id__in=ids, merged_into_id=None):
            names[place.id] = (title_of(place), getattr(place, "kind", ""))
    ids = [each.id for each in items if each.scope == "drawer"]
    out = Outgoing(user_id)
    for drawer in Drawer.objects.live().filter(user_id=user_id, id__in=ids):
        words = " ".join(out.words(drawer.content[: EXCERPT + MARGIN]).split())[:EXCERPT]
        names[drawer.id] = (f"{pointer_of(drawer)} {words}", "")
    return tuple(Item(each.scope, each.id, *names[each.id]) if each.id in names else each for each in items)


def apply_action(user_id: UUID, items: Sequence[Item], wish: ActionRequest, now: datetime) -> ActionResult:
    """Perform an action on every item, as far as possible.

    Raises NotFound if the place to move or merge into does not exist.
    """
    known = named(user_id, items)
    here = [each for each in known if each.name]
    gone = tuple(Skipped(each, _("It is no longer here.")) for each in known if not each.name)
    done = _DO[wish.action](user_id, here, wish, now) if here else ActionResult(0)
    return replace(done, left=(*gone, *done.left))


def _mark(user_id: UUID, items: Sequence[Item], wish: ActionRequest, now: datetime) -> ActionResult:
    field_name, on = MARKS[wish.action]
    drawers = [each for each in items if each.scope == "drawer"]
    outcome = mark(user_id, [each.id for each in drawers], field_name, on=on, now=now)
    others = [Skipped(each, _("Only drawers can be marked.")) for each in items if each not in drawers]
    return _result(drawers, outcome, others)


def _move(user_id: UUID, items: Sequence[Item], wish: ActionRequest, now: datetime) -> ActionResult:
    if wish.into is None:
        raise NotFound
    into, batch_id = wish.into, uuid7()
    drawers = [each for each in items if each.scope == "drawer"]
    if drawers:
        to = Destination(into, wish.closet)
        outcome = move_drawers(user_id, [each.id for each in drawers], to, now)
        return _result(drawers, outcome)
    return _each(items, lambda item: move(user_id, _target(item), into, now, batch_id), batch_id)


def _merge(user_id: UUID, items: Sequence[Item], wish: ActionRequest, now: datetime) -> ActionResult:
    batch_id = uuid7()
    stays = next((each for each in items if each.id == wish.into), None)
    if stays is None:
        raise NotFound
    others = [each for each in items if each.id != stays.id]
    return _each(others, lambda item: merge(user_id, _target(stays), _target(item), now, batch_id), batch_id)


def _delete(user_id: UUID, items: Sequence[Item], wish: ActionRequest, now: datetime) -> ActionResult:
    chosen: dict[str, list[UUID]] = {}
    for each in items:
        chosen.setdefault(each.scope, []).append(each.id)
    try:
        deletion = delete_chosen(user_id, chosen, now)
    except NothingToDelete:
        return ActionResult(0, tuple(Skipped(each, _("It contains nothing to delete.")) for each in items))
    return ActionResult(deletion.drawers, deletion_id=deletion.id)


def _each(items: Iterable[Item], do: Callable[[Item], ChangeSet], batch_id: UUID) -> ActionResult:
    number, left = 0, []
    for item in items:
        try:
            do(item)
        except ArrangingRefused as refusal:
            left.append(Skipped(item, str(refusal)))
        except NotFound:
            left.append(Skipped(item, _("It is no longer here.")))
        else:
            number += 1
    return ActionResult(number, tuple(left), batch_id if number else None)


def _target(item: Item) -> Target:
    return Target(item.scope, item.id)


def _result(drawers: Iterable[Item], outcome: Outcome, others: Iterable[Skipped] = ()) -> ActionResult:
    left = (Skipped(each, outcome.left[each.id]) for each in drawers if each.id in outcome.left)
    batch_id = outcome.edit.batch_id if outcome.edit else None
    return ActionResult(len(outcome.done), (*left, *others), batch_id)


_DO: Mapping[str, Callable[[UUID, Sequence[Item], ActionRequest, datetime], ActionResult]] = {
    **dict.fromkeys(MARKS, _mark),
    "move": _move,
    "merge": _merge,
    "delete": _delete,
}
