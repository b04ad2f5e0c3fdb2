"""Puts the messages of a tree, however damaged, into an order where parents come first."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext_noop

MISSING_PARENT = gettext_noop(
    "A message replies to one that is not in the file; it was kept as a new start."
)
MISSING_REPLY = gettext_noop("A reply that is mentioned is not in the file.")
CIRCLE = gettext_noop("Some messages reply to each other in a circle; the circle was opened.")


@dataclass(frozen=True, slots=True)
class Links:
    """What one node says of its neighbours; either side may be wrong or missing."""

    parent: str | None
    children: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Placed:
    """A node in its final place; `parent` is an earlier node, None for a start."""

    key: str
    parent: str | None


@dataclass(frozen=True, slots=True)
class Order:
    """Every node exactly once, parents before children, and a sentence for each flaw."""

    nodes: tuple[Placed, ...]
    repairs: tuple[str, ...]


def linearise(links: Mapping[str, Links]) -> Order:
    """Return all nodes depth first: children in the order their parent names them."""
    parents = _parents(links)
    children = _children(links, parents)
    placed: dict[str, Placed] = {}
    circles = 0
    for key in [key for key, parent in parents.items() if parent is None]:
        _place(key, children, placed)
    for key in links:
        if key not in placed:
            circles += 1
            _place(key, children, placed)
    repairs = (*_gaps(links, parents), *[CIRCLE] * circles)
    return Order(nodes=tuple(placed.values()), repairs=repairs)


def _parents(links: Mapping[str, Links]) -> dict[str, str | None]:
    claimed: dict[str, str] = {}
    for key, link in links.items():
        for child in link.children:
            claimed.setdefault(child, key)
    return {key: _parent(key, link.parent, claimed, links) for key, link in links.items()}


def _parent(
    key: str, named: str | None, claimed: Mapping[str, str], links: Mapping[str, Links]
) -> str | None:
    found = named if named in links else claimed.get(key)
    return found if found != key else None


def _children(
    links: Mapping[str, Links], parents: Mapping[str, str | None]
) -> dict[str, dict[str, None]]:
    children: dict[str, dict[str, None]] = {key: {} for key in links}
    for key, link in links.items():
        children[key].update((child, None) for child in link.children if parents.get(child) == key)
    for key, parent in parents.items():
        if parent is not None:
            children[parent].setdefault(key)
    return children


def _place(
    start: str, children: Mapping[str, Mapping[str, None]], placed: dict[str, Placed]
) -> None:
    waiting = [Placed(start, None)]
    while waiting:
        node = waiting.pop()
        if node.key not in placed:
            placed[node.key] = node
            waiting += [Placed(child, node.key) for child in reversed(list(children[node.key]))]


def _gaps(links: Mapping[str, Links], parents: Mapping[str, str | None]) -> Iterator[str]:
    for key, link in links.items():
        if link.parent is not None and link.parent not in links and parents[key] is None:
            yield MISSING_PARENT
        for child in link.children:
            if child not in links:
                yield MISSING_REPLY
