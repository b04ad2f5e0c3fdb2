"""How thoroughly recall looks is a choice of each person."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0018_words_at_once")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="memorypreferences",
            name="recipe",
            field=models.CharField(
                choices=[
                    ("fast", "Quickly"),
                    ("default", "As usual"),
                    ("thorough", "Thoroughly"),
                ],
                default="default",
                max_length=10,
            ),
        ),
    ]
