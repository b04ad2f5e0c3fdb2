"""Responses that programs can continue by their id."""

from typing import ClassVar

import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import references, row_security


class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('api', '0002_protection'),
        ('chat', '0007_stopped_imports'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name='StoredResponse',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('conversation_id', models.UUIDField()),
                ('sequence', models.PositiveIntegerField()),
                ('model', models.CharField(blank=True, max_length=120)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('conversation', models.ForeignObject(from_fields=('user', 'conversation_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='chat.conversation', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'abstract': False,
            },
        ),
        references('api_storedresponse', 'conversation_id', 'chat_conversation'),
        row_security('api_storedresponse'),
    ]
