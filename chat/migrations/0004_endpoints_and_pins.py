"""Model endpoints of users, and pinned chats."""

from typing import ClassVar

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("chat", "0003_one_default_agent"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        migrations.AddField(
            model_name="conversation", name="pinned_at", field=models.DateTimeField(null=True)
        ),
        migrations.CreateModel(
            name="ModelEndpoint",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("base_url", models.CharField(max_length=500)),
                ("secret", models.BinaryField()),
                ("chat_model", models.CharField(blank=True, max_length=120)),
                ("offered", models.JSONField(default=dict)),
                ("tested_at", models.DateTimeField()),
            ],
        ),
    ]
