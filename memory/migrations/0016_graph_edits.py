"""What owners change about people and things, each change with what undoes it."""

from typing import ClassVar

import django.db.models.deletion
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import references, row_security


class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('memory', '0015_insights'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        migrations.AddField(
            model_name='entity',
            name='merged_into_id',
            field=models.UUIDField(null=True),
        ),
        migrations.AlterField(
            model_name='activityevent',
            name='kind',
            field=models.CharField(choices=[('memory_mined', 'Chat remembered'), ('read_again', 'Chat read again with a model'), ('mining_failed', 'Chat could not be remembered'), ('note_saved', 'Note saved'), ('deleted', 'Moved to the trash'), ('restored', 'Restored from the trash'), ('imported', 'Chats imported'), ('settings_changed', 'Settings changed'), ('demo', 'Demo palace'), ('consolidated', 'Memory tidied up'), ('chats_expired', 'Old chats removed'), ('purged', 'Erased for good'), ('fact_decided', 'You decided about facts'), ('reembedded', 'Search vectors renewed'), ('profile_written', 'Profile written anew'), ('skills_proposed', 'Ways of working noticed'), ('skill_decided', 'You decided about a skill'), ('insights_found', 'Patterns noticed'), ('insight_decided', 'You decided about a pattern'), ('profile_changed', 'You changed your profile'), ('graph_edited', 'You changed a person or thing')], max_length=20),
        ),
        migrations.CreateModel(
            name='GraphEdit',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('kind', models.CharField(choices=[('renamed', 'Renamed'), ('retyped', 'Kind changed'), ('detailed', 'Detail changed'), ('named', 'Another name'), ('unnamed', 'Name taken away'), ('merged', 'Merged'), ('split', 'Split')], max_length=10)),
                ('entity_id', models.UUIDField()),
                ('other_id', models.UUIDField(null=True)),
                ('details', models.JSONField(default=dict)),
                ('at', models.DateTimeField()),
                ('undone_at', models.DateTimeField(null=True)),
                ('entity', models.ForeignObject(from_fields=('user', 'entity_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='edits', to='memory.entity', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['user', 'entity_id', '-at'], name='graph_edit_by_entity')],
            },
        ),
        references("memory_entity", "merged_into_id", "memory_entity"),
        references("memory_graphedit", "entity_id", "memory_entity"),
        references(
            "memory_graphedit", "other_id", "memory_entity", on_delete="SET NULL (other_id)"
        ),
        row_security("memory_graphedit"),
    ]
