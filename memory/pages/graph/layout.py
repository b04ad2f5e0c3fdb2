"""Where everything stands: communities first, each a patch of its own, nothing on top of anything.

Networkx finds the communities (Louvain) and spreads the members of each by force. Every place is then a cell
of a lattice that holds a mark with its label, so labels cannot overlap, and each community is put as near as
possible to those it is connected with. The owner, who is connected with everything, takes no part.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import ceil, hypot, sqrt
from uuid import UUID

import networkx

STEP_X, STEP_Y = 54, 32
"""Half the width and height that a mark with its label takes: the steps of the lattice."""
SEED = 7
ROUNDS = 30
REACH = 130

Cell = tuple[int, int]
Link = tuple[UUID, UUID]


@dataclass(frozen=True, slots=True)
class Patch:
    """A community: its members, and its place and size in cells."""

    members: Sequence[UUID]
    x: int
    y: int
    wide: int
    high: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The cell of everything, and what belongs together."""

    cells: Mapping[UUID, Cell]
    patches: Sequence[Patch]


def layout(groups: Mapping[UUID, Hashable], links: Iterable[Link]) -> Layout:
    """Lay out things by the links between them; what is linked with nothing stands with its group."""
    graph = networkx.Graph()
    graph.add_nodes_from(groups)
    graph.add_edges_from(links)
    taken: set[Cell] = set()
    cells: dict[UUID, Cell] = {}
    patches = []
    for members in _communities(graph, groups):
        wide, high = _size(len(members))
        own = _spread(graph, members, wide, high)
        x, y = _free(2 * wide, 2 * high, taken, _wish(graph, members, cells))
        cells |= {key: (x + 2 * across, y + 2 * down) for key, (across, down) in own.items()}
        taken |= {
            (x + across, y + down) for across in range(-1, 2 * wide + 1) for down in range(-1, 2 * high + 1)
        }
        patches.append(Patch(members, x, y, 2 * wide, 2 * high))
    return Layout(cells, patches)


def _communities(graph: networkx.Graph, groups: Mapping[UUID, Hashable]) -> list[list[UUID]]:
    """Communities, the largest first, each with its best connected member first."""
    alone: dict[Hashable, list[UUID]] = defaultdict(list)
    found = []
    for community in networkx.community.louvain_communities(graph, seed=SEED):
        if len(community) > 1:
            found.append(sorted(community, key=lambda key: (-graph.degree[key], key)))
        else:
            alone[groups[next(iter(community))]] += community
    found += [sorted(several) for several in alone.values()]
    return sorted(found, key=lambda members: (-len(members), members[0]))


def _size(count: int) -> tuple[int, int]:
    """Columns and rows for so many, about as wide as high on the screen."""
    wide = max(1, round(sqrt(count * STEP_Y / STEP_X * 1.4)))
    return wide, ceil(count / wide)


def _spread(graph: networkx.Graph, members: Sequence[UUID], wide: int, high: int) -> dict[UUID, Cell]:
    """Each member in a cell of its own, as near as possible to where force would put it."""
    free = set(product(range(wide), range(high)))
    if not graph.degree[members[0]]:
        return dict(zip(members, sorted(free, key=lambda cell: (cell[1], cell[0])), strict=False))
    found = networkx.spring_layout(graph.subgraph(members), seed=SEED, iterations=ROUNDS)
    cells = {}
    for key in members:
        x, y = (found[key][0] + 1) * (wide - 1) / 2, (found[key][1] + 1) * (high - 1) / 2
        cells[key] = min((hypot(cell[0] - x, cell[1] - y), cell) for cell in free)[1]
        free.remove(cells[key])
    return cells


def _wish(graph: networkx.Graph, members: Sequence[UUID], cells: Mapping[UUID, Cell]) -> Cell:
    """The middle of what these are connected with and that has a place already."""
    near = [cells[other] for key in members for other in graph[key] if other in cells]
    if not near:
        return 0, 0
    return round(sum(x for x, _ in near) / len(near)), round(sum(y for _, y in near) / len(near))


def _free(wide: int, high: int, taken: set[Cell], wish: Cell) -> Cell:
    """Where so many cells are free, as near as possible to a wish and to the middle."""
    start = wish[0] // 2 - wide // 2, wish[1] // 2 - high // 2
    for across, down in _outwards():
        x, y = start[0] + across, start[1] + down
        if taken.isdisjoint(product(range(x, x + wide), range(y, y + high))):
            return x, y
    return 0, max(y for _, y in taken) + 1


@cache
def _outwards() -> tuple[Cell, ...]:
    """Steps away from a place, the nearest on the screen first."""
    reach = range(-REACH, REACH + 1)
    steps = [(across, down) for across in reach for down in reach]
    return tuple(sorted(steps, key=lambda step: (hypot(step[0] * STEP_X * 0.8, step[1] * STEP_Y), step)))
