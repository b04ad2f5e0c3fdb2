"""Who may come in: the one place that asks whether a request's token allows what it wants.

`palace.middleware.tenancy` has read the token by then, and works as its owner.
"""

from typing import ClassVar, Literal

from django.http import HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer

from accounts.tokens import Bearer
from api.throttling import count_request

Scope = Literal["read", "write", "chat"]


class NotAdmitted(Exception):
    """The request may not come in: 401 without a token that works, 403 with a narrower one."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


def admit(bearer: Bearer | None, scope: Scope) -> Bearer:
    """The bearer, if there is one and the token was made for `scope`; raises NotAdmitted."""
    if bearer is None:
        raise NotAdmitted(401, "Send a valid token: `Authorization: Bearer …`.")
    if not bearer.may(scope):
        raise NotAdmitted(403, f"This token does not have the scope `{scope}`.")
    return bearer


class Token(HttpBearer):
    """Lets an operation of REST be used by tokens of one scope."""

    scope: ClassVar[Scope]
    also: ClassVar[tuple[Scope, ...]] = ()

    def __call__(self, request: HttpRequest) -> Bearer:
        """The bearer of a request that may come in; raises NotAdmitted and TooOften."""
        bearer = admit(getattr(request, "bearer", None), self.scope)
        for scope in self.also:
            admit(bearer, scope)
        count_request(bearer, timezone.now())
        return bearer

    def authenticate(self, request: HttpRequest, token: str) -> Bearer:
        """The same; the token itself was read before."""
        return self(request)


class TokenToRead(Token):
    """Opens what only reads."""

    scope = "read"
    openapi_description = "A token that was made to read."


class TokenToWrite(Token):
    """Opens what changes memory."""

    scope = "write"
    openapi_description = "A token that was made to write."


class TokenToChat(Token):
    """Opens what belongs to chatting."""

    scope = "chat"
    openapi_description = "A token that was made to chat."


class TokenToReadChats(Token):
    """Opens what holds memory and chats in one."""

    scope = "chat"
    also = ("read",)
    openapi_description = "A token that was made to chat and to read."


class TokenToDoAll(Token):
    """Opens what concerns the account as a whole."""

    scope = "write"
    also = ("read", "chat")
    openapi_description = "A token that was made to read, to write and to chat."


READ, WRITE, CHAT = TokenToRead(), TokenToWrite(), TokenToChat()
READ_CHATS, DO_ALL = TokenToReadChats(), TokenToDoAll()
