"""Imports from other assistants, exports, and restores."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.utils import timezone
from ninja import File, Query, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from accounts.http import BearerRequest
from accounts.owned import first_or_raise
from api.auth import READ_CHATS, WRITE
from api.problems import Refused
from api.rest.schemas import Id, JsonObject, Paged, PageQuery, SearchWords, StrictSchema
from memory.paging import Page, after_number, cut, number_and_id
from memory.preferences import preferences_of, zone_of
from transfer import choosing, imports, models, transfers
from transfer.export_pages import file_of_export

router = Router(tags=["Import, export and restore"])
EXPORT, RESTORE = models.Transfer.Direction.EXPORT, models.Transfer.Direction.RESTORE
MonthName = Annotated[str, Field(pattern=r"^((19|20|21)[0-9]{2}-(0[1-9]|1[0-2]))?$")]
ZIP = {"application/zip": {"schema": {"type": "string", "format": "binary"}}}


class Job(Schema):
    """What imports, exports and restores have in common."""

    id: UUID
    state: str
    error: str
    finished_at: datetime | None


class Import(Job):
    """An import. `state` is `checking`, `ready`, `waiting`, `running`, `done`, `failed` or `cancelled`.
    `preview` describes the file once it was checked; the counts say what was imported so far."""

    format: str
    preview: JsonObject
    processed: int = Field(validation_alias="position")
    conversations: int
    updated_conversations: int = Field(validation_alias="grown")
    messages: int
    duplicates: int
    empty: int
    errors: int = Field(validation_alias="refused")
    started_at: datetime = Field(validation_alias="requested_at")


class EntryError(Schema):
    """An entry of the file that could not be read, and why."""

    location: str = Field(validation_alias="where")
    reason: str


class ImportedChat(Schema):
    """A chat in the file of an import. `new_messages` of its `messages` would be added, none if you deleted
    it; `tool_results` of them are tool output. Once it is imported, `outcome` and `conversation_id`
    are set, and the title is that of the conversation."""

    id: UUID
    title: str = Field(validation_alias="title_now")
    last_message_at: datetime | None = Field(validation_alias="last_said_at")
    messages: int
    new_messages: int = Field(validation_alias="fresh")
    tool_results: int
    characters: int
    deleted: bool = Field(validation_alias="is_deleted")
    selected: bool = Field(validation_alias="chosen")
    outcome: str
    conversation_id: UUID | None


class ChatFilters(Schema):
    """Which chats to include: words in their titles, the first and last month of their latest messages (in
    your time zone, inclusive), and whether they must add something new."""

    q: SearchWords = ""
    first: MonthName = ""
    last: MonthName = ""
    new: bool = False

    def of(self, run: models.ImportRun) -> "QuerySet[models.ImportedChat]":
        """The matching chats of an import."""
        zone = zone_of(preferences_of(run.user_id))
        words = self.q.strip()
        return choosing.matching_chats(run, zone, words, self.first, self.last, new=self.new)


class ChatQuery(PageQuery, ChatFilters):
    """Which chats to list."""


class ChatSelection(StrictSchema, ChatFilters):
    """The chats to select: all that match, or only those of them in `chats`."""

    chats: Annotated[list[UUID], Field(max_length=10_000)] | None = None


class SelectedChats(Schema):
    """How many chats are selected, how many messages they would add, and how many chats add none."""

    chats: int
    new_messages: int = Field(validation_alias="fresh")
    unchanged: int = Field(validation_alias="skipped")


class NewExport(StrictSchema):
    """There is nothing to choose."""


class Transfer(Job):
    """An export or a restore. `state` is `checking`, `ready`, `waiting`, `running`, `done`, `failed` or, for
    an export whose file was deleted, `expired`; `error` says why. `done` of `total` rows were processed.
    `counts` describes the file, and for a restore what it adds. The file is deleted at `expires_at`, or
    sooner if something is forgotten."""

    size: int
    done: int
    total: int
    counts: JsonObject
    requested_at: datetime
    expires_at: datetime

    @staticmethod
    def resolve_state(transfer: Any) -> str:
        """The state; `expired` once an export has no file."""
        return "expired" if transfer.is_expired else str(transfer.state)


@router.get("imports", response=Paged[Import])
def list_imports(request: BearerRequest, query: Query[PageQuery]) -> Any:
    """List imports, newest first."""
    return query.page_of(models.ImportRun.objects.filter(user_id=request.user.id), "-requested_at")


@router.post("imports", response={202: Id}, auth=WRITE)
def create_import(request: BearerRequest, file: File[list[UploadedFile]]) -> Any:
    """Upload an export of another assistant, in one file or several.

    It is checked in the background. Nothing is imported before the import is started."""
    first, *others = (each.chunks() for each in file)
    return _queued(imports.receive(request.user.id, first, timezone.now(), others))


@router.get("imports/{uuid:import_id}", response=Import)
def get_import(request: BearerRequest, import_id: UUID) -> Any:
    """Get an import."""
    return _run(request, import_id)


@router.get("imports/{uuid:import_id}/errors", response=Paged[EntryError])
def list_import_errors(request: BearerRequest, import_id: UUID, query: Query[PageQuery]) -> Any:
    """List the entries of an import that could not be read."""
    run = _run(request, import_id)
    return _in_file_order(run.refused_entries.all(), query)


@router.get("imports/{uuid:import_id}/chats", response=Paged[ImportedChat])
def list_import_chats(request: BearerRequest, import_id: UUID, query: Query[ChatQuery]) -> Any:
    """List the chats in the file of an import, in the order of the file."""
    return _in_file_order(query.of(_run(request, import_id)), query)


@router.put("imports/{uuid:import_id}/selection", response=SelectedChats, auth=WRITE)
def select_import_chats(request: BearerRequest, import_id: UUID, selection: ChatSelection) -> Any:
    """Select the chats to import, in place of the current selection.

    At first, every chat that adds something is selected. Chats that add nothing are never selected."""
    run = _run(request, import_id)
    if run.state != models.ImportRun.State.READY:
        raise Refused(409, "Chats can be selected only while the import is ready.")
    found = selection.of(run)
    if selection.chats is not None:
        _check_chats(run, selection.chats)
        found = found.filter(id__in=selection.chats)
    choosing.choose(run, found)
    return choosing.chosen_counts(run)


@router.post("imports/{uuid:import_id}/start", response={202: Id}, auth=WRITE)
def start_import(request: BearerRequest, import_id: UUID) -> Any:
    """Start importing the selected chats of an import that is ready."""
    run = _run(request, import_id)
    if not run.begin(timezone.now()):
        raise Refused(409, "This import is not ready to start.")
    return _queued(run)


@router.delete("imports/{uuid:import_id}", response=Id, auth=WRITE)
def cancel_import(request: BearerRequest, import_id: UUID) -> Any:
    """Cancel an import.

    What was imported already stays."""
    run = _run(request, import_id)
    if not imports.cancel(run, timezone.now()):
        raise Refused(409, "This import has finished.")
    return {"id": import_id}


@router.get("exports", response=Paged[Transfer])
def list_exports(request: BearerRequest, query: Query[PageQuery]) -> Any:
    """List exports, newest first."""
    return query.page_of(_transfers(request, EXPORT), "-requested_at")


@router.post("exports", response={202: Id}, auth=WRITE)
def create_export(request: BearerRequest, new: NewExport | None = None) -> Any:
    """Export everything in the background."""
    return _queued(transfers.request_export(request.user.id, timezone.now()))


@router.get("exports/{uuid:export_id}", response=Transfer)
def get_export(request: BearerRequest, export_id: UUID) -> Any:
    """Get an export."""
    return _transfer(request, EXPORT, export_id)


@router.get(
    "exports/{uuid:export_id}/file",
    auth=READ_CHATS,
    openapi_extra={"responses": {200: {"description": "A zip file.", "content": ZIP}}},
)
async def download_export(request: BearerRequest, export_id: UUID) -> StreamingHttpResponse:
    """Download the file of an export.

    It is available for a day, or until something is forgotten. It includes conversations, so the token needs
    the scopes `read` and `chat`."""
    return await file_of_export(request.user.id, export_id)


@router.delete("exports/{uuid:export_id}", response=Id, auth=WRITE)
def delete_export(request: BearerRequest, export_id: UUID) -> Any:
    """Cancel an export, or delete it with its file."""
    return _removed(_transfer(request, EXPORT, export_id))


@router.get("restores", response=Paged[Transfer])
def list_restores(request: BearerRequest, query: Query[PageQuery]) -> Any:
    """List restores, newest first."""
    return query.page_of(_transfers(request, RESTORE), "-requested_at")


@router.post("restores", response={202: Id}, auth=WRITE)
def create_restore(request: BearerRequest, file: File[UploadedFile]) -> Any:
    """Upload a Palace export.

    It is checked in the background. Nothing is restored before the restore is started."""
    if len(request.FILES.getlist("file")) > 1:
        raise Refused(422, "An export of Palace is one file.")
    return _queued(transfers.receive_export(request.user.id, file.chunks(), timezone.now()))


@router.get("restores/{uuid:restore_id}", response=Transfer)
def get_restore(request: BearerRequest, restore_id: UUID) -> Any:
    """Get a restore."""
    return _transfer(request, RESTORE, restore_id)


@router.post("restores/{uuid:restore_id}/start", response={202: Id}, auth=WRITE)
def start_restore(request: BearerRequest, restore_id: UUID) -> Any:
    """Start a restore that is ready.

    It restores everything or nothing, and creates no duplicates."""
    found = _transfer(request, RESTORE, restore_id)
    if not found.begin(timezone.now()):
        raise Refused(409, "This restore is not ready to start.")
    return _queued(found)


@router.delete("restores/{uuid:restore_id}", response=Id, auth=WRITE)
def delete_restore(request: BearerRequest, restore_id: UUID) -> Any:
    """Cancel a restore before it starts, or delete a finished one."""
    return _removed(_transfer(request, RESTORE, restore_id))


def _run(request: BearerRequest, run_id: UUID) -> models.ImportRun:
    return first_or_raise(models.ImportRun.objects.filter(user_id=request.user.id, id=run_id))


def _check_chats(run: models.ImportRun, ids: list[UUID]) -> None:
    """Raise Refused if the import has no chat with one of these ids."""
    known = set(run.chats.filter(id__in=ids).values_list("id", flat=True))
    for unknown in set(ids) - known:
        error = {"at": ["body", "selection", "chats"], "detail": f"This import has no chat {unknown}."}
        raise Refused(422, "Nothing was selected; see `errors`.", [error])


def _in_file_order(rows: "QuerySet[Any]", query: PageQuery) -> Page[Any]:
    """A page of rows in the order in which they were found in a file."""
    found = rows.filter(id__gt=number_and_id(query.after)[1]) if query.after else rows
    return cut(found.order_by("id"), query.limit, lambda row: after_number(0, row.id))


def _transfers(request: BearerRequest, direction: str) -> "QuerySet[models.Transfer]":
    return transfers.transfers_of(request.user.id).filter(direction=direction)


def _transfer(request: BearerRequest, direction: str, transfer_id: UUID) -> models.Transfer:
    return first_or_raise(_transfers(request, direction).filter(id=transfer_id))


def _queued(job: models.FileJob) -> Any:
    job.enqueue()
    return Status(202, {"id": job.id})


def _removed(transfer: models.Transfer) -> dict[str, UUID]:
    transfer.remove(*models.Transfer.State)
    return {"id": transfer.id}
