"""A chat with tools, as drawers."""

from uuid import uuid4

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


def chat(user: User) -> list[Drawer]:
    """File the chat, message by message; returns its drawers in order."""
    spot = Spot(source_id=uuid4())
    return [file(user.id, [words], spot, role=role)[0] for role, words in SAID]
