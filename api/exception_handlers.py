"""How each refusal is said: what the domain raises becomes a problem here and nowhere else."""

from http import HTTPStatus
from typing import Any

import structlog
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from api.auth import NotAdmitted
from api.problems import Refused, problem
from api.rest.parsing import UNREADABLE
from api.throttling import TooOften
from chat.agents import NoSuchAgent
from chat.branches import NoSuchMessage
from chat.conversations import ConversationGone
from chat.retention import NotRemoved
from memory.changes.log import NoSuchChange
from memory.drawers import NoSuchDrawer
from memory.facts.corrections import NoSuchDispute, NothingToDispute
from memory.forgetting.receipts import NoSuchReceipt
from memory.forgetting.scopes import NothingToForget
from memory.graph.editing import EditRefused
from memory.organize.places import ArrangingRefused, NothingThere
from memory.pages.requests import NOT_FOUND
from memory.pages.search.traces import NoSuchTrace
from memory.paging import CursorUnreadable
from memory.recall.feedback import NotRecalled
from transfer.run_queries import NoSuchRun

ABSENT = (
    *NOT_FOUND,
    ConversationGone,
    Http404,
    NoSuchAgent,
    NoSuchChange,
    NoSuchDrawer,
    NoSuchMessage,
    NoSuchReceipt,
    NoSuchDispute,
    NoSuchRun,
    NoSuchTrace,
    NotRecalled,
    NotRemoved,
    NothingThere,
    NothingToDispute,
    NothingToForget,
)
AWAY = "Memory could not be read just now. Try again a little later."
AGAIN_AFTER_S = "5"

log = structlog.get_logger(__name__)


def say_refusals(api: NinjaAPI) -> None:
    """Let an API say whatever its operations raise."""
    for absent in ABSENT:
        api.add_exception_handler(absent, _not_found)
    for refused in (ArrangingRefused, EditRefused):
        api.add_exception_handler(refused, _cannot_be)
    for failure in (OperationalError, InterfaceError):
        api.add_exception_handler(failure, _away)
    api.add_exception_handler(NotAdmitted, _not_admitted)
    api.add_exception_handler(Refused, _refused)
    api.add_exception_handler(CursorUnreadable, _no_cursor)
    api.add_exception_handler(TooOften, _too_often)
    api.add_exception_handler(HttpError, _http_error)
    api.add_exception_handler(ValidationError, _invalid)


def _not_found(request: HttpRequest, error: object) -> HttpResponse:
    return problem(HTTPStatus.NOT_FOUND)


def _cannot_be(request: HttpRequest, error: object) -> HttpResponse:
    return problem(HTTPStatus.CONFLICT, str(error))


def _away(request: HttpRequest, error: object) -> HttpResponse:
    log.warning("memory failed", error=type(error).__name__)
    answer = problem(HTTPStatus.SERVICE_UNAVAILABLE, AWAY)
    answer.headers["Retry-After"] = AGAIN_AFTER_S
    return answer


def _not_admitted(request: HttpRequest, error: Any) -> HttpResponse:
    return problem(error.status, error.sentence)


def _refused(request: HttpRequest, error: Any) -> HttpResponse:
    return problem(error.status, error.sentence, **error.more)


def _no_cursor(request: HttpRequest, error: object) -> HttpResponse:
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, "No list has given this cursor.")


def _too_often(request: HttpRequest, error: Any) -> HttpResponse:
    answer = problem(HTTPStatus.TOO_MANY_REQUESTS, str(error))
    answer.headers["Retry-After"] = str(error.seconds)
    return answer


def _http_error(request: HttpRequest, error: Any) -> HttpResponse:
    return problem(error.status_code, UNREADABLE if error.status_code == 400 else "")


def _invalid(request: HttpRequest, error: Any) -> HttpResponse:
    errors = [{"at": [str(part) for part in each["loc"]], "detail": each["msg"]} for each in error.errors]
    sentence = "Something in the request has a wrong form. `errors` says what."
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, sentence, errors=errors)
