"""Searches are no longer saved: each has an address that can be bookmarked."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0009_recall_source")]
    operations: ClassVar = [migrations.DeleteModel("SavedSearch")]
