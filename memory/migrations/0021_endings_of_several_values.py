"""The same words may end several values under one key ("No more tea and coffee")."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0020_doubtful_endings")]

    operations: ClassVar = [
        migrations.RemoveConstraint("factending", "fact_ending_once"),
        migrations.AddConstraint(
            "factending",
            models.UniqueConstraint(
                fields=["user", "drawer_id", "start", "key", "value_digest", "doubtful"],
                name="fact_ending_once",
            ),
        ),
    ]
