"""What follows from an owner's decisions about facts knows its fact, to be written anew with them."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0021_source_since")]

    operations: ClassVar = [
        migrations.AddField("relationsource", "decided_fact_id", models.UUIDField(null=True)),
        migrations.AddIndex(
            "relationsource",
            models.Index(
                condition=models.Q(("decided_fact_id", None), _negated=True),
                fields=["user", "decided_fact_id"],
                name="relation_source_decided",
            ),
        ),
    ]
