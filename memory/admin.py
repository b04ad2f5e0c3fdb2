"""Admin of jobs, usage and embedding models. These tables contain no user text."""

from datetime import UTC, timedelta

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.admin import ReadOnlyAdmin
from memory.mining import progress as ledger
from memory.models import EmbeddingSpace, MiningProgress, Usage
from memory.pages.activity.cost import costs_of_site, requested_month


@admin.register(MiningProgress)
class MiningProgressAdmin(ReadOnlyAdmin):
    """Mining jobs by ids and counts; with the change permission, failed ones can be retried or discarded."""

    has_resolve_permission = admin.ModelAdmin.has_change_permission

    list_display = (
        "source_id",
        "user",
        "state",
        "attempts",
        "error",
        "mined_through",
        "next_attempt_at",
        "updated_at",
    )
    list_filter = ("state", "error")
    search_fields = ("user__email", "source_id")
    ordering = ("-updated_at", "id")
    list_select_related = ("user",)
    actions = ("retry", "discard")

    @admin.action(description=_("Try again"), permissions=["resolve"])
    def retry(self, request: HttpRequest, queryset: QuerySet[MiningProgress]) -> None:
        """Retry the selected failed or discarded jobs."""
        states = (MiningProgress.State.DEAD, MiningProgress.State.DISCARDED)
        chosen = list(queryset.filter(state__in=states))
        for progress in chosen:
            ledger.retry_failed(progress, timezone.now())
        self._tell(request, len(chosen))

    @admin.action(description=_("Discard"), permissions=["resolve"])
    def discard(self, request: HttpRequest, queryset: QuerySet[MiningProgress]) -> None:
        """Discard the selected failed jobs."""
        chosen = list(queryset.filter(state=MiningProgress.State.DEAD))
        for progress in chosen:
            ledger.discard(progress, timezone.now())
        self._tell(request, len(chosen))

    def _tell(self, request: HttpRequest, count: int) -> None:
        words = ngettext("%(count)d job changed.", "%(count)d jobs changed.", count)
        self.message_user(request, words % {"count": count}, messages.SUCCESS)


@admin.register(Usage)
class UsageAdmin(ReadOnlyAdmin):
    """Model calls: purpose, count, latency and cost."""

    list_display = (
        "at",
        "user",
        "source",
        "model",
        "calls",
        "input_tokens",
        "output_tokens",
        "estimated",
        "cost_usd",
        "latency_ms",
        "job_id",
    )
    list_filter = ("source", "estimated", "model")
    search_fields = ("user__email",)
    date_hierarchy = "at"
    ordering = ("-at", "id")
    list_select_related = ("user",)
    change_list_template = "memory/admin/usage.html"

    def get_urls(self) -> list[URLPattern]:
        month = self.admin_site.admin_view(self.month_view)
        return [path("month/", month, name="memory_usage_month"), *super().get_urls()]

    def month_view(self, request: HttpRequest) -> HttpResponse:
        """What models cost this site in a month, by user, purpose, model and day."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        now = timezone.now()
        month = requested_month(request.GET, now, UTC)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Cost of models"),
            "month": month,
            "costs": costs_of_site(month, UTC),
            "earlier": month.start - timedelta(days=1),
            "later": month.end if month.end <= now else None,
            "limit": settings.MONTHLY_BUDGET,
        }
        return TemplateResponse(request, "memory/admin/month.html", context)


@admin.register(EmbeddingSpace)
class EmbeddingSpaceAdmin(ReadOnlyAdmin):
    """The embedding models that created vectors."""

    list_display = ("name", "version", "dimensions", "search_dimensions")
