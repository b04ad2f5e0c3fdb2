"""An export holds everything."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar = [("transfer", "0002_choice_of_chats")]
    operations: ClassVar = [migrations.RemoveField("transfer", "wing_id")]
