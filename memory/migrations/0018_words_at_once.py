"""Words of new drawers go into the index early: what waits in its list takes room, and every
search reads through it. A message has one drawer whatever the kind of its source. Keys that only
ever grow at their end are stored without room between them."""

from typing import ClassVar

from django.db import migrations, models


GROWING = (
    "memory_drawer_pkey",
    "memory_drawerwords_pkey",
    "memory_drawervector_pkey",
    "drawer_of_message",
    "drawer_in_room_sequence",
    "drawer_in_closet_sequence",
)


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0017_summaries")]

    operations: ClassVar = [
        migrations.RunSQL(
            "ALTER INDEX memory_words_search SET (gin_pending_list_limit = 256)",
            "ALTER INDEX memory_words_search RESET (gin_pending_list_limit)",
        ),
        migrations.RemoveConstraint(model_name="drawer", name="drawer_per_message"),
        migrations.AddConstraint(
            model_name="drawer",
            constraint=models.UniqueConstraint(
                fields=("user", "source_message_id"), name="drawer_of_message"
            ),
        ),
        migrations.RunSQL(
            [f"ALTER INDEX {name} SET (fillfactor = 100)" for name in GROWING],
            [f"ALTER INDEX {name} RESET (fillfactor)" for name in GROWING],
        ),
    ]
