"""Indexes by which the sweep finds due work."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("transfer", "0003_whole_exports"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="importrun",
            index=models.Index(
                condition=models.Q(("state__in", ("checking", "waiting", "running", "ready"))),
                fields=["user"],
                name="import_open",
            ),
        ),
        migrations.AddIndex(
            model_name="transfer",
            index=models.Index(
                condition=models.Q(
                    models.Q(("name", ""), _negated=True), ("dropped_at__isnull", False), _connector="OR"
                ),
                fields=["user"],
                name="transfer_with_file",
            ),
        ),
    ]
