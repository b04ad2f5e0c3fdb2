"""Recalls that belong to no reply."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0006_never_remember")]
    operations: ClassVar = [
        migrations.AddField(
            "recalltrace",
            "without_reply",
            models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddIndex(
            "recalltrace",
            models.Index(
                condition=models.Q(("without_reply", True)), fields=["user", "at"], name="trace_without_reply"
            ),
        ),
    ]
