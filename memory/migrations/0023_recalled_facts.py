"""Recalls whose facts were not counted yet are found without looking at the others."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0022_decided_relations")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="recalltrace",
            name="facts_counted",
            field=models.BooleanField(default=True),
        ),
        migrations.AlterField(
            model_name="recalltrace",
            name="facts_counted",
            field=models.BooleanField(default=False),
        ),
        migrations.AddIndex(
            model_name="recalltrace",
            index=models.Index(
                condition=models.Q(("facts_counted", False)),
                fields=["user"],
                name="trace_to_count",
            ),
        ),
    ]
