"""What a person called not relevant to a message, and what they said is wrong."""

from typing import ClassVar

import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import references, row_security


class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('memory', '0025_sentences'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        migrations.AlterField(
            model_name='activityevent',
            name='kind',
            field=models.CharField(choices=[('memory_mined', 'Chat remembered'), ('read_again', 'Chat read again with a model'), ('mining_failed', 'Chat could not be remembered'), ('note_saved', 'Note saved'), ('deleted', 'Moved to the trash'), ('restored', 'Restored from the trash'), ('imported', 'Chats imported'), ('settings_changed', 'Settings changed'), ('demo', 'Demo palace'), ('consolidated', 'Memory tidied up'), ('chats_expired', 'Old chats removed'), ('purged', 'Erased for good'), ('fact_decided', 'You decided about facts'), ('reembedded', 'Search vectors renewed'), ('profile_written', 'Profile written anew'), ('skills_proposed', 'Ways of working noticed'), ('skill_decided', 'You decided about a skill'), ('insights_found', 'Patterns noticed'), ('insight_decided', 'You decided about a pattern'), ('profile_changed', 'You changed your profile'), ('graph_edited', 'You changed a person or thing'), ('drawer_disputed', 'You said that something is wrong')], max_length=20),
        ),
        migrations.CreateModel(
            name='Misfit',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('trace_id', models.UUIDField()),
                ('drawer_id', models.UUIDField()),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('drawer', models.ForeignObject(from_fields=('user', 'drawer_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.drawer', to_fields=('user', 'id'))),
                ('trace', models.ForeignObject(from_fields=('user', 'trace_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.recalltrace', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['user', 'drawer_id'], name='misfit_by_drawer')],
                'constraints': [models.UniqueConstraint(fields=('user', 'trace_id', 'drawer_id'), name='misfit_once')],
            },
        ),
        references("memory_misfit", "trace_id", "memory_recalltrace"),
        references("memory_misfit", "drawer_id", "memory_drawer"),
        row_security("memory_misfit"),
    ]
