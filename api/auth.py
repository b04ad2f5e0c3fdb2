"""Checks that a request has a token with the right scope. `palace.middleware.tenancy` has read it already."""

from typing import ClassVar, Literal

from django.http import HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer

from accounts.tokens import Bearer
from api.problems import Refused
from api.throttling import count_request

Scope = Literal["read", "write", "chat"]


class AccessDenied(Refused):
    """The request is refused: 401 without a valid token, 403 if the token lacks the scope."""


def require_scopes(bearer: Bearer | None, *scopes: Scope) -> Bearer:
    """The bearer, if its token has all scopes. Raises AccessDenied."""
    if bearer is None:
        raise AccessDenied(401, "Send a valid token: `Authorization: Bearer …`.")
    for scope in scopes:
        if not bearer.may(scope):
            raise AccessDenied(403, f"This token does not have the scope `{scope}`.")
    return bearer


class ScopedToken(HttpBearer):
    """Requires a token with all of `scopes`, and counts the request."""

    scopes: ClassVar[tuple[Scope, ...]]
    openapi_description: ClassVar[str]

    def __init_subclass__(cls) -> None:
        names = ", ".join(f"`{scope}`" for scope in sorted(cls.scopes))
        cls.openapi_description = f"A token with these scopes: {names}."

    def __call__(self, request: HttpRequest) -> Bearer:
        """The bearer. Raises AccessDenied and TooOften."""
        bearer = require_scopes(getattr(request, "bearer", None), *self.scopes)
        count_request(bearer, timezone.now())
        return bearer

    def authenticate(self, request: HttpRequest, token: str) -> Bearer:
        """The same; the middleware has read the token."""
        return self(request)


class ReadToken(ScopedToken):
    """For operations that only read."""

    scopes = ("read",)


class WriteToken(ScopedToken):
    """For operations that change memory."""

    scopes = ("write",)


class ChatToken(ScopedToken):
    """For conversations and agents."""

    scopes = ("chat",)


class ReadChatToken(ScopedToken):
    """For files that hold memory and conversations."""

    scopes = ("chat", "read")


READ, WRITE, CHAT, READ_CHATS = ReadToken(), WriteToken(), ChatToken(), ReadChatToken()
