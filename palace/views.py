"""The front door, and what watchers of the site may ask."""

from dataclasses import asdict
from http import HTTPStatus

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, JsonResponse
from django.shortcuts import redirect, render
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from accounts.models import User
from palace import health as site_health
from palace import metrics as site_metrics


@require_safe
@login_not_required
def home(request: HttpRequest) -> HttpResponse:
    """Send people to their chats, once they have agreed to what is kept; others to sign in, and the
    very first visitor to sign up."""
    if isinstance(request.user, User):
        return redirect("chat:chat" if request.user.agreed_at else "memory:consent")
    if User.objects.exists():
        return redirect("accounts:sign_in")
    return redirect("accounts:sign_up")


@require_safe
@never_cache
@login_not_required
def healthz(request: HttpRequest) -> HttpResponse:
    """Say that this process answers, without asking anything else."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
@login_not_required
def readyz(request: HttpRequest) -> HttpResponse:
    """Say of each part whether it is up, degraded or down; 503 when Palace cannot serve."""
    parts = site_health.parts()
    usable = site_health.usable(parts)
    status = HTTPStatus.OK if usable else HTTPStatus.SERVICE_UNAVAILABLE
    if request.get_preferred_type(["application/json", "text/html"]) == "text/html":
        context = {"parts": parts, "usable": usable}
        return render(request, "palace/readyz.html", context, status=status)
    return JsonResponse({"ready": usable, "parts": [asdict(part) for part in parts]}, status=status)


@require_safe
@never_cache
@login_not_required
def metrics(request: HttpRequest) -> HttpResponse:
    """Figures for Prometheus, for staff or whoever holds METRICS_TOKEN."""
    if not _may_read_metrics(request):
        return HttpResponseForbidden(
            "Sign in as staff, or send METRICS_TOKEN as a bearer token.\n",
            content_type="text/plain",
        )
    return HttpResponse(site_metrics.text(), content_type=CONTENT_TYPE_PLAIN_0_0_4)


def _may_read_metrics(request: HttpRequest) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if settings.METRICS_TOKEN and scheme.lower() == "bearer":
        return constant_time_compare(given.strip(), settings.METRICS_TOKEN)
    return request.user.is_authenticated and request.user.is_staff
