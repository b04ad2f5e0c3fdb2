"""Writes what its owner chose in the palace into one page to read, word for word."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat.exporting.markdown import fenced, plain
from memory.arranging.selection import Item, named
from memory.drawers import pointer_of
from memory.models import Drawer

MOST_DRAWERS = 5_000
"""What one page holds; more than that is a matter for the export of a wing."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A page in Markdown, how many drawers stand in it, and how many things were left out."""

    text: str
    drawers: int
    left_out: int


def excerpt(user_id: UUID, items: Sequence[Item]) -> Excerpt:
    """The chosen drawers, and those in the chosen places, as they were said, room by room. What is
    not there any more, or did not fit, is counted and told at the top."""
    gone = sum(not each.name for each in named(user_id, items))
    found = _drawers(user_id, items)
    drawers = list(found[:MOST_DRAWERS])
    further = found.count() - len(drawers) if len(drawers) == MOST_DRAWERS else 0
    head = f"# {_('From your palace')}\n\n{_told(len(drawers), gone + further)}\n\n"
    return Excerpt(head + "".join(_pages(drawers)), len(drawers), gone + further)


def _drawers(user_id: UUID, items: Iterable[Item]) -> QuerySet[Drawer]:
    chosen: dict[str, list[UUID]] = {}
    for each in items:
        chosen.setdefault(each.scope, []).append(each.id)
    inside = Q(id__in=chosen.get("drawer", ()))
    for place in ("closet", "room", "wing"):
        inside |= Q(**{f"{place}_id__in": chosen.get(place, ())})
    live = Drawer.objects.live().filter(inside, user_id=user_id)
    return live.select_related("wing", "room", "closet").order_by(
        "wing__ordinal", "room__started_at", "room_id", "said_at", "id"
    )


def _told(drawers: int, left_out: int) -> str:
    told = ngettext("%(count)s drawer.", "%(count)s drawers.", drawers) % {"count": drawers}
    if not left_out:
        return told
    missing = ngettext("%(count)s was left out.", "%(count)s were left out.", left_out)
    return f"{told} {missing % {'count': left_out}}"


def _pages(drawers: Iterable[Drawer]) -> Iterator[str]:
    for _room_id, group in groupby(drawers, key=lambda drawer: drawer.room_id):
        several = list(group)
        first = several[0]
        yield f"## {plain(first.wing.name)} › {plain(first.room.title) or _('Untitled chat')}\n\n"
        yield from (_drawer(each) for each in several)


def _drawer(drawer: Drawer) -> str:
    speaker = plain(drawer.speaker) or str(Drawer.Role(drawer.role).label)
    about = f"{speaker} · {drawer.said_at:%Y-%m-%d %H:%M} UTC · {plain(drawer.closet.name)}"
    note = f"{_('Your remark:')}\n\n{fenced(drawer.annotation)}\n" if drawer.annotation else ""
    return f"### {pointer_of(drawer)}\n\n{about}\n\n{fenced(drawer.content)}\n{note}"
