"""Chats with tools, as drawers."""

from collections.abc import Sequence
from uuid import UUID

from accounts.models import User
from memory.models import Drawer
from tests.memory.palaces import Spot, file

SAID = (
    ("user", "Please deploy the bakery site to the new server."),
    ("assistant", 'shell {"command": "make deploy"}'),
    ("tool", "make: *** No rule\nError: target host not found\nbye"),
    ("assistant", 'I shall name the host.\nshell {"command": "make deploy HOST=oven-2"}'),
    ("tool", "Uploading… done, 0 errors."),
    ("assistant", "It is deployed: the host has to be named with HOST=oven-2."),
    ("user", "Great, that worked! Thanks."),
)


def chat(user: User, said: Sequence[tuple[str, str]] = SAID, spot: Spot | None = None):
    """File a chat, message by message; returns its drawers in order."""
    source = UUID(int=len(said) + 7_000)
    place = spot or Spot(source_id=source)
    drawers: list[Drawer] = []
    for role, words in said:
        drawers += file(user.id, [words], place, role=role)
    return drawers
