"""Full-text search asks for the signed tenant."""

from typing import ClassVar

from django.db import migrations

from accounts.schema import run_script


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0004_secrets_open")]
    operations: ClassVar = [run_script(__file__)]
