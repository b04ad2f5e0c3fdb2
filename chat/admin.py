"""User accounts in the admin, which operators can close."""

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.admin import AccountAdmin
from accounts.models import User
from accounts.tenancy import tenant
from memory.forgetting.account_deletion import LastStaffUser, close_account
from memory.usage.quota import drawers_kept


class ConfirmationForm(ActionForm):
    """Asks for confirmation, because the action erases data."""

    sure = forms.ChoiceField(
        label=_("Sure?"), required=False, choices=[("", _("No")), ("yes", _("Yes, erase them"))]
    )


admin.site.unregister(User)


@admin.register(User)
class ClosableAccountAdmin(AccountAdmin):
    """User accounts, which operators can close without seeing anyone's memory."""

    actions = ("remove_second_factors", "close_accounts")  # type: ignore[assignment]
    action_form = ConfirmationForm
    list_display = (*AccountAdmin.list_display[:2], "drawers", "drawer_limit", *AccountAdmin.list_display[2:])

    @admin.display(description=_("drawers"))
    def drawers(self, obj: User) -> int:
        """How many drawers count towards the quota; only the number is read."""
        with tenant(obj.id):
            return drawers_kept(obj.id)

    @admin.display(description=_("drawer quota"))
    def drawer_limit(self, obj: User) -> int | None:
        """The user's own quota, else the site's."""
        return obj.drawer_quota if obj.drawer_quota is not None else settings.DRAWER_QUOTA

    @admin.action(
        description=_("Close the selected accounts and erase everything in them"), permissions=["change"]
    )
    def close_accounts(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Erase each account with all of its rows and files, if confirmed."""
        if request.POST.get("sure") != "yes":
            message = _("Nothing was done. Also select “Yes, erase them” next to the action.")
            self.message_user(request, message, messages.WARNING)
            return
        for user in queryset.order_by("email"):
            self._close(request, user)

    def _close(self, request: HttpRequest, user: User) -> None:
        try:
            closed = close_account(user)
        except LastStaffUser:
            message = _("Make someone else staff before you close this account.")
            self.message_user(request, message, messages.ERROR)
            return
        if closed.found:
            where = ", ".join(closed.found)
            self.message_user(request, _("Something was left in: %s") % where, messages.ERROR)
        words = ngettext("Closed: %d row erased.", "Closed: %d rows erased.", closed.total)
        self.message_user(request, words % closed.total, messages.SUCCESS)
