"""The REST API: its routers, and how each refusal is said."""

from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from api.doors import READ, NotAdmitted
from api.problems import Refused, problem
from api.routers import account

rest = NinjaAPI(
    title="Palace",
    version="1",
    description="Everything that the pages of your memory do, for your own programs.",
    urls_namespace="rest",
    docs_url=None,
    auth=READ,
)
rest.add_router("account", account.router, tags=["Account"])


@rest.exception_handler(NotAdmitted)
def _not_admitted(request: HttpRequest, error: NotAdmitted) -> HttpResponse:
    return problem(error.status, error.sentence)


@rest.exception_handler(Refused)
def _refused(request: HttpRequest, error: Refused) -> HttpResponse:
    return problem(error.status, error.sentence, **error.more)


@rest.exception_handler(Http404)
def _not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return problem(HTTPStatus.NOT_FOUND)


@rest.exception_handler(HttpError)
def _http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    return problem(error.status_code)


@rest.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    errors = [
        {"at": [str(part) for part in each["loc"]], "detail": each["msg"]} for each in error.errors
    ]
    sentence = "Something in the request has a wrong form. `errors` says what."
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, sentence, errors=errors)
