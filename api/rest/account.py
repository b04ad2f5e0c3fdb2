"""The account: its owner and API tokens."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Schema

from accounts import tokens
from accounts.http import BearerRequest
from api.auth import WRITE
from api.rest.schemas import Id, Paged, PageQuery

router = Router(tags=["Account"])


class Account(Schema):
    """The owner of the token and the scopes of the token."""

    id: UUID
    email: str
    name: str
    scopes: list[str]


class Token(Schema):
    """An active API token, without its secret."""

    id: UUID
    name: str
    scopes: list[str]
    created_at: datetime
    last_used_at: datetime | None

    @staticmethod
    def resolve_scopes(token: Any) -> list[str]:
        return sorted(token.scope_list)


@router.get("account", response=Account)
def get_account(request: BearerRequest) -> Any:
    """Get the owner and the scopes of the token."""
    user = request.user
    return Account(id=user.id, email=user.email, name=user.name, scopes=sorted(request.bearer.scopes))


@router.get("tokens", response=Paged[Token])
def list_tokens(request: BearerRequest, query: Query[PageQuery]) -> Any:
    """List active API tokens, newest first.

    Tokens can only be created under *Settings › Connections*, so a leaked token cannot create others that
    outlast it."""
    return query.page_of(tokens.tokens_of(request.user.id), "-created_at")


@router.delete("tokens/{uuid:token_id}", response=Id, auth=WRITE)
def revoke_token(request: BearerRequest, token_id: UUID) -> Any:
    """Revoke an API token.

    A token may revoke itself."""
    tokens.revoke_token(get_object_or_404(tokens.tokens_of(request.user.id), id=token_id), timezone.now())
    return {"id": token_id}
