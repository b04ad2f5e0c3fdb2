"""Imports the memories that ChatGPT has saved: one per line, each waiting for review."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext_noop

from memory.facts.review.wording import NewFact, Wording, add
from memory.facts.statements import STATEMENT_LIMIT, digest_of
from memory.models import Fact
from memory.text.sanitizing import is_visible, storable
from memory.text.secrets import hide_secrets

MAX_ITEMS = 200
REASON = gettext_noop("ChatGPT had saved it as a memory.")
ROOM = "Memories of ChatGPT"
KIND = "other"

_BULLET = re.compile(r"(?:[-*•–]|\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class SavedMemories:
    """How many memories wait for review now, how many were known, and how many did not fit in."""

    added: int = 0
    known: int = 0
    left: int = 0


def save_memories(user_id: UUID, text: str, now: datetime) -> SavedMemories:
    """Save each line as a note and as a fact that waits for review.

    A line that was saved before is skipped, even if it was rejected or deleted since. Only the first 200 new
    lines are saved at once. Raises NoteRefused when the palace is full.
    """
    added = known = left = 0
    for line in memories_in(text):
        if _is_known(user_id, line):
            known += 1
        elif added == MAX_ITEMS:
            left += 1
        else:
            wording = Wording(line, KIND, line, now)
            add(user_id, NewFact(wording, review_reason=REASON, room=ROOM), now)
            added += 1
    return SavedMemories(added, known, left)


def memories_in(text: str) -> Iterator[str]:
    """Each line with words once, without bullets and numbers in front."""
    lines = (_BULLET.sub("", line.strip(), count=1).strip() for line in storable(text).text.splitlines())
    yield from dict.fromkeys(line[:STATEMENT_LIMIT] for line in lines if is_visible(line))


def _is_known(user_id: UUID, line: str) -> bool:
    digest = digest_of(KIND, hide_secrets(line))
    return Fact.objects.filter(user_id=user_id, content_hash=digest).exists()
