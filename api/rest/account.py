"""The account as a whole: whose token this is, its tokens, the demo palace, and closing it."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Schema, Status
from pydantic import Field

from accounts.http import BearerRequest
from accounts.jobs import enqueue
from accounts.models import User
from accounts.tokens import revoke_token as revoke
from accounts.tokens import tokens_of
from api.auth import DO_ALL, WRITE
from api.problems import Refused
from api.rest.paging import Asked, Paged, paged, part_of
from api.rest.values import Count, Given, Made
from memory.forgetting.account_deletion import LastOfStaff, rows_by_table
from memory.forgetting.account_deletion import close_account as close
from transfer.demo import DemoBeingRemoved, ask_to_remove, demo_is_loaded, load_demo, removal_due, remove_demo

LONGEST_ADDRESS = 500

Events = Annotated[list[Literal["mined", "reviewed", "forgotten"]], Field(min_length=1, max_length=3)]


class Owner(Schema):
    """The person the token belongs to, and what it may be used for."""

    id: UUID
    email: str
    name: str
    scopes: list[str]


class Token(Schema):
    """A token that works. Its text was shown once, when it was made."""

    id: UUID
    name: str
    scopes: list[str]
    created_at: datetime
    last_used_at: datetime | None

    @staticmethod
    def resolve_scopes(token: Any) -> list[str]:
        """What it may be used for, in the order of the alphabet."""
        return sorted(token.scope_list)


class Closing(Given):
    """The yes to closing the account: its own e-mail address, typed out."""

    email: Annotated[str, Field(max_length=254)]
    confirmed: Literal[True]


class Rows(Schema):
    """How many rows each table has of the person."""

    rows: dict[str, int]


class Closed(Rows):
    """What was erased: rows by table, and files. So many tables were searched afterwards; `found`
    are those in which anything was left."""

    files: int
    searched: int
    found: list[str]


class Demo(Schema):
    """Whether the demo palace is there, or on its way out."""

    is_loaded: bool
    is_being_removed: bool


class NewWebhook(Given):
    """An address that is to be told, and of what."""

    url: Annotated[str, Field(min_length=1, max_length=LONGEST_ADDRESS)]
    events: Events = ["mined", "reviewed", "forgotten"]


class Webhook(Schema):
    """An address that is told. `paused_because` is `owner`, `gone` or `failing` while it is paused;
    `worked_at` is when something last came through."""

    id: UUID
    url: str
    events: list[str]
    created_at: datetime
    paused_at: datetime | None
    paused_because: str
    worked_at: datetime | None


class Secret(Schema):
    """What messages to an address are signed with, in the form of standardwebhooks.com."""

    secret: str


class Delivery(Schema):
    """A message to an address: `next_at` is when it is tried again, null when it came through or was
    given up; `status` is the last answer, 0 without one; `failure` says in a word why not."""

    id: UUID
    kind: str
    happened_at: datetime
    attempts: int
    next_at: datetime | None
    status: int
    failure: str
    delivered_at: datetime | None


router = Router(tags=["Account"])
NOT_THE_ADDRESS = "`email` is not the address of this account. Nothing was erased."
LAST_OF_STAFF = "You run this site for others. Let somebody else be staff first."


@router.get("account", response=Owner, summary="Whose token this is")
def owner(request: BearerRequest) -> Any:
    """The token's owner, and what the token may be used for."""
    user = request.user
    scopes = sorted(request.bearer.scopes)
    return Owner(id=user.id, email=user.email, name=user.name, scopes=scopes)


@router.get("account/rows", response=Rows, summary="What closing would erase")
def account_rows(request: BearerRequest) -> Any:
    """How much there is of the person in every table that has anything."""
    return {"rows": rows_by_table(request.user.id)}


@router.post("account/close", response=Closed, auth=DO_ALL, summary="Close the account")
def close_account(request: BearerRequest, closing: Closing) -> Any:
    """Erase the account with everything in it, at once and for good, this token too. The answer is
    the receipt: nobody can ask for it afterwards."""
    person = User.objects.get(id=request.user.id)
    if closing.email.strip().lower() != person.email:
        raise Refused(422, NOT_THE_ADDRESS)
    try:
        return close(person)
    except LastOfStaff as error:
        raise Refused(409, LAST_OF_STAFF) from error


@router.get("tokens", response=Paged[Token], summary="Tokens that work, newest first")
def tokens(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Every token of yours, without its text. New ones are made on the account page alone, so that
    nobody who found one can make others that outlast it."""
    return paged(part_of(tokens_of(request.user.id), "created_at", asked))


@router.delete("tokens/{uuid:token_id}", response=Made, auth=WRITE, summary="Revoke a token")
def revoke_token(request: BearerRequest, token_id: UUID) -> Any:
    """It opens nothing from now on. A token may revoke itself."""
    revoke(get_object_or_404(tokens_of(request.user.id), id=token_id), timezone.now())
    return {"id": token_id}


@router.get("demo", response=Demo, summary="The demo palace")
def demo(request: BearerRequest) -> Any:
    """Whether chats of the demo palace are there."""
    user_id = request.user.id
    return {"is_loaded": demo_is_loaded(user_id), "is_being_removed": removal_due(user_id)}


@router.post("demo", response={202: Count}, auth=WRITE, summary="Load the demo palace")
def load_demo_palace(request: BearerRequest) -> Any:
    """Add the chats of the demo that are not there yet, to be remembered in the background."""
    try:
        added = load_demo(request.user.id, timezone.now())
    except DemoBeingRemoved as error:
        raise Refused(409, "The demo is still being removed. Try again in a moment.") from error
    if added:
        enqueue("mine", request.user.id)
    return Status(202, {"count": added})


@router.delete("demo", response={202: Demo}, auth=WRITE, summary="Remove the demo palace")
def remove_demo_chats(request: BearerRequest) -> Any:
    """Erase the chats of the demo and all that was learned from them alone, now or, while something
    is being remembered, a moment later."""
    user_id = request.user.id
    if ask_to_remove(user_id, timezone.now()) and not remove_demo(user_id):
        enqueue("remove_demo_palace", user_id)
    return Status(202, {"is_loaded": False, "is_being_removed": removal_due(user_id)})
