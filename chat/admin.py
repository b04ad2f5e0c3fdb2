"""Operators can close accounts; they see no row of the chats."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.admin import PersonAdmin
from accounts.models import User
from memory.forgetting.account_deletion import LastOfStaff, close_account


class SureForm(ActionForm):
    """A choice beside the action, so that erasing takes two."""

    sure = forms.ChoiceField(
        label=_("Sure?"),
        required=False,
        choices=[("", _("No")), ("yes", _("Yes, erase them"))],
    )


admin.site.unregister(User)


@admin.register(User)
class PeopleAdmin(PersonAdmin):
    """Accounts, which can be closed: that needs no look at anybody's memory."""

    actions = ("remove_second_factors", "close_accounts")  # type: ignore[assignment]
    action_form = SureForm

    @admin.action(description=_("Close the chosen accounts and erase everything in them"))
    def close_accounts(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        """Erase each account with all of its rows and files, if that is really meant."""
        if request.POST.get("sure") != "yes":
            said = _("Nothing was done. Choose “Yes, erase them” beside the action too.")
            self.message_user(request, said, messages.WARNING)
            return
        for person in chosen.order_by("email"):
            self._close(request, person)

    def _close(self, request: HttpRequest, person: User) -> None:
        try:
            closed = close_account(person)
        except LastOfStaff:
            said = _("Somebody else has to be staff before that account can be closed.")
            self.message_user(request, said, messages.ERROR)
            return
        if closed.found:
            where = ", ".join(closed.found)
            self.message_user(request, _("Something is left in: %s") % where, messages.ERROR)
        words = ngettext("Closed: %d row erased.", "Closed: %d rows erased.", closed.total)
        self.message_user(request, words % closed.total, messages.SUCCESS)


class WordlessAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows that can be looked at and nothing else."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Rows come from people's work alone."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nothing in a row is an operator's to change."""
        return False
