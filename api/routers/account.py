"""The account as a whole: whose token this is, its tokens, the demo palace, and closing it."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Status

from accounts.http import BearerRequest
from accounts.models import User
from accounts.tokens import revoke_token as revoke
from accounts.tokens import tokens_of
from api.doors import DO_ALL, WRITE
from api.paging import Asked, Paged, paged, part_of
from api.problems import Refused
from api.schemas import account as told
from api.schemas.values import Count, Made
from chat.actors import mine, remove_demo_palace
from chat.closing import LastOfStaff, rows_by_table
from chat.closing import close_account as close
from chat.demo_palace import (
    DemoBeingRemoved,
    ask_to_remove,
    demo_is_loaded,
    load_demo,
    removal_due,
    remove_demo,
)

router = Router(tags=["Account"])
NOT_THE_ADDRESS = "`email` is not the address of this account. Nothing was erased."
LAST_OF_STAFF = "You run this site for others. Let somebody else be staff first."


@router.get("account", response=told.Owner, summary="Whose token this is")
def owner(request: BearerRequest) -> Any:
    """The token's owner, and what the token may be used for."""
    user = request.user
    scopes = sorted(request.bearer.scopes)
    return told.Owner(id=user.id, email=user.email, name=user.name, scopes=scopes)


@router.get("account/rows", response=told.Rows, summary="What closing would erase")
def account_rows(request: BearerRequest) -> Any:
    """How much there is of the person in every table that has anything."""
    return {"rows": rows_by_table(request.user.id)}


@router.post("account/close", response=told.Closed, auth=DO_ALL, summary="Close the account")
def close_account(request: BearerRequest, closing: told.Closing) -> Any:
    """Erase the account with everything in it, at once and for good, this token too. The answer is
    the receipt: nobody can ask for it afterwards."""
    person = User.objects.get(id=request.user.id)
    if closing.email.strip().lower() != person.email:
        raise Refused(422, NOT_THE_ADDRESS)
    try:
        return close(person)
    except LastOfStaff as error:
        raise Refused(409, LAST_OF_STAFF) from error


@router.get("tokens", response=Paged[told.Token], summary="Tokens that work, newest first")
def tokens(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Every token of yours, without its text. New ones are made on the account page alone, so that
    nobody who found one can make others that outlast it."""
    return paged(part_of(tokens_of(request.user.id), "created_at", asked))


@router.delete("tokens/{uuid:token_id}", response=Made, auth=WRITE, summary="Revoke a token")
def revoke_token(request: BearerRequest, token_id: UUID) -> Any:
    """It opens nothing from now on. A token may revoke itself."""
    revoke(get_object_or_404(tokens_of(request.user.id), id=token_id), timezone.now())
    return {"id": token_id}


@router.get("demo", response=told.Demo, summary="The demo palace")
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
        mine.send(str(request.user.id))
    return Status(202, {"count": added})


@router.delete("demo", response={202: told.Demo}, auth=WRITE, summary="Remove the demo palace")
def remove_demo_chats(request: BearerRequest) -> Any:
    """Erase the chats of the demo and all that was learned from them alone, now or, while something
    is being remembered, a moment later."""
    user_id = request.user.id
    if ask_to_remove(user_id, timezone.now()) and not remove_demo(user_id):
        remove_demo_palace.send(str(user_id))
    return Status(202, {"is_loaded": False, "is_being_removed": removal_due(user_id)})
