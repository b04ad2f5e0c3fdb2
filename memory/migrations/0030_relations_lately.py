"""The newest relations, of all or of one entity, are read without sorting the others."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0029_forgetting")]

    operations = [
        migrations.AddIndex(
            model_name="relation",
            index=models.Index(
                condition=models.Q(("deleted_at", None)),
                fields=["user", "-valid_from", "id"],
                name="relation_lately",
            ),
        ),
        migrations.AddIndex(
            model_name="relation",
            index=models.Index(
                condition=models.Q(("deleted_at", None)),
                fields=["user", "subject_id", "-valid_from", "id"],
                name="relation_of_subject_lately",
            ),
        ),
        migrations.AddIndex(
            model_name="relation",
            index=models.Index(
                condition=models.Q(("deleted_at", None)),
                fields=["user", "object_id", "-valid_from", "id"],
                name="relation_of_object_lately",
            ),
        ),
    ]
