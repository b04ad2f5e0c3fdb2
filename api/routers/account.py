"""Whose token this is."""

from typing import Any
from uuid import UUID

from ninja import Router, Schema

from accounts.http import BearerRequest

router = Router(tags=["Account"])


class Owner(Schema):
    """The person the token belongs to, and what it may be used for."""

    id: UUID
    email: str
    name: str
    scopes: list[str]


@router.get("account", response=Owner, summary="Whose token this is")
def owner(request: BearerRequest) -> Any:
    """The token's owner, and what the token may be used for."""
    user = request.user
    return Owner(id=user.id, email=user.email, name=user.name, scopes=sorted(request.bearer.scopes))
