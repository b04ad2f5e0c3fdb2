"""The response that a stored response continued."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("api", "0003_standard_names")]
    operations: ClassVar = [
        migrations.AddField("storedresponse", "previous_id", models.UUIDField(null=True)),
    ]
