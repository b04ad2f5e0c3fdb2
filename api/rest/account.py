"""The account: its owner, API tokens, the demo palace, and account deletion."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field

from accounts import tokens
from accounts.demo import demo_of
from accounts.http import BearerRequest
from accounts.models import User
from api.auth import DO_ALL, WRITE
from api.problems import Refused
from api.rest.schemas import Id, Paged, PageQuery, StrictSchema, paged
from memory.forgetting import account_deletion
from memory.paging import paginate
from transfer import demo

router = Router(tags=["Account"])
WRONG_EMAIL = "`email` is not the address of this account. Nothing was erased."


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


class AccountDeletion(StrictSchema):
    """Confirms the deletion with the email address of the account."""

    email: Annotated[str, Field(max_length=254)]
    confirmed: Literal[True]


class AccountRows(Schema):
    """The number of rows in each table that belong to the account."""

    rows: dict[str, int]


class DeletedAccount(AccountRows):
    """What was erased: rows by table, and files. `searched` tables were checked afterwards; `found` lists
    those that still held something."""

    files: int
    searched: int
    found: list[str]


class DemoStatus(Schema):
    """Whether the owner has a demo account."""

    is_open: bool


@router.get("account", response=Account)
def get_account(request: BearerRequest) -> Any:
    """Get the owner and the scopes of the token."""
    user = request.user
    return Account(id=user.id, email=user.email, name=user.name, scopes=sorted(request.bearer.scopes))


@router.get("account/rows", response=AccountRows)
def count_account_rows(request: BearerRequest) -> Any:
    """Count what deleting the account would erase."""
    return {"rows": account_deletion.rows_by_table(request.user.id)}


@router.post("account/close", response=DeletedAccount, auth=DO_ALL)
def close_account(request: BearerRequest, confirmation: AccountDeletion) -> Any:
    """Delete the account.

    Everything is erased at once and for good, including this token. The response is the only receipt."""
    person = User.objects.get(id=request.user.id)
    if confirmation.email.strip().lower() != person.email:
        raise Refused(422, WRONG_EMAIL)
    return account_deletion.close_account(person)


@router.get("tokens", response=Paged[Token])
def list_tokens(request: BearerRequest, query: Query[PageQuery]) -> Any:
    """List active API tokens, newest first.

    Tokens can only be created on the account page, so a leaked token cannot create others that outlast it."""
    return paged(paginate(tokens.tokens_of(request.user.id), "-created_at", "-id", query.after, query.limit))


@router.delete("tokens/{uuid:token_id}", response=Id, auth=WRITE)
def revoke_token(request: BearerRequest, token_id: UUID) -> Any:
    """Revoke an API token.

    A token may revoke itself."""
    tokens.revoke_token(get_object_or_404(tokens.tokens_of(request.user.id), id=token_id), timezone.now())
    return {"id": token_id}


@router.get("demo", response=DemoStatus)
def get_demo(request: BearerRequest) -> Any:
    """Get whether there is a demo account. It can only be opened in the browser."""
    return {"is_open": demo_of(request.user) is not None}


@router.delete("demo", response=DemoStatus, auth=WRITE)
def remove_demo(request: BearerRequest) -> Any:
    """Remove the demo account with everything in it."""
    demo.close_demo(request.user)
    return {"is_open": False}
