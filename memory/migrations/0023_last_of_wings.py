"""Wings know when their last drawer was said, and the index of rooms still answers that alone."""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import Q

from accounts.schema import run_script


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0022_custom_word_plans")]
    operations: ClassVar = [
        run_script(__file__),
        migrations.RemoveIndex("room", "room_that_holds"),
        migrations.AddIndex(
            "room",
            models.Index(
                fields=["user", "wing_id", "-started_at", "id"],
                name="room_that_holds",
                condition=Q(drawers_held__gt=0),
                include=("drawers_held", "ended_at"),
            ),
        ),
    ]
