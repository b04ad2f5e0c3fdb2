"""Indexes that the pages of the palace read by: counts of a wing, and a closet in its order."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0003_search")]

    operations: ClassVar = [
        migrations.RemoveIndex(model_name="drawer", name="drawer_in_closet"),
        migrations.AddIndex(
            model_name="drawer",
            index=models.Index(
                fields=["user", "closet_id", "source_sequence", "id"],
                name="drawer_in_closet_order",
            ),
        ),
        migrations.AddIndex(
            model_name="drawer",
            index=models.Index(
                condition=models.Q(("deleted_at", None)),
                fields=["user", "wing_id", "room_id"],
                name="drawer_in_wing",
            ),
        ),
    ]
