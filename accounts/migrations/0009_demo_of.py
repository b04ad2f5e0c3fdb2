"""A demo palace is an account of its own that belongs to another one."""

from typing import ClassVar

from django.conf import settings
from django.db import migrations, models
from django.db.models.deletion import CASCADE


class Migration(migrations.Migration):
    dependencies: ClassVar = [("accounts", "0008_shared_cache")]

    operations: ClassVar = [
        migrations.AddField(
            "User",
            "demo_of",
            models.OneToOneField(
                settings.AUTH_USER_MODEL, CASCADE, null=True, blank=True, editable=False, related_name="demo"
            ),
        ),
    ]
