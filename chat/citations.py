"""Pointers that somebody wrote, and which of them lead to a drawer."""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import Q

from memory.aaak import Pointer, find_pointers
from memory.models import Drawer

MOST_LOOKED_UP = 200


def known_pointers(user_id: UUID, texts: Iterable[str]) -> frozenset[Pointer]:
    """The pointers in these texts that were minted for a drawer of this person; beyond the first
    200 different ones none is looked up."""
    found = (pointer for text in texts for _, _, pointer in find_pointers(text))
    cited = list(dict.fromkeys(found))[:MOST_LOOKED_UP]
    if not cited:
        return frozenset()
    wanted = Q()
    for pointer in cited:
        wanted |= Q(
            pointer_wing=pointer.wing, pointer_room=pointer.room, pointer_drawer=pointer.drawer
        )
    rows = Drawer.objects.filter(wanted, user_id=user_id)
    minted = rows.values_list("pointer_wing", "pointer_room", "pointer_drawer")
    return frozenset(Pointer(*row) for row in minted)
