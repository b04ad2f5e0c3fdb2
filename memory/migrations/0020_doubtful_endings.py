"""Store doubtful statements that a fact has ended, so that review can ask the owner about them."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0019_insight_indexes")]
    operations: ClassVar = [
        migrations.AddField("factending", "doubtful", models.BooleanField(default=False)),
        migrations.AddField("factending", "denied", models.BooleanField(default=False)),
        migrations.AddField("factending", "asked_id", models.UUIDField(null=True)),
        migrations.RemoveConstraint("factending", "fact_ending_once"),
        migrations.AddConstraint(
            "factending",
            models.UniqueConstraint(
                fields=["user", "drawer_id", "start", "key", "doubtful"], name="fact_ending_once"
            ),
        ),
        migrations.AddIndex(
            "factending",
            models.Index(
                fields=["user", "-at"],
                condition=models.Q(asked_id__isnull=False),
                name="fact_ending_asked",
            ),
        ),
    ]
