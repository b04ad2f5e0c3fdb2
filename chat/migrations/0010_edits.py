"""What was changed of chats and agents, to be taken back, and files that were thrown away."""

from typing import ClassVar

import django.db.models.deletion
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import references, row_security


class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('chat', '0009_deleted_agents'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        migrations.AddField(
            model_name='transfer',
            name='dropped_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name='Edit',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('conversation_id', models.UUIDField(null=True)),
                ('agent_id', models.UUIDField(null=True)),
                ('before', models.JSONField()),
                ('after', models.JSONField()),
                ('undone_at', models.DateTimeField(null=True)),
                ('at', models.DateTimeField()),
                ('agent', models.ForeignObject(from_fields=('user', 'agent_id'), null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='chat.agent', to_fields=('user', 'id'))),
                ('conversation', models.ForeignObject(from_fields=('user', 'conversation_id'), null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='chat.conversation', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['user', 'at'], name='edit_by_time')],
            },
        ),
        references('chat_edit', 'conversation_id', 'chat_conversation'),
        references('chat_edit', 'agent_id', 'chat_agent'),
        row_security('chat_edit'),
    ]
