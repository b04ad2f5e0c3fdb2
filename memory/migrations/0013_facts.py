"""Facts with their versions, links and vectors."""

from typing import ClassVar

import django.contrib.postgres.fields
import django.db.models.deletion
import pgvector.django.halfvec
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import references, row_security

SOURCES = """
UPDATE memory_fact fact SET source_kind = drawer.source_kind
FROM memory_factsource source, memory_drawer drawer
WHERE source.user_id = fact.user_id AND source.fact_id = fact.id
  AND drawer.user_id = source.user_id AND drawer.id = source.drawer_id
"""
IMPORTANCE = """
UPDATE memory_fact SET importance = CASE kind
  WHEN 'constraint' THEN 0.9 WHEN 'identity' THEN 0.8 WHEN 'instruction' THEN 0.8
  WHEN 'relationship' THEN 0.7 WHEN 'goal' THEN 0.6 WHEN 'other' THEN 0.3
  WHEN 'experience' THEN 0.4 WHEN 'behaviour' THEN 0.4 WHEN 'technical' THEN 0.4
  WHEN 'insight' THEN 0.4 ELSE 0.5 END
"""


class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('memory', '0012_retention'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name='FactEnding',
            fields=[
                ('drawer', models.ForeignObject(from_fields=('user', 'drawer_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.drawer', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('key', models.CharField(max_length=120)),
                ('predicate', models.CharField(max_length=120)),
                ('value_digest', models.BinaryField(max_length=32)),
                ('object_digest', models.BinaryField(max_length=32)),
                ('at', models.DateTimeField()),
                ('drawer_id', models.UUIDField()),
                ('start', models.PositiveIntegerField()),
                ('end', models.PositiveIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='FactLink',
            fields=[
                ('fact', models.ForeignObject(from_fields=('user', 'fact_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.fact', to_fields=('user', 'id'))),
                ('other', models.ForeignObject(from_fields=('user', 'other_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.fact', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('fact_id', models.UUIDField()),
                ('other_id', models.UUIDField()),
                ('kind', models.CharField(choices=[('same', 'The same in other words'), ('related', 'Related')], max_length=10)),
                ('likeness', models.FloatField()),
            ],
        ),
        migrations.CreateModel(
            name='FactVector',
            fields=[
                ('fact', models.ForeignObject(from_fields=('user', 'fact_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.fact', to_fields=('user', 'id'))),
                ('space', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='memory.embeddingspace')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('pk', models.CompositePrimaryKey('user_id', 'fact_id', 'space_id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('fact_id', models.UUIDField()),
                ('embedding', pgvector.django.halfvec.HalfVectorField()),
            ],
        ),
        migrations.CreateModel(
            name='FactVersion',
            fields=[
                ('fact', models.ForeignObject(from_fields=('user', 'fact_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='versions', to='memory.fact', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('fact_id', models.UUIDField()),
                ('number', models.PositiveIntegerField()),
                ('content', models.JSONField()),
                ('content_hash', models.BinaryField(max_length=32)),
                ('decision_id', models.UUIDField()),
                ('replaced_at', models.DateTimeField()),
                ('undone_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name='fact',
            name='deleted_by_owner',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='fact',
            name='ended_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='fact',
            name='entities',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None),
        ),
        migrations.AddField(
            model_name='fact',
            name='importance',
            field=models.FloatField(default=0.5),
        ),
        migrations.AddField(
            model_name='fact',
            name='last_recalled_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='fact',
            name='merged_into_id',
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name='fact',
            name='source_kind',
            field=models.CharField(blank=True, max_length=20),
        ),
        migrations.AddField(
            model_name='fact',
            name='times_recalled',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='fact',
            name='topic',
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AddField(
            model_name='fact',
            name='version',
            field=models.PositiveIntegerField(default=1),
        ),
        migrations.AlterField(
            model_name='activityevent',
            name='kind',
            field=models.CharField(choices=[('memory_mined', 'Chat remembered'), ('read_again', 'Chat read again with a model'), ('mining_failed', 'Chat could not be remembered'), ('note_saved', 'Note saved'), ('deleted', 'Moved to the trash'), ('restored', 'Restored from the trash'), ('imported', 'Chats imported'), ('settings_changed', 'Settings changed'), ('demo', 'Demo palace'), ('consolidated', 'Memory tidied up'), ('chats_expired', 'Old chats removed'), ('purged', 'Erased for good'), ('fact_decided', 'You decided about facts'), ('reembedded', 'Search vectors renewed'), ('profile_written', 'Profile written anew'), ('skills_proposed', 'Ways of working noticed'), ('skill_decided', 'You decided about a skill'), ('profile_changed', 'You changed your profile')], max_length=20),
        ),
        migrations.AlterField(
            model_name='tombstone',
            name='kind',
            field=models.CharField(choices=[('message', 'Message'), ('text', 'Text'), ('conversation', 'Conversation'), ('fact', 'Fact')], max_length=12),
        ),
        migrations.AddConstraint(
            model_name='fact',
            constraint=models.CheckConstraint(condition=models.Q(('importance__gte', 0), ('importance__lte', 1)), name='fact_importance_0_1'),
        ),
        migrations.AddIndex(
            model_name='factending',
            index=models.Index(fields=['user', 'key'], name='fact_ending_key'),
        ),
        migrations.AddIndex(
            model_name='factending',
            index=models.Index(fields=['user', 'predicate'], name='fact_ending_predicate'),
        ),
        migrations.AddConstraint(
            model_name='factending',
            constraint=models.UniqueConstraint(fields=('user', 'drawer_id', 'start', 'key'), name='fact_ending_once'),
        ),
        migrations.AddIndex(
            model_name='factlink',
            index=models.Index(fields=['user', 'other_id'], name='fact_link_other'),
        ),
        migrations.AddConstraint(
            model_name='factlink',
            constraint=models.UniqueConstraint(fields=('user', 'fact_id', 'other_id'), name='fact_link_once'),
        ),
        migrations.AddIndex(
            model_name='factversion',
            index=models.Index(fields=['user', 'decision_id'], name='fact_version_decision'),
        ),
        migrations.AddIndex(
            model_name='factversion',
            index=models.Index(fields=['user', 'content_hash'], name='fact_version_hash'),
        ),
        migrations.AddConstraint(
            model_name='factversion',
            constraint=models.UniqueConstraint(condition=models.Q(('undone_at', None)), fields=('user', 'fact_id', 'number'), name='fact_version_once'),
        ),
        references('memory_factversion', 'fact_id', 'memory_fact'),
        references('memory_factending', 'drawer_id', 'memory_drawer'),
        references('memory_factlink', 'fact_id', 'memory_fact'),
        references('memory_factlink', 'other_id', 'memory_fact'),
        references('memory_factvector', 'fact_id', 'memory_fact'),
        row_security('memory_factversion'),
        row_security('memory_factending'),
        row_security('memory_factlink'),
        row_security('memory_factvector'),
        migrations.RunSQL(SOURCES, migrations.RunSQL.noop),
        migrations.RunSQL(IMPORTANCE, migrations.RunSQL.noop),
    ]
