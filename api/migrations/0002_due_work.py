"""Indexes by which the sweep finds due work."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("api", "0001_initial"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="webhook",
            index=models.Index(
                condition=models.Q(("paused_at", None)), fields=["user"], name="webhook_in_use"
            ),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(
                condition=models.Q(("next_at", None)), fields=["happened_at"], name="delivery_finished"
            ),
        ),
    ]
