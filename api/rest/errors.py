"""Maps the exceptions of the domain to problem+json responses."""

from typing import Any

import structlog
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from api.problems import MEMORY_UNAVAILABLE, RETRY_AFTER_S, SENTENCES, Refused, plain_words, problem
from chat.agents import DefaultAgentProtected
from chat.conversations import MessageTooLong, ParentNotFound
from memory.changes.log import ChangeRefused
from memory.consolidation.application import AlreadyApplied, PlanOutdated
from memory.facts.review.decisions import WrongStatus
from memory.facts.review.wording import DuplicateFact
from memory.forgetting.scopes import NothingToForget
from memory.organize.notes import NoteRefused
from memory.paging import CursorUnreadable
from memory.projections.timeline import InvalidDate
from transfer.export_pages import ExportExpired, ExportNotDone
from transfer.file_jobs import JobRefused, StorageFailed
from transfer.importing.archives import FileRefused

UNREADABLE = "Send valid UTF-8 JSON without NUL characters, and not nested too deeply."
OWN_MESSAGE = ""
"""The exception's message is meant for the client."""
_STALE_PLAN = "Facts have changed, or the plan was already applied. Make a new plan."
_RESPONSES: dict[type[Exception], tuple[int, str]] = {
    DefaultAgentProtected: (409, "This is the default agent. Make another the default first."),
    AlreadyApplied: (409, _STALE_PLAN),
    CursorUnreadable: (422, "This cursor is invalid."),
    ChangeRefused: (409, OWN_MESSAGE),
    ExportExpired: (404, "The file of this export was deleted; see its `error`."),
    ExportNotDone: (409, "This export is not done; see its `state`."),
    Http404: (404, SENTENCES[404]),
    FileRefused: (422, OWN_MESSAGE),
    DuplicateFact: (409, OWN_MESSAGE),
    MessageTooLong: (422, OWN_MESSAGE),
    JobRefused: (409, OWN_MESSAGE),
    InvalidDate: (422, "There is no such year, month or day."),
    NothingToForget: (404, "There is nothing to forget. It may have been forgotten already."),
    NoteRefused: (422, OWN_MESSAGE),
    ParentNotFound: (422, "`parent` is not a message of this conversation."),
    PlanOutdated: (409, _STALE_PLAN),
    StorageFailed: (507, OWN_MESSAGE),
    WrongStatus: (409, "The status of one of the facts does not allow this."),
}

log = structlog.get_logger(__name__)


def register_exception_handlers(api: NinjaAPI) -> None:
    """Answer whatever the operations of an API raise."""
    for error in (*_RESPONSES, OperationalError, InterfaceError, Refused, HttpError, ValidationError):
        api.add_exception_handler(error, _response)


def _response(request: HttpRequest, error: Any) -> HttpResponse:
    match error:
        case OperationalError() | InterfaceError():
            log.warning("memory failed", error=type(error).__name__)
            return problem(503, MEMORY_UNAVAILABLE, retry_after=RETRY_AFTER_S)
        case Refused():
            return error.response()
        case HttpError(status_code=status):
            return problem(status, UNREADABLE if status == 400 else "")
        case ValidationError():
            errors = [
                {"at": [str(part) for part in each["loc"]], "detail": plain_words(each)}
                for each in error.errors
            ]
            return problem(422, "The request is invalid; see `errors`.", errors)
    status, sentence = next(_RESPONSES[kind] for kind in type(error).__mro__ if kind in _RESPONSES)
    return problem(status, sentence or str(error))
