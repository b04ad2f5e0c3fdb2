"""Words keep the moment from which they say that a fact holds, so that it can begin there again
when something else turns out to have held in between."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0020_answering")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="factsource", name="since", field=models.DateTimeField(null=True)
        ),
    ]
