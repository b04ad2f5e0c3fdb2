"""Who asked for the recalls of earlier versions: only replies and MCP clients stored them."""

from typing import ClassVar

from django.db import migrations

from accounts.schema import run_script


class Migration(migrations.Migration):
    dependencies: ClassVar = [("chat", "0005_recalls_without_reply"), ("memory", "0009_recall_source")]

    operations: ClassVar = [run_script(__file__)]
