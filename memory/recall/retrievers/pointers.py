"""Retrieve the drawers whose pointers the message names."""

from collections.abc import Iterator
from itertools import islice

from memory.aaak import find_pointers
from memory.drawers import find_by_pointer
from memory.recall.retrievers.types import Finding, SearchContext


def search(context: SearchContext, limit: int) -> Iterator[Finding]:
    """The drawers named by `§` pointers, with the signal `pointer`."""
    for _, _, pointer in islice(find_pointers(context.request.message), limit):
        drawer = find_by_pointer(context.user_id, pointer)
        if drawer is not None:
            yield Finding(drawer.id, {"pointer": 1.0})
