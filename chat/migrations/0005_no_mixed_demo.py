"""Chats of the demo are in an account of their own, so no chat is marked."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar = [("chat", "0004_endpoints_and_pins")]
    operations: ClassVar = [migrations.RemoveField("conversation", "is_demo")]
