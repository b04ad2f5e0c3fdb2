"""Webhooks are no longer paused; those that were get messages about what happens from now on."""

from typing import ClassVar

from django.db import migrations

RESUME = "UPDATE api_webhook SET since = now() WHERE paused_at IS NOT NULL"


class Migration(migrations.Migration):
    dependencies: ClassVar = [("api", "0004_previous_response")]
    operations: ClassVar = [
        migrations.RunSQL(RESUME, migrations.RunSQL.noop),
        migrations.RemoveIndex("webhook", "webhook_in_use"),
        migrations.RemoveField("webhook", "paused_at"),
        migrations.RemoveField("webhook", "paused_because"),
    ]
