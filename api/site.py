"""The REST API: its routers, and how each refusal is said."""

from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse
from ninja.errors import HttpError, ValidationError

from api.description import Described
from api.doors import READ, NotAdmitted
from api.idempotency import once
from api.parsing import UNREADABLE, StrictParser
from api.problems import Refused, problem
from api.rates import TooOften
from api.routers import account, arranging, drawers, facts, graph, places, recalling, review
from memory.arranging.places import ArrangingRefused, NothingThere
from memory.arranging.undoing import NoSuchChange
from memory.cursors import CursorUnreadable
from memory.drawers import NoSuchDrawer
from memory.graph.edits import EditRefused
from memory.views.requests import NOT_FOUND

rest = Described(
    title="Palace",
    version="1",
    description="Everything that the pages of your memory do, for your own programs.",
    urls_namespace="rest",
    openapi_url=None,
    docs_url=None,
    auth=READ,
    parser=StrictParser(),
)
rest.add_decorator(once, mode="view")
for router in (account, places, arranging, drawers, recalling, facts, review, graph):
    rest.add_router("", router.router)


@rest.exception_handler(NotAdmitted)
def _not_admitted(request: HttpRequest, error: NotAdmitted) -> HttpResponse:
    return problem(error.status, error.sentence)


@rest.exception_handler(Refused)
def _refused(request: HttpRequest, error: Refused) -> HttpResponse:
    return problem(error.status, error.sentence, **error.more)


def _not_found(request: HttpRequest, error: object) -> HttpResponse:
    return problem(HTTPStatus.NOT_FOUND)


for absent in (Http404, NoSuchChange, NoSuchDrawer, NothingThere, *NOT_FOUND):
    rest.add_exception_handler(absent, _not_found)


@rest.exception_handler(ArrangingRefused)
@rest.exception_handler(EditRefused)
def _cannot_be(request: HttpRequest, error: Exception) -> HttpResponse:
    return problem(HTTPStatus.CONFLICT, str(error))


@rest.exception_handler(CursorUnreadable)
def _no_cursor(request: HttpRequest, error: CursorUnreadable) -> HttpResponse:
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, "No list has given this cursor.")


@rest.exception_handler(TooOften)
def _too_often(request: HttpRequest, error: TooOften) -> HttpResponse:
    answer = problem(HTTPStatus.TOO_MANY_REQUESTS, str(error))
    answer.headers["Retry-After"] = str(error.seconds)
    return answer


@rest.exception_handler(HttpError)
def _http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    return problem(error.status_code, UNREADABLE if error.status_code == 400 else "")


@rest.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    errors = [
        {"at": [str(part) for part in each["loc"]], "detail": each["msg"]} for each in error.errors
    ]
    sentence = "Something in the request has a wrong form. `errors` says what."
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, sentence, errors=errors)
