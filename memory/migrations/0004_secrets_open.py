"""Lets people open the secrets of a drawer to models and programs."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0003_ten_drawers")]

    operations = [
        migrations.AddField("drawer", "secrets_open", models.BooleanField(default=False)),
        migrations.AddIndex(
            "drawer",
            models.Index(
                fields=("user", "id"),
                name="drawer_with_secrets_open",
                condition=models.Q(secrets_open=True),
            ),
        ),
    ]
