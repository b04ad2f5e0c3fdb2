"""How certain the words of each source make its fact."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0023_last_of_wings")]

    operations: ClassVar = [migrations.AddField("factsource", "confidence", models.FloatField(null=True))]
