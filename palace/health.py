"""Whether each part that Palace stands on can be used, in words."""

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from django.conf import settings
from django.db import DatabaseError, connection

from llm import current
from llm.errors import ModelError, NoEndpoint
from palace.embedded.errors import EmbeddedDatabaseFailed
from palace.queue import depth

REMEMBERED_FOR_S = 5

State = Literal["up", "degraded", "down"]


@dataclass(frozen=True, slots=True)
class Part:
    """One part: its name, how it is, and the same in words."""

    name: str
    state: State
    words: str


def parts() -> tuple[Part, ...]:
    """The database, the queue of jobs, the embedder and the language model, in this order.

    Takes a few seconds at most, and never raises.
    """
    return (_database(), _queue(), *model_parts(int(time.monotonic() / REMEMBERED_FOR_S)))


@lru_cache(maxsize=1)
def model_parts(moment: int) -> tuple[Part, ...]:
    """The embedder and the language model, asked once per `moment`: strangers may ask for them
    as often as they like, and must not make us call an endpoint each time."""
    return (_embedder(), _language_model())


def usable(found: tuple[Part, ...]) -> bool:
    """Whether Palace can serve: without its database it cannot, without the rest it can."""
    return all(part.state != "down" for part in found if part.name == "database")


def _database() -> Part:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM accounts_user LIMIT 1")
    except (DatabaseError, EmbeddedDatabaseFailed):
        return Part("database", "down", "The database does not answer or is not prepared.")
    return Part("database", "up", "The database answers.")


def _queue() -> Part:
    found = depth()
    if found is None:
        return Part("broker", "down", "The queue of background jobs cannot be reached.")
    if found.put_aside:
        return Part("broker", "degraded", f"{found.put_aside} background jobs have failed.")
    where = "Redis" if settings.QUEUE == "redis" else "the database"
    return Part("broker", "up", f"Background jobs are queued in {where}.")


def _embedder() -> Part:
    try:
        probe = current.embedder().probe()
    except ModelError:
        return Part("embedder", "down", "No embedding model can be used; search goes by words.")
    return Part("embedder", probe.state, probe.words)


def _language_model() -> Part:
    try:
        probe = current.chat().reachable()
    except NoEndpoint:
        words = "Not configured: replies quote your memory, and mining goes by rules."
        return Part("llm", "degraded", words)
    return Part("llm", probe.state, probe.words)
