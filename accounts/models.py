"""Users and their API tokens."""

from datetime import datetime
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from uuid_utils.compat import uuid7

from accounts.owned import Operational


class UserManager(BaseUserManager["User"]):
    """Creates users by email address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A saved user. Raises ValueError without an address."""
        if not email:
            raise ValueError("An account needs an email address.")
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A saved superuser, for Django's `createsuperuser`, which shows the ValidationError."""
        if not password:
            raise ValidationError(_("Set the password in DJANGO_SUPERUSER_PASSWORD."))
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        """The user with this address, ignoring case."""
        return self.get(email=(username or "").lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A user with one palace. Staff run the site and cannot read anyone's memory.

    `demo_of` is set for a demo account: whose demo it is.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120, blank=True)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    drawer_quota = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text=_("The maximum number of drawers of this user. Leave empty for the default of this site."),
    )
    date_joined = models.DateTimeField(default=timezone.now)
    agreed_at = models.DateTimeField(null=True, blank=True, editable=False)
    language = models.CharField(max_length=12, blank=True)
    demo_of = models.OneToOneField(
        "self", on_delete=models.CASCADE, null=True, blank=True, editable=False, related_name="demo"
    )

    objects: ClassVar[UserManager] = UserManager()

    EMAIL_FIELD = "email"
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints = (models.UniqueConstraint(Lower("email"), name="user_email_any_case"),)

    def __str__(self) -> str:
        return self.email

    def get_full_name(self) -> str:
        """The name the user gave; apps with the scope `profile` receive it."""
        return self.name

    def get_short_name(self) -> str:
        """The name to show on pages."""
        return self.name or self.email.partition("@")[0]

    def agree(self, now: datetime) -> None:
        """Record when the user first consented to what Palace stores."""
        User.objects.filter(pk=self.pk, agreed_at=None).update(agreed_at=now)


SCOPES = {
    "read": _("Read and search your memory"),
    "write": _("Write notes; edit, review and forget"),
    "chat": _("Chat, and save the chats"),
}


class ApiToken(Operational):
    """A named key to the API. Only its SHA-256 is stored."""

    name = models.CharField(max_length=120)
    scopes = models.CharField(max_length=60, default="read,write,chat")
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "digest"), name="token_digest_per_user"),
            models.UniqueConstraint(
                "user", "name", condition=models.Q(revoked_at=None), name="token_name_per_user"
            ),
        )

    def __str__(self) -> str:
        return f"token {self.id}"

    @property
    def scope_list(self) -> list[str]:
        return self.scopes.split(",")


class CacheEntry(models.Model):
    """A value of the cache that all processes share; `digest` is a keyed hash of its name."""

    digest = models.CharField(max_length=64, primary_key=True)
    value = models.JSONField()
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"cache entry {self.digest[:8]}"
