"""`/mcp`: the tools of memory for any client of the Model Context Protocol."""

from http import HTTPStatus

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_not_required
from django.db import connections
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from accounts.tokens import Bearer
from api.auth import NotAdmitted, admit
from api.mcp.bridge import answered
from api.mcp.server import server_for
from api.problems import problem
from api.throttling import TooOften, count_request

SCOPES = ("read", "write")


@csrf_exempt
@login_not_required
@require_POST
async def mcp(request: HttpRequest) -> HttpResponse:
    """The answer of the protocol's server to one request. There is no stream to listen on, and no
    session to end: both are answered 405, as the protocol wants it."""
    try:
        bearer = _admitted(request)
    except NotAdmitted as error:
        refused = problem(error.status, error.sentence)
        refused.headers["WWW-Authenticate"] = _challenge(request, error.status)
        return refused
    except TooOften as error:
        refused = problem(HTTPStatus.TOO_MANY_REQUESTS, str(error))
        refused.headers["Retry-After"] = str(error.seconds)
        return refused
    if not _is_from_here(request):
        return problem(HTTPStatus.FORBIDDEN, "Pages of other sites may not use this address.")
    await sync_to_async(connections.close_all)()  # the tools use connections of their own
    return await answered(server_for(bearer), request)


def _admitted(request: HttpRequest) -> Bearer:
    """The bearer of a token that may read or write. Raises NotAdmitted and TooOften."""
    bearer: Bearer | None = getattr(request, "bearer", None)
    writes_only = bearer is not None and not bearer.may("read")
    bearer = admit(bearer, "write" if writes_only else "read")
    count_request(bearer, timezone.now())
    return bearer


def _challenge(request: HttpRequest, status: int) -> str:
    """How an app may get in: it finds there whom to ask, and for what."""
    metadata = request.build_absolute_uri(reverse("mcp:metadata"))
    narrow = 'error="insufficient_scope", ' if status == HTTPStatus.FORBIDDEN else ""
    return f'Bearer {narrow}scope="{" ".join(SCOPES)}", resource_metadata="{metadata}"'


@login_not_required
@require_safe
def metadata(request: HttpRequest) -> JsonResponse:
    """The protected resource metadata of RFC 9728, by which apps find the way to sign in."""
    answer = {
        "resource": request.build_absolute_uri(reverse("mcp:mcp")),
        "resource_name": "Palace",
        "authorization_servers": [request.build_absolute_uri("/").rstrip("/")],
        "scopes_supported": SCOPES,
        "bearer_methods_supported": ["header"],
    }
    return JsonResponse(answer, headers={"Access-Control-Allow-Origin": "*"})


def _is_from_here(request: HttpRequest) -> bool:
    """A browser says which page asks; programs say nothing."""
    origin = request.headers.get("Origin", "")
    return origin in {"", f"{request.scheme}://{request.get_host()}"}
