"""The pages behind the palette and the keyboard sheet, which work without any script."""

from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import SignedInRequest
from palace.frame import KEYS_COOKIE, OFF
from palace.palette import offers

YEAR = 60 * 60 * 24 * 365


@require_safe
def go(request: SignedInRequest) -> HttpResponse:
    """Where one can go for what was typed: a page, or the options alone for the palette."""
    typed = request.GET.get("q", "")
    groups = offers(request.user.id, typed)
    context = {
        "typed": typed,
        "groups": groups,
        "number": sum(len(group.options) for group in groups),
    }
    template = "palace/_offers.html" if request.htmx else "palace/go.html"
    return render(request, template, context)


@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: HttpRequest) -> HttpResponse:
    """Every key, and whether single ones do anything in this browser."""
    if request.method != "POST":
        return render(request, "palace/keys.html")
    response = redirect("keys")
    response.status_code = HTTPStatus.SEE_OTHER
    if request.POST.get("keys") == OFF:
        secure = settings.SESSION_COOKIE_SECURE
        response.set_cookie(KEYS_COOKIE, OFF, YEAR, secure=secure, httponly=True, samesite="Lax")
    else:
        response.delete_cookie(KEYS_COOKIE, samesite="Lax")
    return response
