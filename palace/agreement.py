"""Nothing is said or kept before its person has read what is kept."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django_htmx.http import HttpResponseClientRedirect

from accounts.models import User

CONSENT = "memory:consent"
GUARDED = frozenset({"chat", "memory"})


class AgreementRequired(MiddlewareMixin):
    """Leads whoever has not agreed yet from the chats and the palace to the page that asks them.

    The account stays within reach, so that one can also leave. Programs are not asked: whoever
    gave them a token has decided.
    """

    def process_view(
        self,
        request: HttpRequest,
        view_func: Callable[..., Any],  # Django calls it by position
        view_args: tuple[Any, ...],
        view_kwargs: dict[str, Any],
    ) -> HttpResponse | None:
        """A way to the page of consent, or None to go on."""
        if not isinstance(request.user, User) or request.user.agreed_at:
            return None
        match = request.resolver_match
        if match is None or match.app_name not in GUARDED or match.view_name == CONSENT:
            return None
        if "HX-Request" in request.headers:
            return HttpResponseClientRedirect(reverse(CONSENT))
        return redirect(CONSENT)
