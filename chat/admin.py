"""Accounts in the admin, which operators can close, and a base for lists without anybody's words."""

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.admin import PersonAdmin, ReadOnlyAdmin
from accounts.models import User
from memory.forgetting.account_deletion import LastStaffUser, close_account


class SureForm(ActionForm):
    """Asks to confirm the action, because it erases."""

    sure = forms.ChoiceField(
        label=_("Sure?"), required=False, choices=[("", _("No")), ("yes", _("Yes, erase them"))]
    )


admin.site.unregister(User)


@admin.register(User)
class PeopleAdmin(PersonAdmin):
    """Accounts, which can be closed without access to anybody's memory."""

    actions = ("remove_second_factors", "close_accounts")  # type: ignore[assignment]
    action_form = SureForm

    @admin.action(description=_("Close the selected accounts and erase everything in them"))
    def close_accounts(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        """Erase each account with all of its rows and files, if confirmed."""
        if request.POST.get("sure") != "yes":
            said = _("Nothing was done. Also select “Yes, erase them” next to the action.")
            self.message_user(request, said, messages.WARNING)
            return
        for person in chosen.order_by("email"):
            self._close(request, person)

    def _close(self, request: HttpRequest, person: User) -> None:
        try:
            closed = close_account(person)
        except LastStaffUser:
            said = _("Make someone else staff before you close this account.")
            self.message_user(request, said, messages.ERROR)
            return
        if closed.found:
            where = ", ".join(closed.found)
            self.message_user(request, _("Something was left in: %s") % where, messages.ERROR)
        words = ngettext("Closed: %d row erased.", "Closed: %d rows erased.", closed.total)
        self.message_user(request, words % closed.total, messages.SUCCESS)


class WordlessAdmin(ReadOnlyAdmin):
    """Rows without words, which operators can only delete."""

    has_delete_permission = admin.ModelAdmin.has_delete_permission
