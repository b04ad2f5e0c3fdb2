"""The way into each address: the method, the token, and refusals in the shape clients read."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, cast

import structlog
from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_not_required
from django.db import Error, connections
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from accounts.http import BearerRequest
from api.doors import NotAdmitted, Scope, admit
from api.openai.refusals import Refusal, failed_model, not_admitted, response_of
from api.rates import TooOften, count_request
from llm.errors import ModelError

View = Callable[..., Awaitable[HttpResponseBase]]
DjangoView = Callable[..., HttpResponseBase]
AWAY = "Memory could not be read just now. Try again a little later."

log = structlog.get_logger(__name__)


def programs_only(scope: Scope, *methods: str) -> Callable[[View], DjangoView]:
    """Lets a view be used by tokens of one scope. Its requests keep no database connection."""

    def decorate(view: View) -> DjangoView:
        @wraps(view)
        async def enter(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponseBase:
            try:
                _check(request, scope, methods)
                # The request's own connection would stay taken for as long as a model writes.
                await sync_to_async(connections.close_all)()
                return await view(cast("BearerRequest", request), *arguments, **named)
            except NotAdmitted as error:
                return response_of(not_admitted(error))
            except Refusal as refusal:
                return response_of(refusal)
            except ModelError as failure:
                log.warning("relay failed", error=type(failure).__name__)
                return response_of(failed_model(failure))
            except Error as failure:
                log.warning("memory failed", error=type(failure).__name__)
                return response_of(Refusal(503, AWAY, code="memory_unavailable"))

        return cast("DjangoView", csrf_exempt(login_not_required(enter)))

    return decorate


def _check(request: HttpRequest, scope: Scope, methods: tuple[str, ...]) -> None:
    if request.method not in methods:
        allowed = " or ".join(methods)
        raise Refusal(405, f"This address answers {allowed} only.", code="method_not_allowed")
    bearer = admit(getattr(request, "bearer", None), scope)
    try:
        count_request(bearer, timezone.now())
    except TooOften as error:
        refusal = Refusal(429, str(error), code="rate_limit_exceeded")
        refusal.retry_after = error.seconds
        raise refusal from error
