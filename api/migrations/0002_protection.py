"""Kept answers belong to their user, in the key and by row-level security."""

from typing import ClassVar

from django.db import migrations

from accounts.schema import row_security, user_in_key


class Migration(migrations.Migration):
    dependencies: ClassVar = [("api", "0001_initial")]

    operations: ClassVar = [
        user_in_key("api_keptanswer"),
        row_security("api_keptanswer", operators=True),
    ]
