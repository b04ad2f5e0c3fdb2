"""Ten drawers for a reply instead of five, in palaces made from now on."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0002_change_log")]
    operations: ClassVar = [
        migrations.AlterField(
            "memorypreferences",
            "top_k",
            models.PositiveSmallIntegerField(
                default=10, validators=[MinValueValidator(1), MaxValueValidator(20)]
            ),
        )
    ]
