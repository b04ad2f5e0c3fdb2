"""Signing in moves to django-allauth: its rows belong to their person too. Everybody signs in anew."""

from typing import ClassVar

from django.db import migrations

TENANT = "NULLIF(current_setting('palace.user_id', true), '')::uuid"
# Before sign-in there is no tenant, and the rows are found by an address, a key or a digest.
ALLOWED = f"""
    (SELECT {TENANT}) IS NULL OR user_id = (SELECT {TENANT})
    OR (SELECT current_setting('palace.operator', true) = 'on')
"""
TABLES = (
    "account_emailaddress",
    "allauth_idp_oidc_token",
    "mfa_authenticator",
    "usersessions_usersession",
)


def protect(table: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        sql=[
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
            f"CREATE POLICY tenant ON {table} USING ({ALLOWED}) WITH CHECK ({ALLOWED})",
        ],
        reverse_sql=[
            f"DROP POLICY tenant ON {table}",
            f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY",
        ],
    )


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("accounts", "0001_initial"),
        ("account", "0009_emailaddress_unique_primary_email"),
        ("allauth_idp_oidc", "0003_client_allow_uri_wildcards"),
        ("mfa", "0003_authenticator_type_uniq"),
        ("usersessions", "0001_initial"),
    ]

    operations: ClassVar = [
        migrations.DeleteModel("Session"),
        migrations.RunSQL(
            "DROP TABLE IF EXISTS axes_accessattemptexpiration, axes_accessattempt,"
            " axes_accessfailurelog, axes_accesslog"
        ),
        *map(protect, TABLES),
    ]
