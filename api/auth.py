"""Admits requests by their token: its scopes, and how many its owner sent this minute.

`palace.middleware.tenancy` has read the token already.
"""

from datetime import datetime
from typing import ClassVar, Literal

import structlog
from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest
from django.template.defaultfilters import pluralize
from django.utils import timezone
from ninja.security.http import HttpAuthBase
from redis import RedisError

from accounts.tokens import Bearer
from api.problems import Refused

MINUTE = 60
Scope = Literal["read", "write", "chat"]
log = structlog.get_logger(__name__)


def admit(request: HttpRequest, *scopes: Scope) -> Bearer:
    """The bearer of a token with all of these scopes; counts the request once. Raises Refused."""
    bearer: Bearer | None = getattr(request, "bearer", None)
    if bearer is None:
        raise Refused(401, "Send a valid token: `Authorization: Bearer …`.")
    for scope in scopes:
        if not bearer.may(scope):
            raise Refused(403, f"This token does not have the scope `{scope}`.")
    if not getattr(request, "is_counted", False):
        count_request(bearer, timezone.now())
        request.is_counted = True  # type: ignore[attr-defined]
    return bearer


def count_request(bearer: Bearer, now: datetime) -> None:
    """Count a user's request, whatever its token. Raises Refused beyond PALACE_API_RATE in a calendar minute;
    nothing is limited while the cache is unavailable."""
    minute, second = divmod(int(now.timestamp()), MINUTE)
    key = f"api-rate:{bearer.user.id}:{minute}"
    cache = caches["requests"]
    try:
        cache.add(key, 0, timeout=2 * MINUTE)
        count = cache.incr(key)
    except (RedisError, ValueError):
        log.warning("requests not counted")
        return
    if count > settings.API_RATE:
        left = MINUTE - second
        raise Refused(
            429, f"Too many requests. Try again in {left} second{pluralize(left)}.", retry_after=left
        )


class ScopedToken(HttpAuthBase):
    """Requires a token with all of `scopes`, which the middleware has read."""

    openapi_scheme = "bearer"
    scopes: ClassVar[tuple[Scope, ...]]
    openapi_description: ClassVar[str]

    def __init_subclass__(cls, scopes: tuple[Scope, ...]) -> None:
        cls.scopes = scopes
        names = ", ".join(f"`{scope}`" for scope in sorted(scopes))
        cls.openapi_description = f"A token with these scopes: {names}."

    def __call__(self, request: HttpRequest) -> Bearer:
        """The bearer. Raises Refused."""
        return admit(request, *self.scopes)


class ReadToken(ScopedToken, scopes=("read",)):
    """For operations that only read."""


class WriteToken(ScopedToken, scopes=("write",)):
    """For operations that change memory."""


class ChatToken(ScopedToken, scopes=("chat",)):
    """For conversations and agents."""


class ReadChatToken(ScopedToken, scopes=("chat", "read")):
    """For files that hold memory and conversations."""


READ, WRITE, CHAT, READ_CHATS = TOKENS = ReadToken(), WriteToken(), ChatToken(), ReadChatToken()
