"""Patterns over facts, by what they rest on."""

from typing import ClassVar

import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import references, row_security


class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('memory', '0014_triggers'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        migrations.AlterField(
            model_name='activityevent',
            name='kind',
            field=models.CharField(choices=[('memory_mined', 'Chat remembered'), ('read_again', 'Chat read again with a model'), ('mining_failed', 'Chat could not be remembered'), ('note_saved', 'Note saved'), ('deleted', 'Moved to the trash'), ('restored', 'Restored from the trash'), ('imported', 'Chats imported'), ('settings_changed', 'Settings changed'), ('demo', 'Demo palace'), ('consolidated', 'Memory tidied up'), ('chats_expired', 'Old chats removed'), ('purged', 'Erased for good'), ('fact_decided', 'You decided about facts'), ('reembedded', 'Search vectors renewed'), ('profile_written', 'Profile written anew'), ('skills_proposed', 'Ways of working noticed'), ('skill_decided', 'You decided about a skill'), ('insights_found', 'Patterns noticed'), ('insight_decided', 'You decided about a pattern'), ('profile_changed', 'You changed your profile')], max_length=20),
        ),
        migrations.CreateModel(
            name='Insight',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('rule', models.CharField(max_length=12)),
                ('digest', models.BinaryField(max_length=32)),
                ('found_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('dismissed_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='InsightSource',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('insight_id', models.UUIDField()),
                ('fact_id', models.UUIDField()),
                ('fact', models.ForeignObject(from_fields=('user', 'fact_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.fact', to_fields=('user', 'id'))),
                ('insight', models.ForeignObject(from_fields=('user', 'insight_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='sources', to='memory.insight', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddIndex(
            model_name='insight',
            index=models.Index(fields=['user', '-found_at'], name='insight_by_time'),
        ),
        migrations.AddConstraint(
            model_name='insight',
            constraint=models.UniqueConstraint(fields=('user', 'digest'), name='insight_once'),
        ),
        migrations.AddIndex(
            model_name='insightsource',
            index=models.Index(fields=['user', 'fact_id'], name='insight_source_fact'),
        ),
        migrations.AddConstraint(
            model_name='insightsource',
            constraint=models.UniqueConstraint(fields=('user', 'insight_id', 'fact_id'), name='insight_source_once'),
        ),
        references("memory_insightsource", "insight_id", "memory_insight"),
        references("memory_insightsource", "fact_id", "memory_fact"),
        row_security("memory_insight"),
        row_security("memory_insightsource"),
    ]
