"""How it stands with search by meaning: what waits, which model answers, what is in the way."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _

from llm.errors import ModelError
from llm.gateway import Probe
from memory.answering import Reader, answering_of, readers
from memory.backfill import affordable, chosen_space, unread, waiting
from memory.models import Drawer, Usage
from memory.preferences import preferences_of
from memory.usage import Purpose

MOST_COUNTED = 10_000_000


@dataclass(frozen=True, slots=True)
class Switch:
    """A change of model under way: the model that answers still, the one that reads all drawers
    (`total`) and how many of them it has read."""

    answering: str
    chosen: str
    read: int
    total: int


@dataclass(frozen=True, slots=True)
class VectorState:
    """`waiting` drawers cannot be found by meaning yet (counted up to `most`); `switch` is set
    while a model takes over; `trouble` says in a sentence what is in the way, or nothing, and
    `down` that nothing at all can be compared by meaning."""

    waiting: int
    most: int
    switch: Switch | None = None
    trouble: str = ""
    down: bool = False


def vector_state(user_id: UUID, most: int, now: datetime) -> VectorState:
    """How it stands with a person's vectors; never raises for a model that is away."""
    purpose = Purpose(user_id, Usage.Source.EMBED, now)
    try:
        asked = readers(preferences_of(user_id).embedding_model, purpose)
    except ModelError as error:
        return VectorState(0, most, trouble=str(error), down=True)
    hidden = waiting(user_id, most)
    troubles = [probe.words for probe in map(_probe, asked) if probe.state != "up"]
    down = len(troubles) == len(asked)
    try:
        switch = _switch(user_id)
        if hidden or switch:
            troubles.append(_budget(user_id, now))
    except ModelError as error:
        return VectorState(hidden, most, None, " ".join([*troubles, str(error)]), down)
    return VectorState(hidden, most, switch, " ".join(filter(None, troubles)), down)


def _switch(user_id: UUID) -> Switch | None:
    space = answering_of(user_id).space
    chosen = chosen_space(user_id)
    if space is None or space == chosen:
        return None
    left = unread(user_id, MOST_COUNTED)
    total = Drawer.objects.live().filter(user_id=user_id).count()
    return Switch(space.name, chosen.name, max(0, total - left), total)


def _probe(reader: Reader) -> Probe:
    return reader.embedder.probe()


def _budget(user_id: UUID, now: datetime) -> str:
    if affordable(user_id, now):
        return ""
    return _("This month’s budget is spent, so the rest waits for the next month.")
