"""A cache that all processes share. It may be lost with a power cut, so it is not logged."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("accounts", "0007_sign_in")]

    operations: ClassVar = [
        migrations.CreateModel(
            "CacheEntry",
            [
                ("digest", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("value", models.JSONField()),
                ("expires_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.RunSQL(
            "ALTER TABLE accounts_cacheentry SET UNLOGGED", "ALTER TABLE accounts_cacheentry SET LOGGED"
        ),
    ]
