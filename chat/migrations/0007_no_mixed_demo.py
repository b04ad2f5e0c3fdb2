"""Chats of the demo are in an account of their own, so no chat is marked."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar = [("chat", "0006_recall_source")]
    operations: ClassVar = [migrations.RemoveField("conversation", "is_demo")]
