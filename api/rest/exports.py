"""Taking one's memory out, and bringing it back."""

from typing import Any
from uuid import UUID

from django.http import StreamingHttpResponse
from django.utils import timezone
from ninja import File, Query, Router, Status
from ninja.files import UploadedFile

from accounts.http import BearerRequest
from accounts.jobs import enqueue
from api.auth import READ_CHATS, WRITE
from api.problems import Refused
from api.rest.paging import Asked, Paged, paged
from api.rest.schemas import files as told
from api.rest.values import Made
from memory.pages.palace.queries import wing
from transfer import run_queries, transfers
from transfer.export_pages import file_of_export
from transfer.models import Transfer
from transfer.transfers import TransferRefused

router = Router(tags=["Import, export and restore"])
EXPORT, RESTORE = Transfer.Direction.EXPORT, Transfer.Direction.RESTORE
ZIP = {"application/zip": {"schema": {"type": "string", "format": "binary"}}}


@router.get("exports", response=Paged[told.Transfer], summary="Exports, newest first")
def exports(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Every export that was asked for, and how it stands."""
    return paged(run_queries.transfers(request.user.id, EXPORT, asked.after, asked.limit))


@router.post("exports", response={202: Made}, auth=WRITE, summary="Ask for an export")
def ask_export(request: BearerRequest, wanted: told.WantedExport) -> Any:
    """Everything of yours, or one wing, is written in the background."""
    if wanted.wing is not None:
        wing(request.user.id, wanted.wing)
    try:
        return _sent(transfers.ask_export(request.user.id, timezone.now(), wanted.wing))
    except TransferRefused as error:
        raise Refused(409, str(error)) from error


@router.get("exports/{uuid:export_id}", response=told.Transfer, summary="One export")
def export(request: BearerRequest, export_id: UUID) -> Any:
    """How an export stands."""
    return run_queries.transfer(request.user.id, EXPORT, export_id)


@router.get(
    "exports/{uuid:export_id}/file",
    auth=READ_CHATS,
    summary="Its file",
    openapi_extra={"responses": {200: {"description": "A zip.", "content": ZIP}}},
)
async def export_file(request: BearerRequest, export_id: UUID) -> StreamingHttpResponse:
    """The zip, once the export is done, for a day; until something is forgotten. It holds the chats
    too, so the token has to be one to read and to chat."""
    return await file_of_export(request.user.id, export_id)


@router.delete("exports/{uuid:export_id}", response=Made, auth=WRITE, summary="Delete an export")
def delete_export(request: BearerRequest, export_id: UUID) -> Any:
    """Stop an export under way, or delete a finished one with its file."""
    return _gone(run_queries.transfer(request.user.id, EXPORT, export_id))


@router.get("restores", response=Paged[told.Transfer], summary="Restores, newest first")
def restores(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Every export that was brought back, and how it stands."""
    return paged(run_queries.transfers(request.user.id, RESTORE, asked.after, asked.limit))


@router.post("restores", response={202: Made}, auth=WRITE, summary="Bring an export back")
def bring_export(request: BearerRequest, file: File[UploadedFile]) -> Any:
    """A zip that Palace made. It is looked through in the background; nothing is restored before it
    is begun."""
    try:
        chunks = file.chunks()
        return _sent(transfers.receive_export(request.user.id, chunks, timezone.now()))
    except TransferRefused as error:
        raise Refused(409, str(error)) from error


@router.get("restores/{uuid:restore_id}", response=told.Transfer, summary="One restore")
def restore(request: BearerRequest, restore_id: UUID) -> Any:
    """How a restore stands."""
    return run_queries.transfer(request.user.id, RESTORE, restore_id)


@router.post("restores/{uuid:restore_id}/begin", response={202: Made}, auth=WRITE, summary="Restore it")
def begin_restore(request: BearerRequest, restore_id: UUID) -> Any:
    """Restore what was looked through: all of it or nothing, and nothing twice."""
    found = run_queries.transfer(request.user.id, RESTORE, restore_id)
    if not transfers.begin_restore(found, timezone.now()):
        raise Refused(409, "This restore is not ready to begin.")
    return _sent(found)


@router.delete("restores/{uuid:restore_id}", response=Made, auth=WRITE, summary="Delete a restore")
def delete_restore(request: BearerRequest, restore_id: UUID) -> Any:
    """Give up a file before it is restored, or take what is over off the list."""
    return _gone(run_queries.transfer(request.user.id, RESTORE, restore_id))


def _sent(begun: Transfer) -> Any:
    enqueue("run_transfer", begun.user_id, begun.id)
    return Status(202, {"id": begun.id})


def _gone(found: Transfer) -> dict[str, UUID]:
    if not transfers.stop(found) and not transfers.drop(found):
        raise Refused(409, "It has changed just now. Look again.")
    return {"id": found.id}
