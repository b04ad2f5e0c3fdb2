"""What Palace reads without a model comes from its built-in reader, no longer from rules. Drawers do
not depend on who read them."""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import Q

TABLES = (("memory_fact", "mined_by"), ("memory_minedwindow", "method"))
FORWARDS = [f"UPDATE {table} SET {field} = 'reader' WHERE {field} = 'rules'" for table, field in TABLES]
BACKWARDS = [f"UPDATE {table} SET {field} = 'rules' WHERE {field} = 'reader'" for table, field in TABLES]


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0013_no_depth_insights_or_drafts")]
    operations: ClassVar = [
        migrations.RemoveField("drawer", "mined_by"),
        migrations.RemoveIndex("minedwindow", "window_to_read_again"),
        migrations.RunSQL(FORWARDS, BACKWARDS),
        migrations.AddIndex(
            "minedwindow",
            models.Index(
                condition=Q(method="reader")
                & (Q(requested_at__isnull=False) | Q(reason__in=("away", "budget"))),
                fields=["user"],
                name="window_to_read_again",
            ),
        ),
    ]
