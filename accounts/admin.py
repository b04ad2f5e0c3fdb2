"""Users and their API tokens in the admin, which shows nobody's memory."""

from typing import Any, ClassVar

from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.idp.oidc.models import Token
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.forms import LowercaseEmailField
from accounts.models import ApiToken, User

admin.site.site_header = _("Palace administration")
admin.site.site_title = _("Palace administration")
admin.site.index_title = _("Users, jobs and usage")
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
for secret in (Authenticator, EmailAddress, Token, UserSession):
    admin.site.unregister(secret)


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows that nobody edits. Users with the view permission see the list."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


class AccountCreationForm(AdminUserCreationForm):  # type: ignore[type-arg]
    """A new account created by staff."""

    class Meta:
        model = User
        fields = ("email",)
        field_classes: ClassVar = {"email": LowercaseEmailField}


@admin.register(User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]
    """Accounts: who exists, who is staff, who may sign in."""

    add_form = AccountCreationForm
    ordering = ("email",)
    list_display = ("email", "name", "is_staff", "is_active", "date_joined", "last_login")
    list_filter = ("is_staff", "is_active")
    search_fields = ("email", "name")
    readonly_fields = ("date_joined", "last_login")
    formfield_overrides: ClassVar = {models.EmailField: {"form_class": LowercaseEmailField}}
    fieldsets = (
        (None, {"fields": ("email", "name", "password")}),
        (_("May"), {"fields": ("is_active", "is_staff", "is_superuser", "groups")}),
        (_("Quota"), {"fields": ("drawer_quota",)}),
        (_("When"), {"fields": ("date_joined", "last_login")}),
    )
    filter_horizontal = ("groups",)
    add_fieldsets = ((None, {"fields": ("email", "usable_password", "password1", "password2")}),)
    actions = ("remove_second_factors",)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save the account; a changed address becomes the one to sign in with."""
        super().save_model(request, obj, form, change)
        if "email" in form.changed_data:
            EmailAddress.objects.filter(user=obj).delete()

    @admin.action(description=_("Remove passkeys, authenticator apps and recovery codes"))
    def remove_second_factors(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Let users who lost their second factors sign in with their password alone."""
        count = Authenticator.objects.filter(user__in=queryset).delete()[0]
        message = ngettext("Removed %d second factor.", "Removed %d second factors.", count) % count
        self.message_user(request, message, messages.SUCCESS)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Never: accounts are removed by closing them, which erases everything."""
        return False


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    """Tokens: owner, scopes and last use. They can be revoked, but not read or created.

    A token is shown once, to its owner, and stays as a record.
    """

    list_display = ("id", "user", "scopes", "created_at", "last_used_at", "revoked_at")
    list_select_related = ("user",)
    search_fields = ("user__email",)
    exclude = ("name", "digest")
    actions = ("revoke",)

    @admin.action(description=_("Revoke the selected tokens"))
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        count = queryset.filter(revoked_at=None).update(revoked_at=timezone.now())
        message = ngettext("Revoked %d token.", "Revoked %d tokens.", count) % count
        self.message_user(request, message, messages.SUCCESS)
