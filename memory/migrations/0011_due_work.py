"""Indexes by which the sweep finds due work, and what they are made of."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0010_no_saved_searches"),
    ]

    operations = [
        migrations.AddField(
            model_name="changeset",
            name="expired",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="palace",
            name="changes",
            field=models.PositiveBigIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="palace",
            name="upkeep_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddIndex(
            model_name="changeset",
            index=models.Index(
                condition=models.Q(("expired", False), ("made_at__isnull", False)),
                fields=["made_at"],
                name="change_set_to_expire",
            ),
        ),
        migrations.AddIndex(
            model_name="drawer",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", False)),
                fields=["deleted_at"],
                name="drawer_in_trash",
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", False)), fields=["deleted_at"], name="fact_in_trash"
            ),
        ),
        migrations.AddIndex(
            model_name="forgetting",
            index=models.Index(
                condition=models.Q(("final_at", None), ("undone_at", None)),
                fields=["at"],
                name="forgetting_to_finish",
            ),
        ),
        migrations.AddIndex(
            model_name="memorypreferences",
            index=models.Index(
                condition=models.Q(("retention_days__gt", 0)),
                fields=["user"],
                name="preferences_with_retention",
            ),
        ),
        migrations.AddIndex(
            model_name="palace",
            index=models.Index(fields=["upkeep_at"], name="palace_by_upkeep"),
        ),
        migrations.AddIndex(
            model_name="recalltrace",
            index=models.Index(
                condition=models.Q(("without_reply", True)), fields=["at"], name="trace_to_erase"
            ),
        ),
        migrations.AddIndex(
            model_name="tombstone",
            index=models.Index(fields=["created_at"], name="tombstone_by_time"),
        ),
    ]
