"""Imports always keep the output of tools."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("transfer", "0004_due_work"),
    ]

    operations = [
        migrations.RemoveField(model_name="importrun", name="tools"),
        migrations.RemoveField(model_name="importedchat", name="tool_results"),
        migrations.RemoveField(model_name="importedchat", name="tool_excess"),
    ]
