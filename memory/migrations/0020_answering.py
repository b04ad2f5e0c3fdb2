"""Which embedding space answers for a person: for those who have vectors the one they have most
of, until what they chose has read everything."""

from typing import ClassVar

from django.db import migrations, models
from django.db.models.deletion import PROTECT

ANSWERING = """
UPDATE memory_palace palace SET answering_id = known.space_id, mixed = known.spaces > 1
FROM (
  SELECT DISTINCT ON (user_id) user_id, space_id, count(*) OVER (PARTITION BY user_id) AS spaces
  FROM (SELECT user_id, space_id, count(*) AS vectors FROM memory_drawervector
        GROUP BY user_id, space_id) AS counted
  ORDER BY user_id, vectors DESC, space_id
) AS known WHERE known.user_id = palace.user_id
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0019_recipes")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="palace",
            name="answering",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=PROTECT,
                related_name="+",
                to="memory.embeddingspace",
            ),
        ),
        migrations.AddField(
            model_name="palace", name="answering_since", field=models.DateTimeField(null=True)
        ),
        migrations.AddField(
            model_name="palace", name="indexed", field=models.BooleanField(default=False)
        ),
        migrations.AddField(
            model_name="palace", name="mixed", field=models.BooleanField(default=False)
        ),
        migrations.RunSQL(ANSWERING, migrations.RunSQL.noop),
    ]
