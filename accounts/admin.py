"""Users, groups, apps and tokens in the admin, which shows nobody's memory and opens nobody's account."""

from typing import Any, ClassVar

from allauth.account.adapter import get_adapter
from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.idp.oidc.models import Client, Token
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group
from django.db import models, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.forms import LowercaseEmailField
from accounts.hooks import SIGN_IN, record
from accounts.models import ApiToken, User
from accounts.tokens import revoke_token

admin.site.site_header = _("Palace administration")
admin.site.site_title = _("Palace administration")
admin.site.index_title = _("Users, jobs and usage")
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
for model in (Authenticator, Client, EmailAddress, Group, Token, UserSession):
    admin.site.unregister(model)

PRIVILEGES = ("is_staff", "is_superuser", "groups")


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows that nobody edits. Users with the view permission see the list."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


class DeleteOnlyAdmin(ReadOnlyAdmin):
    """Rows without user text; operators can delete them and nothing else."""

    has_delete_permission = admin.ModelAdmin.has_delete_permission


@admin.register(Client)
class AppAdmin(DeleteOnlyAdmin):
    """Apps, which register themselves.

    Nobody can edit them: an edit could redirect the access that users granted, or skip their consent.
    """

    list_display = ("name", "id", "type", "skip_consent", "created_at")
    list_filter = ("type", "skip_consent")
    search_fields = ("id", "name")
    exclude = ("secret", "data")


@admin.register(Group)
class PermissionGroupAdmin(GroupAdmin):
    """Groups of staff. Only superusers decide what a group may do."""

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return request.user.is_superuser

    has_add_permission = has_delete_permission = has_change_permission


@admin.register(User)
class AccountAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Accounts: who exists, who is staff, who may sign in.

    Nobody can get into an account by setting its password or changing its address here. A new account has
    no password: its owner sets one by email, or the operator with `changepassword`. Only superusers can
    change superusers' accounts or act on them.
    """

    ordering = ("email",)
    list_display: tuple[str, ...] = ("email", "name", "is_staff", "is_active", "date_joined", "last_login")
    list_filter = ("is_staff", "is_active")
    search_fields = ("email", "name")
    formfield_overrides: ClassVar = {models.EmailField: {"form_class": LowercaseEmailField}}
    fieldsets = (
        (None, {"fields": ("email", "name")}),
        (_("Permissions"), {"fields": ("is_active", *PRIVILEGES)}),
        (_("Quota"), {"fields": ("drawer_quota",)}),
        (_("Dates"), {"fields": ("date_joined", "last_login")}),
    )
    filter_horizontal = ("groups",)
    actions = ("remove_second_factors",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """All accounts but demos, which nobody can sign in to and which close with their owner's."""
        return super().get_queryset(request).filter(demo_of=None)

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        return super().get_fieldsets(request, obj) if obj else ((None, {"fields": ("email",)}),)

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """The user's own fields, and those that grant rights, which only superusers may change."""
        if obj is None:
            return ()
        fields = ("email", "name", "date_joined", "last_login")
        return fields if request.user.is_superuser else (*fields, *PRIVILEGES)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        if not change:
            obj.set_unusable_password()
        super().save_model(request, obj, form, change)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        above = obj is not None and obj.is_superuser and not request.user.is_superuser
        return not above and super().has_change_permission(request, obj)

    def response_action(  # type: ignore[override]  # the stubs are for a later Django
        self, request: HttpRequest, queryset: QuerySet[User]
    ) -> HttpResponse | None:
        """Limit any action to accounts that this member of staff may change."""
        if not request.user.is_superuser:
            queryset = queryset.filter(is_superuser=False)
        return super().response_action(request, queryset)

    @admin.action(
        description=_("Remove passkeys, authenticator apps and recovery codes"), permissions=["change"]
    )
    def remove_second_factors(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Let users who lost their second factors sign in with their password alone, and tell them."""
        count = sum(map(_remove_second_factors, queryset))
        message = ngettext("Removed %d second factor.", "Removed %d second factors.", count) % count
        self.message_user(request, message, messages.SUCCESS)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Never: accounts are removed by closing them, which erases everything."""
        return False


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    """Tokens: owner, scopes and last use. They can be revoked, but not read or created; those of superusers
    only by superusers.

    A token is shown once, to its owner, and stays as a record.
    """

    has_revoke_permission = admin.ModelAdmin.has_change_permission

    list_display = ("id", "user", "scopes", "created_at", "last_used_at", "revoked_at")
    list_select_related = ("user",)
    search_fields = ("user__email",)
    exclude = ("name", "digest")
    actions = ("revoke",)

    @admin.action(description=_("Revoke the selected tokens"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        if not request.user.is_superuser:
            queryset = queryset.filter(user__is_superuser=False)
        tokens = list(queryset.filter(revoked_at=None))
        for token in tokens:
            revoke_token(token, timezone.now())
        message = ngettext("Revoked %d token.", "Revoked %d tokens.", len(tokens)) % len(tokens)
        self.message_user(request, message, messages.SUCCESS)


def _remove_second_factors(user: User) -> int:
    """Remove all, record it in the owner's activity and email the owner. Returns how many there were."""
    with transaction.atomic():
        count: int = Authenticator.objects.filter(user=user).delete()[0]
        if count:
            record(user.pk, SIGN_IN, timezone.now(), change="second_factors_removed")
    if count:
        get_adapter().send_notification_mail("account/email/second_factors_removed", user)
    return count
