"""How many replies of one user models write, and pages follow, at once in this process."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext_noop

from llm.errors import ModelRateLimited

TOO_MANY = gettext_noop("Too many of your replies are being written at once. Wait until one is finished.")

MAX_FOLLOWED = 64
"""Streams of one user that show replies as they grow: each renders its reply for itself."""

MAX_STREAMS = 512
"""Streams of one user in all; more are refused."""

_written: Counter[UUID] = Counter()
_followed: Counter[UUID] = Counter()


@contextmanager
def counted_reply(user_id: UUID) -> Iterator[None]:
    """Count a reply while a model writes it. Raises ModelRateLimited beyond PALACE_REPLIES_AT_ONCE."""
    if _written[user_id] >= settings.REPLIES_AT_ONCE:
        raise ModelRateLimited(TOO_MANY)
    with _counted(_written, user_id):
        yield


@contextmanager
def counted_stream(user_id: UUID) -> Iterator[bool]:
    """Count a stream while it is open; yields whether it may show the reply as it grows."""
    with _counted(_followed, user_id):
        yield _followed[user_id] <= MAX_FOLLOWED


def has_too_many_streams(user_id: UUID) -> bool:
    """Whether the user has MAX_STREAMS open."""
    return _followed[user_id] >= MAX_STREAMS


@contextmanager
def _counted(counts: Counter[UUID], user_id: UUID) -> Iterator[None]:
    """Count in this process, whose event loop does all the work, while the block runs."""
    counts[user_id] += 1
    try:
        yield
    finally:
        counts[user_id] -= 1
        if not counts[user_id]:
            del counts[user_id]
