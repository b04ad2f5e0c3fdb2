"""The layout of the graph: each community is a patch of its own, and nothing overlaps.

NetworkX finds the communities (Louvain) and lays out the members of each with a force-directed layout,
snapped to cells of a grid that hold a mark with its label. Each community is placed as near as possible to
those it is connected with. The owner is left out, because they are connected with everything.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import ceil, hypot, sqrt
from uuid import UUID

import networkx

STEP_X, STEP_Y = 76, 32
"""The size of a grid cell: half the width and height of a mark with its label."""
SEED = 7
ITERATIONS = 30
MAX_OFFSET = 130

Cell = tuple[int, int]
Link = tuple[UUID, UUID]


@dataclass(frozen=True, slots=True)
class Patch:
    """A community, or the isolated nodes of a group: its members, and its place and size in cells."""

    members: Sequence[UUID]
    group: str
    x: int
    y: int
    wide: int
    high: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The cell of every node, and the patches."""

    cells: Mapping[UUID, Cell]
    patches: Sequence[Patch]


def layout(groups: Mapping[UUID, str], links: Iterable[Link]) -> Layout:
    """Lay out nodes by the links between them; isolated nodes are placed by group. Their order is
    irrelevant."""
    graph = networkx.Graph()
    graph.add_nodes_from(sorted(groups))
    graph.add_edges_from(sorted(links))
    taken: set[Cell] = set()
    cells: dict[UUID, Cell] = {}
    patches = []
    for group, members in _communities(graph, groups):
        wide, high = _size(len(members))
        placed = _place_members(graph, members, wide, high)
        x, y = _nearest_free_area(2 * wide, 2 * high, taken, _preferred_cell(graph, members, cells))
        cells |= {key: (x + 2 * across, y + 2 * down) for key, (across, down) in placed.items()}
        taken |= {
            (x + across, y + down) for across in range(-1, 2 * wide + 1) for down in range(-1, 2 * high + 1)
        }
        patches.append(Patch(members, group, x, y, 2 * wide, 2 * high))
    return Layout(cells, patches)


def _communities(graph: networkx.Graph, groups: Mapping[UUID, str]) -> list[tuple[str, list[UUID]]]:
    """Communities and groups of isolated nodes, largest first. A community has no group, and its best
    connected member is first; of isolated nodes the newest, because old ones are often hidden as past."""
    isolated: dict[str, list[UUID]] = defaultdict(list)
    found = []
    for community in networkx.community.louvain_communities(graph, seed=SEED):
        if len(community) > 1:
            found.append(("", sorted(community, key=lambda key: (-graph.degree[key], key))))
        else:
            isolated[groups[next(iter(community))]] += community
    found += [(group, sorted(several, reverse=True)) for group, several in isolated.items()]
    return sorted(found, key=lambda patch: (-len(patch[1]), patch[1][0]))


def _size(count: int) -> tuple[int, int]:
    """Columns and rows for this many nodes, roughly square on the screen."""
    wide = max(1, round(sqrt(count * STEP_Y / STEP_X * 1.7)))
    return wide, ceil(count / wide)


def _place_members(graph: networkx.Graph, members: Sequence[UUID], wide: int, high: int) -> dict[UUID, Cell]:
    """Assign each member the free cell nearest to its force-directed position."""
    free = set(product(range(wide), range(high)))
    if not graph.degree[members[0]]:
        return dict(zip(members, sorted(free, key=lambda cell: (cell[1], cell[0])), strict=False))
    found = networkx.spring_layout(graph.subgraph(members), seed=SEED, iterations=ITERATIONS)
    cells = {}
    for key in members:
        x, y = (found[key][0] + 1) * (wide - 1) / 2, (found[key][1] + 1) * (high - 1) / 2
        cells[key] = min((hypot(cell[0] - x, cell[1] - y), cell) for cell in free)[1]
        free.remove(cells[key])
    return cells


def _preferred_cell(graph: networkx.Graph, members: Sequence[UUID], cells: Mapping[UUID, Cell]) -> Cell:
    """The centre of the placed nodes that these are connected with."""
    near = [cells[other] for key in members for other in graph[key] if other in cells]
    if not near:
        return 0, 0
    return round(sum(x for x, _ in near) / len(near)), round(sum(y for _, y in near) / len(near))


def _nearest_free_area(wide: int, high: int, taken: set[Cell], preferred: Cell) -> Cell:
    """The free area of this size nearest to the wanted cell."""
    start = preferred[0] // 2 - wide // 2, preferred[1] // 2 - high // 2
    for across, down in _offsets_by_distance():
        x, y = start[0] + across, start[1] + down
        if taken.isdisjoint(product(range(x, x + wide), range(y, y + high))):
            return x, y
    return 0, max(y for _, y in taken) + 1


@cache
def _offsets_by_distance() -> tuple[Cell, ...]:
    """Offsets from a cell, nearest on the screen first."""
    reach = range(-MAX_OFFSET, MAX_OFFSET + 1)
    steps = [(across, down) for across in reach for down in reach]
    return tuple(sorted(steps, key=lambda step: (hypot(step[0] * STEP_X * 0.6, step[1] * STEP_Y), step)))
