"""Imports, exports and restores in the admin, without their contents."""

from django.contrib import admin

from accounts.admin import DeleteOnlyAdmin
from transfer.models import ImportRun, Transfer


@admin.register(ImportRun)
class ImportRunAdmin(DeleteOnlyAdmin):
    """Imports: their state and counts."""

    list_display = (
        "id",
        "user",
        "format",
        "state",
        "conversations",
        "messages",
        "duplicates",
        "refused",
        "position",
        "requested_at",
        "finished_at",
    )
    list_filter = ("state", "format")
    list_select_related = ("user",)
    fields = (*list_display, "grown", "empty", "active_at", "error")
    search_fields = ("user__email",)


@admin.register(Transfer)
class TransferAdmin(DeleteOnlyAdmin):
    """Exports and restores: their state and size."""

    list_display = ("id", "user", "direction", "state", "size", "requested_at", "finished_at")
    list_filter = ("direction", "state")
    list_select_related = ("user",)
    fields = (*list_display, "done", "total", "counts", "error", "expires_at")
    search_fields = ("user__email",)
