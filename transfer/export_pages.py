"""The export and restore pages, with their forms and URLs."""

from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID

from asgiref.sync import sync_to_async
from django import forms
from django.contrib import messages
from django.db import connections
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.http import SignedInRequest
from accounts.owned import first_or_raise
from memory.pages.requests import REFUSED, form_page, post_page, read_page
from transfer.file_jobs import JobRefused
from transfer.import_pages import ImportForm
from transfer.models import IN_PROGRESS, OPEN, Transfer
from transfer.transfers import file_of, receive_export, request_export, transfers_of


class ExportNotDone(Http404):
    """The export is still being written, or failed."""


class ExportExpired(Http404):
    """The file of the export was deleted."""


class RestoreForm(ImportForm):
    """An export of Palace, which is one file, within the upload limit."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].label = _("Export file")
        self.fields["file"].widget.attrs |= {"accept": ".zip", "multiple": False}
        self.fields["file"].help_text = _("An unmodified zip file exported from Palace.")


MAX_LISTED = 20
CHUNK_SIZE = 64 * 1024
SHOWN_COUNTS = {
    "drawers": gettext_lazy("Drawers"),
    "facts": gettext_lazy("Facts"),
    "relations": gettext_lazy("Relations"),
    "conversations": gettext_lazy("Chats"),
    "messages": gettext_lazy("Messages"),
}
_EXPORT_STOPPED = gettext_lazy("The export was stopped and its file deleted.")
_NOTHING_RESTORED = gettext_lazy("Nothing was restored. The file was deleted.")
_FILE_DELETED = gettext_lazy("The file was deleted.")


@never_cache
@form_page
def exports(request: SignedInRequest) -> HttpResponse:
    """Ask for an export, and list earlier ones."""
    form = forms.Form(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            return _queue(request_export(request.user.id, timezone.now()))
        except JobRefused as error:
            form.add_error(None, str(error))
    return _page(request, form, RestoreForm())


@post_page
def restore(request: SignedInRequest) -> HttpResponse:
    """Upload an export, to be checked before anything is restored."""
    form = RestoreForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            chunks = form.cleaned_data["file"][0].chunks()
            return _queue(receive_export(request.user.id, chunks, timezone.now()))
        except JobRefused as error:
            form.add_error("file", str(error))
    return _page(request, forms.Form(), form)


@never_cache
@read_page
def transfer(request: SignedInRequest, transfer_id: UUID) -> HttpResponse:
    """One export or restore, from request to result."""
    return render(request, "chat/transfer.html", _context(_transfer(request.user.id, transfer_id)))


@never_cache
@read_page
def transfer_state(request: SignedInRequest, transfer_id: UUID) -> HttpResponse:
    """The part of that page that is refreshed while the transfer runs."""
    context = _context(_transfer(request.user.id, transfer_id))
    return render(request, "chat/transfer.html#transfer_state", context)


@require_GET
@never_cache
async def fetch_export(request: SignedInRequest, transfer_id: UUID) -> StreamingHttpResponse:
    """Download an export; only its owner can."""
    return await file_of_export(request.user.id, transfer_id)


async def file_of_export(user_id: UUID, transfer_id: UUID) -> StreamingHttpResponse:
    """The file of an export as a stream. Raises ExportNotDone, ExportExpired, and Http404 for anyone but
    its owner."""
    made, path = await sync_to_async(_downloadable)(user_id, transfer_id)
    response = StreamingHttpResponse(_chunks(path), content_type="application/zip")
    response.headers["Content-Length"] = str(made.size)
    name = f"palace-{made.requested_at:%Y-%m-%d}.zip"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@post_page
def transfer_begin(request: SignedInRequest, transfer_id: UUID) -> HttpResponse:
    """Restore a checked file."""
    found = _transfer(request.user.id, transfer_id)
    if found.begin(timezone.now()):
        return _queue(found)
    return redirect("chat:transfer", found.id)


@post_page
def transfer_delete(request: SignedInRequest, transfer_id: UUID) -> HttpResponse:
    """Stop an export, drop a file before it is restored, or delete a finished export, each with its file."""
    found = _transfer(request.user.id, transfer_id)
    is_export = found.direction == Transfer.Direction.EXPORT
    if found.remove(*OPEN):
        said = _EXPORT_STOPPED if is_export else _NOTHING_RESTORED
    elif is_export and found.remove(*Transfer.State):
        said = _FILE_DELETED
    else:
        return redirect("chat:transfer", found.id)
    messages.success(request, said)
    return redirect("chat:exports")


def _queue(transfer: Transfer) -> HttpResponse:
    transfer.enqueue()
    return redirect("chat:transfer", transfer.id)


def _page(request: SignedInRequest, form: forms.Form, restoring: RestoreForm) -> HttpResponse:
    known = [_context(each) for each in transfers_of(request.user.id)[:MAX_LISTED]]
    context = {"form": form, "restore_form": restoring, "transfers": known}
    status = REFUSED if form.errors or restoring.errors else 200
    return render(request, "chat/exports.html", context, status=status)


def _transfer(user_id: UUID, transfer_id: UUID) -> Transfer:
    return first_or_raise(transfers_of(user_id).filter(id=transfer_id))


def _downloadable(user_id: UUID, transfer_id: UUID) -> tuple[Transfer, Path]:
    found = _transfer(user_id, transfer_id)
    if found.direction != Transfer.Direction.EXPORT:
        raise Http404
    if found.state != Transfer.State.DONE:
        raise ExportNotDone
    path = file_of(found, timezone.now())
    if path is None:
        raise ExportExpired
    # Otherwise the request would hold its connection for the whole download.
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()
    return found, path


async def _chunks(path: Path) -> AsyncIterator[bytes]:
    with await sync_to_async(_open)(path) as file:
        while chunk := await sync_to_async(file.read)(CHUNK_SIZE):
            yield chunk


def _open(path: Path) -> BinaryIO:
    return path.open("rb")


def _context(found: Transfer) -> dict[str, Any]:
    """The context of a transfer; with `waits`, the page refreshes itself."""
    restoring = found.direction == Transfer.Direction.RESTORE
    counts = found.counts.get("added", {}) if restoring else found.counts
    return {
        "transfer": found,
        "counts": tuple(_lines(counts)),
        "anything": bool(counts),
        **{part: sum(found.counts.get(part, {}).values()) for part in ("here", "left_out", "for_review")},
        "waits": found.state in IN_PROGRESS,
        "fetchable": file_of(found, timezone.now()) is not None,
    }


def _lines(counts: Mapping[str, int]) -> Iterator[tuple[str | Promise, int]]:
    """The counts of well-known kinds, and one number for the rest."""
    for name, label in SHOWN_COUNTS.items():
        if counts.get(name):
            yield label, counts[name]
    rest = sum(count for name, count in counts.items() if name not in SHOWN_COUNTS)
    if rest:
        yield _("Everything else, such as names and settings"), rest


_TRANSFER = "export/<uuid:transfer_id>/"

urlpatterns = [
    path("export/", exports, name="exports"),
    path("export/restore/", restore, name="restore_export"),
    path(_TRANSFER, transfer, name="transfer"),
    path(f"{_TRANSFER}state/", transfer_state, name="transfer_state"),
    path(f"{_TRANSFER}file/", fetch_export, name="fetch_export"),
    path(f"{_TRANSFER}begin/", transfer_begin, name="transfer_begin"),
    path(f"{_TRANSFER}delete/", transfer_delete, name="transfer_delete"),
]
