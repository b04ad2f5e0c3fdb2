"""Vectors of single sentences, packed into one value a drawer, kept inside the row."""

from typing import ClassVar

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.schema import references, row_security

# Rounded vectors do not compress, and a value in the side table costs a look-up of its own.
INLINE = [
    "ALTER TABLE memory_sentencevectors ALTER COLUMN kept SET STORAGE EXTERNAL",
    "ALTER TABLE memory_sentencevectors SET (toast_tuple_target = 8160)",
]


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0024_statistics")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="SentenceVectors",
            fields=[
                (
                    "drawer",
                    models.ForeignObject(
                        from_fields=("user", "drawer_id"),
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memory.drawer",
                        to_fields=("user", "id"),
                    ),
                ),
                (
                    "space",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="memory.embeddingspace",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "user_id",
                        "drawer_id",
                        "space_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("drawer_id", models.UUIDField()),
                ("kept", models.BinaryField()),
            ],
        ),
        references("memory_sentencevectors", "drawer_id", "memory_drawer"),
        row_security("memory_sentencevectors"),
        migrations.RunSQL(INLINE, migrations.RunSQL.noop),
    ]
