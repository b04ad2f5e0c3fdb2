"""Tokens belong to their user, in the key and by row-level security."""

from typing import ClassVar

from django.db import migrations

from accounts.schema import row_security, user_in_key


class Migration(migrations.Migration):
    dependencies: ClassVar = [("accounts", "0001_initial")]

    operations: ClassVar = [
        user_in_key("accounts_apitoken"),
        row_security("accounts_apitoken", operators=True),
    ]
