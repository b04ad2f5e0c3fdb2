"""States of long chats are made anew for each reply, and rejected tools are remembered by
each process only."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0008_due_work"),
    ]

    operations = [
        migrations.DeleteModel(name="ToolRefusal"),
        migrations.DeleteModel(name="ChatState"),
    ]
