"""Changes of titles and agents move to the change log of memory."""

from typing import ClassVar

from django.db import migrations

from accounts.schema import run_script


class Migration(migrations.Migration):
    dependencies: ClassVar = [("chat", "0001_initial"), ("memory", "0002_change_log")]

    operations: ClassVar = [
        run_script(__file__),
        migrations.DeleteModel(name="Edit"),
    ]
