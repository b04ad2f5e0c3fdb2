"""Retrieve the drawers whose pointers the message names."""

from collections.abc import Iterator
from itertools import islice

from memory.aaak import find_pointers
from memory.drawers import find_by_pointer
from memory.recall.retrievers.types import Asked, Finding


def search(asked: Asked, most: int) -> Iterator[Finding]:
    """The drawers named by `§` pointers, with the signal `pointer`."""
    for _, _, pointer in islice(find_pointers(asked.request.message), most):
        drawer = find_by_pointer(asked.user_id, pointer)
        if drawer is not None:
            yield Finding(drawer.id, {"pointer": 1.0})
