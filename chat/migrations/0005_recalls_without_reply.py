"""Mark the recalls of earlier versions that belong to no reply."""

from typing import ClassVar

from django.db import migrations

from accounts.schema import run_script


class Migration(migrations.Migration):
    dependencies: ClassVar = [("chat", "0004_endpoints_and_pins"), ("memory", "0007_recalls_without_reply")]

    operations: ClassVar = [run_script(__file__)]
