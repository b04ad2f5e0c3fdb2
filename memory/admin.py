"""Jobs, use and embedding models for operators. No table with anybody's words is here."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import Model, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memory import ledger
from memory.models import EmbeddingSpace, MiningProgress, Usage


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows that the product writes and nobody edits."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never; whoever may view it sees the list."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False


@admin.register(MiningProgress)
class MiningProgressAdmin(ReadOnlyAdmin):
    """Mining jobs by ids and counts: what was given up can be tried again or discarded."""

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

    @admin.action(description=_("Try again"), permissions=["view"])
    def retry(self, request: HttpRequest, queryset: QuerySet[MiningProgress]) -> None:
        """Give the chosen jobs that were given up or discarded a fresh start."""
        states = (MiningProgress.State.DEAD, MiningProgress.State.DISCARDED)
        chosen = list(queryset.filter(state__in=states))
        for progress in chosen:
            ledger.try_again(progress, timezone.now())
        self._tell(request, len(chosen))

    @admin.action(description=_("Discard"), permissions=["view"])
    def discard(self, request: HttpRequest, queryset: QuerySet[MiningProgress]) -> None:
        """Leave the chosen jobs that were given up unremembered."""
        chosen = list(queryset.filter(state=MiningProgress.State.DEAD))
        for progress in chosen:
            ledger.discard(progress, timezone.now())
        self._tell(request, len(chosen))

    def _tell(self, request: HttpRequest, count: int) -> None:
        words = ngettext("%(count)d job changed.", "%(count)d jobs changed.", count)
        self.message_user(request, words % {"count": count}, messages.SUCCESS)


@admin.register(Usage)
class UsageAdmin(ReadOnlyAdmin):
    """Calls to models: what for, how much, how long, at what price, with sums."""

    list_display = (
        "at",
        "user",
        "source",
        "model",
        "input_tokens",
        "output_tokens",
        "cost_usd",
        "latency_ms",
    )
    list_filter = ("source", "model")
    search_fields = ("user__email",)
    date_hierarchy = "at"
    ordering = ("-at", "id")
    list_select_related = ("user",)
    change_list_template = "memory/admin/usage.html"

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list, with the sums of everything that the filters let through."""
        response = super().changelist_view(request, extra_context)
        if isinstance(response, TemplateResponse) and response.context_data:
            chosen = response.context_data["cl"].queryset
            response.context_data["sums"] = chosen.aggregate(
                input=Sum("input_tokens"), output=Sum("output_tokens"), cost=Sum("cost_usd")
            )
        return response


@admin.register(EmbeddingSpace)
class EmbeddingSpaceAdmin(ReadOnlyAdmin):
    """The embedding models that vectors were made with."""

    list_display = ("name", "version", "dimensions", "search_dimensions")
