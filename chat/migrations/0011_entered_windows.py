"""The context windows that owners entered are kept apart from those that their endpoints list."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("chat", "0010_standard_names")]
    operations: ClassVar = [
        migrations.AddField("modelendpoint", "entered_windows", models.JSONField(default=dict))
    ]
