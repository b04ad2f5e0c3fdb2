"""An admin site that sets no passwords and whose lists cannot be filtered by hidden columns.

Django lets staff filter a list by any column of its table, also by hidden ones: `?digest__startswith=a`
and the like would reveal their contents letter by letter.
"""

from collections.abc import Iterator
from typing import Any

from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.admin.utils import get_fields_from_path
from django.db.models import DateField, UUIDField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

EXACT_LOOKUPS = ("", "__exact", "__isnull", "__id__exact", "__pk__exact")
RANGE_LOOKUPS = ("__gte", "__lt", "__isnull")
DATE_PART_LOOKUPS = ("__year", "__month", "__day")


class RestrictedLookupsAdmin(ModelAdmin):  # type: ignore[type-arg]
    """Allows only the filters that the list offers, and lookups by whole ids."""

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Whether the filters of the list, or its date hierarchy, use this lookup."""
        return lookup in set(self._allowed_lookups(request))

    def _allowed_lookups(self, request: HttpRequest | None) -> Iterator[str]:
        filters = self.get_list_filter(request) if request else self.list_filter
        for each in filters or ():
            name = str(each[0] if isinstance(each, (tuple, list)) else each)
            is_date = isinstance(get_fields_from_path(self.model, name)[-1], DateField)
            yield from (name + ending for ending in (RANGE_LOOKUPS if is_date else EXACT_LOOKUPS))
        # Whole ids, by which pages link to lists, are not guessed letter by letter.
        yield from (each.name for each in self.model._meta.concrete_fields if isinstance(each, UUIDField))
        if self.date_hierarchy:
            yield from (self.date_hierarchy + ending for ending in DATE_PART_LOOKUPS)


class RestrictedAdminSite(AdminSite):
    """Registers every model, including those of other packages, with restricted lookups."""

    def password_change(  # type: ignore[override]  # its stub promises a page
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The account page, where a new password also revokes tokens."""
        return redirect("account_change_password")

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        given = admin_class or ModelAdmin
        super().register(
            model_or_iterable, type(given.__name__, (RestrictedLookupsAdmin, given), {}), **options
        )
