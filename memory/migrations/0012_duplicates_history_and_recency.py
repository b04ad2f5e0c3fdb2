"""Settings for what counts as a duplicate, for vague messages and for recent drawers."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0011_due_work")]
    operations: ClassVar = [
        migrations.AddField(
            "memorypreferences",
            "duplicate_similarity",
            models.FloatField(default=0.9, validators=[MinValueValidator(0.7), MaxValueValidator(1)]),
        ),
        migrations.AddField("memorypreferences", "use_history", models.BooleanField(default=True)),
        migrations.AddField(
            "memorypreferences",
            "recency",
            models.FloatField(default=0.02, validators=[MinValueValidator(0), MaxValueValidator(0.5)]),
        ),
    ]
