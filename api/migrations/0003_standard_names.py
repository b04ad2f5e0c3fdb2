"""Idempotency records, and standard names for two times of webhooks."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("api", "0002_due_work")]
    operations: ClassVar = [
        migrations.RemoveConstraint("keptanswer", "answer_once_per_key"),
        migrations.RemoveIndex("keptanswer", "answer_by_time"),
        migrations.RenameModel("KeptAnswer", "IdempotencyRecord"),
        migrations.RenameField("idempotencyrecord", "kept_at", "stored_at"),
        migrations.AddConstraint(
            "idempotencyrecord",
            models.UniqueConstraint(fields=("user", "key"), name="idempotency_record_once"),
        ),
        migrations.AddIndex(
            "idempotencyrecord",
            models.Index(fields=("user", "stored_at"), name="idempotency_record_by_time"),
        ),
        migrations.RemoveIndex("webhookdelivery", "delivery_finished"),
        migrations.RenameField("webhookdelivery", "happened_at", "occurred_at"),
        migrations.AddIndex(
            "webhookdelivery",
            models.Index(
                fields=("occurred_at",), name="delivery_finished", condition=models.Q(next_at=None)
            ),
        ),
        migrations.RenameField("webhook", "worked_at", "last_success_at"),
    ]
