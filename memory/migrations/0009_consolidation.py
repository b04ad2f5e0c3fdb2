"""Tidying up: the journal of consolidation, facts at rest, and when it is done."""

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import references, row_security


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0008_usage_by_day'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='activityevent',
            name='kind',
            field=models.CharField(choices=[('memory_mined', 'Chat remembered'), ('read_again', 'Chat read again with a model'), ('mining_failed', 'Chat could not be remembered'), ('note_saved', 'Note saved'), ('deleted', 'Moved to the trash'), ('restored', 'Restored from the trash'), ('imported', 'Chats imported'), ('settings_changed', 'Settings changed'), ('demo', 'Demo palace'), ('consolidated', 'Memory tidied up'), ('reembedded', 'Search vectors renewed'), ('profile_written', 'Profile written anew'), ('profile_changed', 'You changed your profile')], max_length=20),
        ),
        migrations.AddField(
            model_name='fact',
            name='archived_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memorypreferences',
            name='archive_after_days',
            field=models.PositiveSmallIntegerField(default=365, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(3650)]),
        ),
        migrations.AddField(
            model_name='memorypreferences',
            name='consolidation',
            field=models.CharField(choices=[('never', 'Only when I ask'), ('daily', 'Every day'), ('weekly', 'Every week'), ('monthly', 'Every month')], default='weekly', max_length=8),
        ),
        migrations.CreateModel(
            name='ConsolidationRun',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('state', models.CharField(choices=[('planned', 'Planned'), ('applied', 'Applied'), ('undone', 'Undone')], default='planned', max_length=10)),
                ('digest', models.CharField(max_length=64)),
                ('facts_digest', models.CharField(max_length=64)),
                ('scheduled', models.BooleanField(default=False)),
                ('counts', models.JSONField(default=dict)),
                ('planned_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('applied_at', models.DateTimeField(null=True)),
                ('undone_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='ConsolidationChange',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('run_id', models.UUIDField()),
                ('position', models.PositiveIntegerField()),
                ('kind', models.CharField(choices=[('closed', 'Replaced facts closed'), ('merged', 'Facts merged'), ('archived', 'Facts archived'), ('removed', 'Empty places removed')], max_length=10)),
                ('subject', models.CharField(max_length=12)),
                ('subject_id', models.UUIDField()),
                ('others', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('details', models.JSONField(default=dict)),
                ('rows', models.JSONField(default=list)),
                ('undone_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('run', models.ForeignObject(from_fields=('user', 'run_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='changes', to='memory.consolidationrun', to_fields=('user', 'id'))),
            ],
        ),
        migrations.AddIndex(
            model_name='consolidationrun',
            index=models.Index(fields=['user', '-planned_at'], name='consolidation_by_time'),
        ),
        migrations.AddConstraint(
            model_name='consolidationchange',
            constraint=models.UniqueConstraint(fields=('user', 'run_id', 'position'), name='consolidation_change_once'),
        ),
        references("memory_consolidationchange", "run_id", "memory_consolidationrun"),
        row_security("memory_consolidationrun"),
        row_security("memory_consolidationchange"),
    ]
