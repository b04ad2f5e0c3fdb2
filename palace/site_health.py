"""Site health in the admin: the state of each part, and the background jobs that failed."""

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods
from redis import RedisError

from jobs import queues
from palace.health import check_parts

VIEW_JOBS, CHANGE_JOBS = "memory.view_miningprogress", "memory.change_miningprogress"


@require_http_methods(["GET", "HEAD", "POST"])
def site_health(request: HttpRequest) -> HttpResponse:
    """Each part as /readyz describes it, and the failed jobs, which staff may retry or discard if they have
    the permission to change jobs."""
    if not (admin.site.has_permission(request) and request.user.has_perm(VIEW_JOBS)):
        raise PermissionDenied
    may_change = request.user.has_perm(CHANGE_JOBS)
    if request.method == "POST":
        if not may_change:
            raise PermissionDenied
        _apply(request)
        return redirect("site_health")
    context = {
        **admin.site.each_context(request),
        "title": _("Site health"),
        "parts": check_parts(with_reasons=True),
        "failed": _failed_jobs(),
        "may_change": may_change,
    }
    return TemplateResponse(request, "palace/site_health.html", context)


def _failed_jobs() -> tuple[queues.FailedJob, ...] | None:
    """The failed jobs, None if the queue does not answer."""
    try:
        return queues.failed_jobs()
    except (DatabaseError, RedisError):
        return None


def _apply(request: HttpRequest) -> None:
    ids = request.POST.getlist("job")
    if "discard" in request.POST:
        count = queues.discard(ids)
        words = ngettext("%(count)s job was discarded.", "%(count)s jobs were discarded.", count)
    else:
        count = queues.retry(ids)
        words = ngettext("%(count)s job will be tried again.", "%(count)s jobs will be tried again.", count)
    messages.success(request, words % {"count": count})
