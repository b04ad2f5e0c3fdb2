"""What a page shows of where one can go."""

from collections.abc import Iterator
from dataclasses import dataclass

from palace.destinations import DESTINATIONS, Destination


@dataclass(frozen=True, slots=True)
class Link:
    """A destination as one page shows it; `parts` are those grouped under it, when it is open."""

    destination: Destination
    is_here: bool
    parts: "tuple[Link, ...]" = ()


def links(view: str) -> Iterator[Link]:
    """The navigation of the page with this name."""
    for top in destinations():
        if top.under:
            continue
        parts = tuple(Link(each, each.is_here(view)) for each in parts_of(top))
        is_open = top.is_here(view) or any(part.is_here for part in parts)
        yield Link(top, top.is_here(view), parts if is_open else ())


def parts_of(top: Destination) -> tuple[Destination, ...]:
    """The destinations that are grouped under this one."""
    return tuple(each for each in destinations() if each.under == top.view)


def destinations() -> tuple[Destination, ...]:
    """Every destination that this site has."""
    return tuple(each for each in DESTINATIONS if each.url)
