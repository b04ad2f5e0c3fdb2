"""One default agent for each user, also in databases that lost the index in an earlier version."""

from typing import ClassVar

from django.db import migrations

from accounts.schema import run_script


class Migration(migrations.Migration):
    dependencies: ClassVar = [("chat", "0002_change_log")]

    operations: ClassVar = [run_script(__file__)]
