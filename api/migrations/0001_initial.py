"""Answers kept for retries, stored responses, and webhooks with their deliveries."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models import Index, Q, UniqueConstraint
from django.utils.timezone import now

from accounts.schema import operational, owned, reference, run_script

REPLACED = """
0002_protection 0003_stored_responses 0004_webhooks
"""


class Migration(migrations.Migration):
    initial = True
    replaces: ClassVar = [("api", name) for name in REPLACED.split()]
    dependencies: ClassVar = [("accounts", "0001_initial"), ("chat", "0001_initial")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="KeptAnswer",
            fields=[
                *operational(),
                ("key", models.CharField(max_length=64)),
                ("fingerprint", models.CharField(max_length=64)),
                ("claim", models.UUIDField()),
                ("claimed_until", models.DateTimeField()),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("body", models.JSONField(null=True)),
                ("kept_at", models.DateTimeField()),
            ],
            options={
                "indexes": [Index(fields=["user", "kept_at"], name="answer_by_time")],
                "constraints": [UniqueConstraint(fields=("user", "key"), name="answer_once_per_key")],
            },
        ),
        migrations.CreateModel(
            name="StoredResponse",
            fields=[
                *owned(),
                ("conversation_id", models.UUIDField()),
                reference("conversation", "chat.conversation"),
                ("sequence", models.PositiveIntegerField()),
                ("model", models.CharField(blank=True, max_length=120)),
                ("created_at", models.DateTimeField(default=now)),
            ],
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                *owned(),
                ("url", models.CharField(max_length=500)),
                ("events", ArrayField(base_field=models.CharField(max_length=20), size=None)),
                ("salt", models.CharField(max_length=32)),
                ("since", models.DateTimeField(default=now)),
                ("created_at", models.DateTimeField(default=now)),
                ("paused_at", models.DateTimeField(null=True)),
                (
                    "paused_because",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("owner", "You paused it"),
                            ("gone", "The endpoint answered that it is gone for good"),
                            ("failing", "Nothing was delivered for two days"),
                        ],
                        max_length=10,
                    ),
                ),
                ("worked_at", models.DateTimeField(null=True)),
            ],
            options={"constraints": [UniqueConstraint(fields=("user", "url"), name="webhook_once_per_url")]},
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                *owned(),
                ("webhook_id", models.UUIDField()),
                reference("webhook", "api.webhook", related_name="deliveries"),
                ("kind", models.CharField(max_length=20)),
                ("subject_id", models.UUIDField()),
                ("happened_at", models.DateTimeField()),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("next_at", models.DateTimeField(null=True)),
                ("status", models.PositiveSmallIntegerField(default=0)),
                ("failure", models.CharField(blank=True, max_length=20)),
                ("delivered_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(default=now)),
            ],
            options={
                "indexes": [
                    Index(
                        condition=Q(("next_at__isnull", False)),
                        fields=["user", "next_at"],
                        name="delivery_that_waits",
                    )
                ],
                "constraints": [
                    UniqueConstraint(
                        fields=("user", "webhook_id", "kind", "subject_id"), name="told_once_per_webhook"
                    )
                ],
            },
        ),
        run_script(__file__),
    ]
