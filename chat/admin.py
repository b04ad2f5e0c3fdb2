"""Operators see which agents and imports there are, never their words."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from chat.models import Agent, ImportRun


class WordlessAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows that can be looked at and nothing else."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Rows come from people's work alone."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nothing in a row is an operator's to change."""
        return False


@admin.register(Agent)
class AgentAdmin(WordlessAdmin):
    """Agents without name and instructions, which are their owner's words."""

    list_display = ("id", "user", "model", "recall_memory", "mine", "is_default", "created_at")
    list_filter = ("recall_memory", "mine")
    list_select_related = ("user",)
    fields = ("id", "user", "model", "recall_memory", "mine", "is_default", "created_at")
    search_fields = ("user__email",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Agent]:
        """The agents; their words are not even read."""
        found: QuerySet[Agent] = super().get_queryset(request)
        return found.defer("name", "instructions")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """An agent may have chats, which only its owner decides about."""
        return False


@admin.register(ImportRun)
class ImportRunAdmin(WordlessAdmin):
    """Imports: how they stand and how much they brought."""

    list_display = (
        "id",
        "user",
        "format",
        "state",
        "conversations",
        "messages",
        "duplicates",
        "refused",
        "started_at",
        "finished_at",
    )
    list_filter = ("state", "format")
    list_select_related = ("user",)
    fields = list_display
    search_fields = ("user__email",)
