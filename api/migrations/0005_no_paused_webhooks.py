"""Webhooks are no longer paused.

Those that failed get messages again, about what happens from now on. Those that their owner paused, or whose
endpoint is gone, are removed.
"""

from typing import ClassVar

from django.db import migrations

RESUME = [
    "DELETE FROM api_webhookdelivery d USING api_webhook w"
    " WHERE w.user_id = d.user_id AND w.id = d.webhook_id AND w.paused_because IN ('owner', 'gone')",
    "DELETE FROM api_webhook WHERE paused_because IN ('owner', 'gone')",
    "UPDATE api_webhookdelivery d SET next_at = NULL FROM api_webhook w"
    " WHERE w.user_id = d.user_id AND w.id = d.webhook_id AND w.paused_at IS NOT NULL",
    "UPDATE api_webhook SET since = now() WHERE paused_at IS NOT NULL",
    "SET CONSTRAINTS ALL IMMEDIATE",
]


class Migration(migrations.Migration):
    dependencies: ClassVar = [("api", "0004_previous_response")]
    operations: ClassVar = [
        migrations.RunSQL(RESUME, migrations.RunSQL.noop),
        migrations.RemoveIndex("webhook", "webhook_in_use"),
        migrations.RemoveField("webhook", "paused_at"),
        migrations.RemoveField("webhook", "paused_because"),
    ]
