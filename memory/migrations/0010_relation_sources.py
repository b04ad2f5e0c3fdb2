"""Relations are worked out from what was said of them; names are told apart by sense.

What is known already becomes a source of its own. An end that no later value explains was said,
so it stays with its relation.
"""

from typing import ClassVar

import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import references, row_security

SENSES = """
UPDATE memory_entityname AS name
SET sense = CASE entity.type
              WHEN 'user' THEN 'person' WHEN 'person' THEN 'person' WHEN 'animal' THEN 'animal'
              WHEN 'place' THEN 'site' WHEN 'organisation' THEN 'site' WHEN 'project' THEN 'site'
              ELSE '' END
FROM memory_entity AS entity
WHERE entity.user_id = name.user_id AND entity.id = name.entity_id
"""

SOURCES = """
INSERT INTO memory_relationsource
  (user_id, id, subject_id, relation, object_id, edge_id, ends, at, until, single_valued,
   confidence, drawer_id, recorded_at)
SELECT known.user_id, known.id, known.subject_id, known.relation, known.object_id, known.id, false,
       known.valid_from,
       CASE WHEN EXISTS (
         SELECT 1 FROM memory_relation AS later
         WHERE later.user_id = known.user_id AND later.subject_id = known.subject_id
           AND later.relation = known.relation AND later.object_id <> known.object_id
           AND later.single_valued AND later.deleted_at IS NULL
           AND later.valid_from = known.valid_to
       ) THEN NULL ELSE known.valid_to END,
       known.single_valued, known.confidence, known.drawer_id, known.recorded_at
FROM memory_relation AS known
"""


class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('memory', '0009_consolidation'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name='RelationSource',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('subject_id', models.UUIDField()),
                ('relation', models.CharField(max_length=120)),
                ('object_id', models.UUIDField()),
                ('edge_id', models.UUIDField(null=True)),
                ('ends', models.BooleanField(default=False)),
                ('at', models.DateTimeField()),
                ('until', models.DateTimeField(null=True)),
                ('single_valued', models.BooleanField(default=False)),
                ('confidence', models.FloatField()),
                ('drawer_id', models.UUIDField()),
                ('start', models.PositiveIntegerField(null=True)),
                ('end', models.PositiveIntegerField(null=True)),
                ('recorded_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('drawer', models.ForeignObject(from_fields=('user', 'drawer_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='relation_sources', to='memory.drawer', to_fields=('user', 'id'))),
                ('edge', models.ForeignObject(from_fields=('user', 'edge_id'), null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='sources', to='memory.relation', to_fields=('user', 'id'))),
                ('object', models.ForeignObject(from_fields=('user', 'object_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='said_with', to='memory.entity', to_fields=('user', 'id'))),
                ('subject', models.ForeignObject(from_fields=('user', 'subject_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='said_of', to='memory.entity', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='entityname',
            name='entity_name_per_user',
        ),
        migrations.AddField(
            model_name='entityname',
            name='by_owner',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='entityname',
            name='sense',
            field=models.CharField(blank=True, max_length=10),
        ),
        migrations.RunSQL(SENSES, migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name='entityname',
            constraint=models.UniqueConstraint(fields=('user', 'normalised', 'sense'), name='entity_name_per_sense'),
        ),
        migrations.AddIndex(
            model_name='relationsource',
            index=models.Index(fields=['user', 'subject_id', 'relation'], name='relation_source_subject'),
        ),
        migrations.AddIndex(
            model_name='relationsource',
            index=models.Index(fields=['user', 'object_id'], name='relation_source_object'),
        ),
        migrations.AddIndex(
            model_name='relationsource',
            index=models.Index(fields=['user', 'drawer_id'], name='relation_source_drawer'),
        ),
        migrations.AddIndex(
            model_name='relationsource',
            index=models.Index(fields=['user', 'edge_id'], name='relation_source_edge'),
        ),
        references('memory_relationsource', 'subject_id', 'memory_entity'),
        references('memory_relationsource', 'object_id', 'memory_entity'),
        references('memory_relationsource', 'drawer_id', 'memory_drawer'),
        references(
            'memory_relationsource', 'edge_id', 'memory_relation',
            on_delete='SET NULL (edge_id)',
        ),
        row_security('memory_relationsource'),
        migrations.RunSQL(SOURCES, migrations.RunSQL.noop),
    ]
