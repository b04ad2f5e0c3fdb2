"""Forgetting by scope, the trash, and receipts."""

from datetime import datetime
from typing import Any, Literal, Self
from uuid import UUID

from django.utils import timezone
from ninja import Query, Router, Schema, Status
from pydantic import Field, model_validator

from accounts.http import BearerRequest
from api.auth import WRITE
from api.problems import Refused
from api.rest.schemas import JsonObject, Moment, OptionalName, Paged, PageQuery, StrictSchema, Truncated
from memory.forgetting import requests, trash
from memory.forgetting.holders import waiting_uploads
from memory.forgetting.receipts import receipt_of
from memory.forgetting.scopes import ForgetRequest
from memory.forgetting.trash import NotInTrash
from memory.outgoing import Outgoing

router = Router(tags=["Forgetting"])
CONVERSATION, SOURCE = "conversation", "source"
ScopeKind = Literal[
    "drawer", "closet", "room", "wing", "entity", "conversation", "project", "agent", "dates", "everything"
]


class ForgetScope(StrictSchema):
    """What to forget: an object by its `id` (a project also by its name, in `project`), everything said
    between `since` and `until`, exclusive (`dates`; one of them is enough), or `everything`. Fields that do
    not belong to the kind are rejected. With `include_conversations` the text is removed from the
    conversations too."""

    kind: ScopeKind
    id: UUID | None = None
    project: OptionalName = ""
    since: Moment | None = None
    until: Moment | None = None
    include_conversations: bool = True

    @model_validator(mode="after")
    def _fields_fit_the_kind(self) -> Self:
        if self.project and self.kind != "project":
            raise ValueError("Only a project is found by `project`.")
        self.as_request()
        return self

    def as_request(self) -> ForgetRequest:
        """The scope as the domain names it. Raises InvalidScope."""
        return ForgetRequest(
            kind=SOURCE if self.kind == CONVERSATION else self.kind,
            object_id=self.id,
            name=self.project,
            since=self.since,
            until=self.until,
            with_chats=self.include_conversations,
        )


class Forget(ForgetScope):
    """What to forget. `erase` skips the trash. `everything` requires `confirmed`."""

    erase: bool = False
    confirmed: bool = False


class ForgetExample(Schema):
    """The beginning of a drawer that would be forgotten."""

    id: UUID
    said_at: datetime
    excerpt: str

    @staticmethod
    def resolve_excerpt(drawer: Any) -> str:
        return Outgoing(drawer.user_id).beginning(drawer.content, 160)[0]


class ForgetPreview(Schema):
    """What would be forgotten, counted by store, with a few examples."""

    counts: dict[str, int]
    examples: list[ForgetExample]


class TrashItem(Schema):
    """A deletion in the trash. It is erased at `expires_at`; `excerpt` is the text of its first drawer,
    the beginning of it if `truncated`."""

    deletion_id: UUID = Field(validation_alias="receipt.id")
    deleted_at: datetime = Field(validation_alias="receipt.at")
    expires_at: datetime = Field(validation_alias="final_at")
    drawers: int = Field(validation_alias="receipt.counts.drawers")
    scope: str = Field(validation_alias="receipt.scope")
    excerpt: str = Field(validation_alias="beginning")
    truncated: Truncated
    drawer_id: UUID


class Receipt(Schema):
    """What was forgotten, without any of its text. Until `erased_at`, `POST /undo/{id}` restores it
    and `POST /trash/{id}/erase` erases it. `residue` is the result of searching every table for the erased
    text. `waiting_uploads` are pending imports whose files may still hold it; delete them with
    `DELETE /imports/{id}`."""

    id: UUID
    scope: str
    object_id: UUID | None
    since: datetime | None
    until: datetime | None
    include_conversations: bool = Field(validation_alias="with_chats")
    counts: JsonObject
    erased: JsonObject
    residue: Any
    forgotten_at: datetime = Field(validation_alias="at")
    erased_at: datetime | None = Field(validation_alias="final_at")
    undone_at: datetime | None
    waiting_uploads: list[UUID]

    @staticmethod
    def resolve_scope(receipt: Any) -> str:
        return CONVERSATION if receipt.scope == SOURCE else str(receipt.scope)

    @staticmethod
    def resolve_waiting_uploads(receipt: Any) -> list[UUID]:
        """Uploads that were neither imported nor cancelled since."""
        return [each.id for each in waiting_uploads(receipt)]


@router.post("forget/preview", response=ForgetPreview)
def preview_forget(request: BearerRequest, scope: ForgetScope) -> Any:
    """Preview what would be forgotten, without changing anything."""
    return requests.preview(request.user.id, scope.as_request())


@router.post("forget", response={201: Receipt}, auth=WRITE)
def forget(request: BearerRequest, scope: Forget) -> Any:
    """Forget a scope.

    It goes to the trash and can be restored for 30 days; with `erase` it is erased at once."""
    if scope.kind == "everything" and not scope.confirmed:
        raise Refused(422, "Forgetting everything requires `confirmed`.")
    act = requests.forget_now if scope.erase else requests.forget
    return Status(201, act(request.user.id, scope.as_request(), timezone.now()))


@router.get("trash", response=Paged[TrashItem])
def list_trash(request: BearerRequest, query: Query[PageQuery]) -> Any:
    """List deletions that can be undone, newest first."""
    return trash.deletions(request.user.id, query.after, query.limit)


@router.get("trash/{uuid:deletion_id}", response=TrashItem)
def get_trash_item(request: BearerRequest, deletion_id: UUID) -> Any:
    """Get a deletion."""
    found = trash.deletion(request.user.id, deletion_id)
    if found is None:
        raise NotInTrash
    return found


@router.post("trash/{uuid:deletion_id}/erase", response=Receipt, auth=WRITE)
def erase_deletion(request: BearerRequest, deletion_id: UUID) -> Any:
    """Erase a deletion now and search every table for residue."""
    return requests.erase_now(request.user.id, deletion_id, timezone.now())


@router.get("receipts/{uuid:deletion_id}", response=Receipt)
def get_receipt(request: BearerRequest, deletion_id: UUID) -> Any:
    """Get the receipt of a deletion.

    Receipts hold only numbers and remain after the text is gone."""
    return receipt_of(request.user.id, deletion_id)
