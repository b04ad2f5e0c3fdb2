"""How many replies of one user models write at once."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext_noop

from llm.errors import ModelRateLimited

TOO_MANY = gettext_noop("Too many of your replies are being written at once. Wait until one is finished.")

_running: Counter[UUID] = Counter()


class TooManyReplies(ModelRateLimited):
    """The user has PALACE_REPLIES_AT_ONCE replies in progress."""

    def __init__(self) -> None:
        super().__init__(TOO_MANY)


@contextmanager
def counted_reply(user_id: UUID) -> Iterator[None]:
    """Count a reply while a model writes it. Raises TooManyReplies.

    The count belongs to this process, whose event loop writes all its replies, and ends with it.
    """
    if _running[user_id] >= settings.REPLIES_AT_ONCE:
        raise TooManyReplies
    _running[user_id] += 1
    try:
        yield
    finally:
        _running[user_id] -= 1
        if not _running[user_id]:
            del _running[user_id]
