"""What a user never wants remembered."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0005_signed_tenant")]
    operations: ClassVar = [
        migrations.AddField(
            "memorypreferences",
            "never_remember",
            models.TextField(blank=True, max_length=2000, default=""),
            preserve_default=False,
        )
    ]
