"""In which form a refusal is said: that of those who ask at an address, whichever part refused."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from api.openai.access import Refusal, response_of
from api.problems import MEDIA_TYPE, SENTENCES, problem

REST, MCP, OPENAI = "/api", "/mcp", "/v1"
JSON = "application/json"
KEPT = ("Allow", "Retry-After", "WWW-Authenticate", "Location")
ASK_AGAIN_AFTER_S = 5
AWAY = (
    "The database is away just now, and with it the list of tokens. It says nothing about yours. "
    "Try again a little later."
)

GetResponse = Callable[[HttpRequest], HttpResponseBase]


def middleware(get_response: GetResponse) -> GetResponse:
    """Say every refusal below the addresses of programs as they read it: as a problem, or as OpenAI
    does. Unknown addresses are refused so too."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.status_code < HTTPStatus.BAD_REQUEST or _is_told(request.path, response):
            return response
        said = refused(request.path, response.status_code)
        for name in KEPT:
            if name in response.headers:
                said.headers[name] = response.headers[name]
        return said

    return answer


def refused(path: str, status: int, sentence: str = "") -> HttpResponse:
    """A refusal in the form of this address."""
    if not _is_below(path, OPENAI):
        return problem(status, sentence)
    return response_of(Refusal(status, sentence or SENTENCES.get(status, "This was refused.")))


def away(path: str) -> HttpResponse:
    """The answer while nobody can say whose token it is."""
    response = refused(path, HTTPStatus.SERVICE_UNAVAILABLE, AWAY)
    response.headers["Retry-After"] = str(ASK_AGAIN_AFTER_S)
    return response


def _is_told(path: str, response: HttpResponseBase) -> bool:
    """Whether a refusal has the form of its address, or is for people."""
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    if _is_below(path, REST):
        return kind == MEDIA_TYPE
    return kind in (MEDIA_TYPE, JSON) or not (_is_below(path, MCP) or _is_below(path, OPENAI))


def _is_below(path: str, address: str) -> bool:
    return path == address or path.startswith(f"{address}/")
