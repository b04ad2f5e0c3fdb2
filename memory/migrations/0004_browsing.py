"""Indexes that the pages of the palace read by: counts of a wing, rooms and closets in order."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0003_search")]

    operations: ClassVar = [
        migrations.RemoveIndex(model_name="drawer", name="drawer_in_closet"),
        migrations.RemoveIndex(model_name="drawer", name="drawer_in_room"),
        migrations.AddIndex(
            model_name="drawer",
            index=models.Index(
                fields=["user", "room_id", "source_sequence", "id"],
                name="drawer_in_room_order",
            ),
        ),
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
