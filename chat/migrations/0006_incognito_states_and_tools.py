"""Chats that vanish, what long ones come to, models without tools, and what a reply cost."""

from typing import ClassVar

import django.db.models.deletion
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import references, row_security, user_in_key


class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('chat', '0005_known_histories'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        migrations.AddField(
            model_name='conversation',
            name='model',
            field=models.CharField(blank=True, max_length=120),
        ),
        migrations.AddField(
            model_name='message',
            name='cost_usd',
            field=models.DecimalField(decimal_places=10, max_digits=18, null=True),
        ),
        migrations.CreateModel(
            name='ChatState',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('conversation_id', models.UUIDField()),
                ('through_sequence', models.PositiveIntegerField()),
                ('method', models.CharField(max_length=10)),
                ('state', models.JSONField()),
                ('made_at', models.DateTimeField()),
                ('conversation', models.ForeignObject(from_fields=('user', 'conversation_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='chat.conversation', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'conversation_id', 'through_sequence', 'method'), name='state_of_a_chat_once')],
            },
        ),
        migrations.CreateModel(
            name='OpenIncognito',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('conversation_id', models.UUIDField()),
                ('session', models.CharField(max_length=64)),
                ('seen_at', models.DateTimeField()),
                ('left_at', models.DateTimeField(null=True)),
                ('conversation', models.ForeignObject(from_fields=('user', 'conversation_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='chat.conversation', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'conversation_id'), name='incognito_open_once')],
            },
        ),
        migrations.CreateModel(
            name='ToolRefusal',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('model', models.CharField(max_length=120)),
                ('refused_at', models.DateTimeField()),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'model'), name='tools_refused_once')],
            },
        ),
        references("chat_openincognito", "conversation_id", "chat_conversation"),
        references("chat_chatstate", "conversation_id", "chat_conversation"),
        user_in_key("chat_toolrefusal"),
        row_security("chat_openincognito"),
        row_security("chat_chatstate"),
        row_security("chat_toolrefusal", operators=True),
    ]
