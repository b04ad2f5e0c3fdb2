"""What the palette offers for what was typed: pages, drawers by pointer, places, things, chats."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from chat.conversations import conversations_of
from memory.aaak import Pointer, parse_pointer
from memory.finding import find_named
from palace.destinations import Destination
from palace.navigation import destinations

MOST_OF_A_KIND = 6
LONGEST = 200


@dataclass(frozen=True, slots=True)
class Option:
    """Somewhere to go. `mark` is the kind of a wing and has its shape; `detail` tells more."""

    name: "str | Promise"
    url: str
    icon: str = ""
    mark: str = ""
    detail: "str | Promise" = ""


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """Options of one kind under a heading."""

    title: str
    options: tuple[Option, ...]


def offers(user_id: UUID, typed: str) -> list[OptionGroup]:
    """Where the person may want to go, group by group; groups without an option are left out."""
    words = typed.strip()[:LONGEST]
    groups = [
        OptionGroup(_("Drawer"), tuple(_drawer(words))),
        OptionGroup(_("Pages"), tuple(_pages(words))),
        *_named(user_id, words),
        OptionGroup(_("Chats"), tuple(_chats(user_id, words))),
        OptionGroup(_("Search"), tuple(_search(words))),
    ]
    return [group for group in groups if group.options]


def _drawer(words: str) -> Iterator[Option]:
    pointer: Pointer | None = parse_pointer(words)
    if pointer is not None:
        url = reverse("memory:pointer", args=[pointer.wing, pointer.room, pointer.drawer])
        yield Option(str(pointer), url, icon="recall")


def _pages(words: str) -> Iterable[Option]:
    wanted = words.casefold().split()
    for page in destinations():
        if all(word in str(page.name).casefold() for word in wanted):
            yield _page(page)


def _page(page: Destination) -> Option:
    return Option(page.name, page.url, icon=page.icon, detail=page.sentence)


def _named(user_id: UUID, words: str) -> Iterator[OptionGroup]:
    named = find_named(user_id, words, MOST_OF_A_KIND)
    yield OptionGroup(
        _("Wings"),
        tuple(
            Option(w.name, reverse("memory:wing", args=[w.id]), mark=w.kind) for w in named.wings
        ),
    )
    yield OptionGroup(
        _("Rooms"),
        tuple(
            Option(
                room.title or _("Untitled"),
                reverse("memory:room", args=[room.wing_id, room.id]),
                icon="palace",
                detail=room.wing.name,
            )
            for room in named.rooms
        ),
    )
    yield OptionGroup(
        _("People and things"),
        tuple(
            Option(each.name, reverse("memory:entity", args=[each.id]), icon="graph")
            for each in named.entities
        ),
    )


def _chats(user_id: UUID, words: str) -> Iterator[Option]:
    for chat in conversations_of(user_id, words)[:MOST_OF_A_KIND]:
        title = chat.title or _("Untitled")
        yield Option(title, reverse("chat:conversation", args=[chat.id]), icon="chat")


def _search(words: str) -> Iterator[Option]:
    if words:
        url = f"{reverse('memory:search')}?{urlencode({'q': words})}"
        yield Option(_("Search your memory for “%(words)s”") % {"words": words}, url, icon="search")
