"""Bringing in exports of other assistants."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from ninja import File, Query, Router, Status
from ninja.files import UploadedFile

from accounts.http import BearerRequest
from accounts.jobs import enqueue
from api.auth import WRITE
from api.problems import Refused
from api.rest.paging import Asked, Paged, paged
from api.rest.schemas import files as told
from api.rest.values import Made
from transfer import run_queries
from transfer.importing.archives import ImportUnreadable
from transfer.imports import UploadNotKept, begin, cancel, receive
from transfer.models import ImportRun

router = Router(tags=["Import, export and restore"])


@router.get("imports", response=Paged[told.Import], summary="Imports, newest first")
def imports(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Every import, also those that wait for a yes."""
    return paged(run_queries.import_runs(request.user.id, asked.after, asked.limit))


@router.post("imports", response={202: Made}, auth=WRITE, summary="Bring a file")
def bring_file(request: BearerRequest, file: File[UploadedFile]) -> Any:
    """An export of ChatGPT, Claude.ai, Claude Code, Open WebUI or LibreChat, as it is. It is looked
    through in the background; nothing is imported before it is begun."""
    try:
        run = receive(request.user.id, file.chunks(), timezone.now())
    except ImportUnreadable as error:
        raise Refused(422, str(error)) from error
    except UploadNotKept as error:
        raise Refused(409, str(error)) from error
    return _begun(run)


@router.get("imports/{uuid:import_id}", response=told.Import, summary="One import")
def import_(request: BearerRequest, import_id: UUID) -> Any:
    """How an import stands."""
    return run_queries.import_run(request.user.id, import_id)


@router.get(
    "imports/{uuid:import_id}/refused",
    response=Paged[told.RefusedEntry],
    summary="What could not be read",
)
def refused_entries(request: BearerRequest, import_id: UUID, asked: Query[Asked]) -> Any:
    """Entries of the file that were left out, and why."""
    run = run_queries.import_run(request.user.id, import_id)
    return paged(run_queries.refused_entries(run, asked.after, asked.limit))


@router.post("imports/{uuid:import_id}/begin", response={202: Made}, auth=WRITE, summary="Import it")
def begin_import(request: BearerRequest, import_id: UUID) -> Any:
    """Import what was looked through."""
    run = run_queries.import_run(request.user.id, import_id)
    if not begin(run, timezone.now()):
        raise Refused(409, "This import is not ready to begin.")
    return _begun(run)


@router.delete("imports/{uuid:import_id}", response=Made, auth=WRITE, summary="Drop or stop it")
def cancel_import(request: BearerRequest, import_id: UUID) -> Any:
    """Drop a file that was looked through, or stop its import; what came in stays."""
    run = run_queries.import_run(request.user.id, import_id)
    if not cancel(run, timezone.now()):
        raise Refused(409, "This import is over.")
    return {"id": import_id}


def _begun(run: ImportRun) -> Any:
    enqueue("run_import", run.user_id, run.id)
    return Status(202, {"id": run.id})
