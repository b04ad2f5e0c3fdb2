"""Users, their sessions and their API tokens."""

from typing import ClassVar

from django.conf import settings
from django.db import migrations, models
from django.db.models import CASCADE, F, Q, UniqueConstraint
from django.db.models.functions import Lower
from django.utils.timezone import now
from uuid_utils.compat import uuid7

from accounts.schema import operational, run_script

REPLACED = """
0002_protection 0003_smaller_keys 0004_drawer_quota 0005_token_names 0006_language_and_consent
"""


class Migration(migrations.Migration):
    initial = True
    replaces: ClassVar = [("accounts", name) for name in REPLACED.split()]
    dependencies: ClassVar = [("auth", "0012_alter_user_first_name_max_length")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="User",
            fields=[
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text=(
                            "Designates that this user has all permissions without explicitly assigning them."
                        ),
                        verbose_name="superuser status",
                    ),
                ),
                ("id", models.UUIDField(default=uuid7, editable=False, primary_key=True, serialize=False)),
                ("email", models.EmailField(max_length=254, unique=True)),
                ("name", models.CharField(blank=True, max_length=120)),
                ("is_staff", models.BooleanField(default=False)),
                ("is_active", models.BooleanField(default=True)),
                (
                    "drawer_quota",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text=(
                            "The maximum number of drawers of this user. Leave empty for the default of this site."
                        ),
                        null=True,
                    ),
                ),
                ("date_joined", models.DateTimeField(default=now)),
                ("agreed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("language", models.CharField(blank=True, max_length=12)),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text=(
                            "The groups this user belongs to. "
                            "A user will get all permissions granted to each of their groups."
                        ),
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={"constraints": [UniqueConstraint(Lower("email"), name="user_email_any_case")]},
        ),
        migrations.CreateModel(
            name="Session",
            fields=[
                (
                    "session_key",
                    models.CharField(
                        max_length=40, primary_key=True, serialize=False, verbose_name="session key"
                    ),
                ),
                ("session_data", models.TextField(verbose_name="session data")),
                ("expire_date", models.DateTimeField(db_index=True, verbose_name="expire date")),
                (
                    "user",
                    models.ForeignKey(
                        null=True, on_delete=CASCADE, related_name="sessions", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("user_agent", models.CharField(blank=True, max_length=200)),
                ("started_at", models.DateTimeField(default=now)),
            ],
            options={"verbose_name": "session", "verbose_name_plural": "sessions"},
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                *operational(),
                ("name", models.CharField(max_length=120)),
                ("scopes", models.CharField(default="read,write,chat", max_length=60)),
                ("digest", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(default=now)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    UniqueConstraint(fields=("user", "digest"), name="token_digest_per_user"),
                    UniqueConstraint(
                        F("user"), F("name"), condition=Q(("revoked_at", None)), name="token_name_per_user"
                    ),
                ]
            },
        ),
        run_script(__file__),
    ]
