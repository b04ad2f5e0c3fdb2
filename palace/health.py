"""Health checks, Prometheus metrics, and site health in the admin; never anything about a user."""

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Literal

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, ProgrammingError, connection
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, JsonResponse
from django.shortcuts import redirect, render
from django.template.response import TemplateResponse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector
from redis import RedisError

from jobs import heartbeats, queues
from jobs.queues import QueueUnreachable, depth
from llm import current
from llm.errors import ModelError, NoEndpoint
from palace.embedded.location import EmbeddedDatabaseFailed
from palace.logging import reason_of

MODELS_CACHED_S = 5
VIEW_JOBS, CHANGE_JOBS = "memory.view_miningprogress", "memory.change_miningprogress"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
REQUESTS = Counter("palace_requests", "Requests answered", ("method", "route", "status"), registry=REGISTRY)
SECONDS = Histogram("palace_request_seconds", "Response time in seconds", ("route",), registry=REGISTRY)
UP = Gauge("palace_up", "Whether this process answers", registry=REGISTRY)
UP.set(1)

State = Literal["up", "degraded", "down"]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the site, its state, and the same as a sentence."""

    name: str
    state: State
    words: str


class QueueCollector(Collector):
    """Counts queued jobs, and the age of heartbeats, when Prometheus asks."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The jobs by state and the last heartbeat by process; no samples of what is unreachable."""
        family = GaugeMetricFamily("palace_jobs", "Jobs in the queue", labels=("state",))
        with suppress(QueueUnreachable, EmbeddedDatabaseFailed):
            found = depth()
            family.add_metric(["waiting"], found.waiting)
            family.add_metric(["put_aside"], found.dead_letters)
        yield family
        yield _heartbeat_ages()


REGISTRY.register(QueueCollector())


@require_safe
@never_cache
@login_not_required
def healthz(request: HttpRequest) -> HttpResponse:
    """Respond without checking any other part."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
@login_not_required
def readyz(request: HttpRequest) -> HttpResponse:
    """The state of each part as JSON or HTML; 503 while Palace cannot serve requests."""
    parts = check_parts()
    ready = is_ready(parts)
    status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
    if request.get_preferred_type(["application/json", "text/html"]) == "text/html":
        return render(request, "palace/readyz.html", {"parts": parts, "ready": ready}, status=status)
    return JsonResponse({"ready": ready, "parts": [asdict(part) for part in parts]}, status=status)


@require_safe
@never_cache
@login_not_required
def metrics(request: HttpRequest) -> HttpResponse:
    """Metrics in Prometheus's text format, for staff and holders of METRICS_TOKEN."""
    if not _may_read_metrics(request):
        return HttpResponseForbidden(
            "Sign in as staff, or send METRICS_TOKEN as a bearer token.\n", content_type="text/plain"
        )
    return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_PLAIN_0_0_4)


def observe_request(method: str, route: str, status: int, seconds: float) -> None:
    """Count an answered request under its URL pattern."""
    REQUESTS.labels(method if method in METHODS else "other", route, str(status)).inc()
    SECONDS.labels(route).observe(seconds)


def check_parts(*, with_reasons: bool = False) -> tuple[Part, ...]:
    """The state of the database, the queue, the processes that work on it, the embedder and the LLM. Takes
    seconds at most; never raises. Reasons of outages name hosts and logins, so they are for staff only."""
    database = _database(with_reasons=with_reasons)
    processes = (_process(each, database) for each in heartbeats.PROCESSES)
    return (
        database,
        _queue(with_reasons=with_reasons),
        *processes,
        *model_parts(int(time.monotonic() / MODELS_CACHED_S)),
    )


@lru_cache(maxsize=1)
def model_parts(moment: int) -> tuple[Part, ...]:
    """The embedder and the LLM, probed once per `moment`: anonymous visitors may ask as often as they like
    without each request reaching the endpoint."""
    return (_embedder(), _language_model())


def is_ready(parts: tuple[Part, ...]) -> bool:
    """Whether Palace can serve requests; only the database is indispensable."""
    return all(part.state != "down" for part in parts if part.name == "database")


def _database(*, with_reasons: bool) -> Part:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM accounts_user LIMIT 1")
    except (DatabaseError, EmbeddedDatabaseFailed) as error:
        words = "The database does not answer or has not been migrated."
        if with_reasons:
            words = f"The database cannot be used: {why_unusable(error)}"
        return Part("database", "down", words)
    return Part("database", "up", "The database answers.")


def why_unusable(error: Exception) -> str:
    """Why the database cannot be used, for staff."""
    if isinstance(error, EmbeddedDatabaseFailed):
        return str(error)
    if reason := reason_of(error):
        return reason
    if isinstance(error, ProgrammingError):  # a table is missing, or the right to use it
        return "it has not been migrated completely; run `manage.py migrate`."
    return f"{type(error).__name__}; the log of PostgreSQL says more."


def _queue(*, with_reasons: bool) -> Part:
    try:
        found = depth()
    except (QueueUnreachable, EmbeddedDatabaseFailed) as error:
        reason = reason_of(error) if with_reasons else ""
        return Part("broker", "down", f"The job queue cannot be reached{reason and f': {reason}'}.")
    if found.dead_letters:
        count = found.dead_letters
        words = "1 background job has failed." if count == 1 else f"{count} background jobs have failed."
        return Part("broker", "degraded", words)
    where = "Redis" if settings.QUEUE == "redis" else "the database"
    return Part("broker", "up", f"Background jobs are queued in {where}.")


def _process(name: heartbeats.Process, database: Part) -> Part:
    if database.state != "up":
        return Part(name, "degraded", "Unknown while the database cannot be used.")
    try:
        age = heartbeats.age_of(name)
    except (DatabaseError, EmbeddedDatabaseFailed):  # it went away just now
        return Part(name, "degraded", "Unknown while the database cannot be used.")
    subject = "No worker has" if name == "worker" else "The scheduler has not"
    if age is None:
        return Part(name, "down", f"{subject} answered yet.")
    if age > heartbeats.STALLED_AFTER:
        return Part(name, "down", f"{subject} answered for {heartbeats.in_words(age)}.")
    return Part(name, "up", f"Answered {round(age.total_seconds())} s ago.")


def _heartbeat_ages() -> GaugeMetricFamily:
    words = "Seconds since the last heartbeat of each kind of process"
    family = GaugeMetricFamily("palace_heartbeat_age_seconds", words, labels=("process",))
    with suppress(DatabaseError, EmbeddedDatabaseFailed):
        for process in heartbeats.PROCESSES:
            if (age := heartbeats.age_of(process)) is not None:
                family.add_metric([process], age.total_seconds())
    return family


def _embedder() -> Part:
    try:
        probe = current.embedder().probe()
    except ModelError:
        return Part("embedder", "down", "No embedding model is available; search matches words only.")
    return Part("embedder", probe.state, probe.words)


def _language_model() -> Part:
    try:
        probe = current.chat().reachable()
    except NoEndpoint:
        words = "Not configured: replies quote your memory, and chats are mined without a model."
        return Part("llm", "degraded", words)
    return Part("llm", probe.state, probe.words)


def _may_read_metrics(request: HttpRequest) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if settings.METRICS_TOKEN and scheme.lower() == "bearer":
        return constant_time_compare(given.strip(), settings.METRICS_TOKEN)
    return request.user.is_authenticated and request.user.is_staff


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
        _retry_or_discard(request)
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


def _retry_or_discard(request: HttpRequest) -> None:
    ids = request.POST.getlist("job")
    if "discard" in request.POST:
        count = queues.discard(ids)
        words = ngettext("%(count)s job was discarded.", "%(count)s jobs were discarded.", count)
    else:
        count = queues.retry(ids)
        words = ngettext("%(count)s job will be tried again.", "%(count)s jobs will be tried again.", count)
    messages.success(request, words % {"count": count})
