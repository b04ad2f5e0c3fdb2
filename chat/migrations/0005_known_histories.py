"""What is known of the conversations that other programs send again and again."""

from typing import ClassVar

import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import row_security


class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('chat', '0004_retention'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name='KnownHistory',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('digest', models.BinaryField(max_length=32)),
                ('conversation_id', models.UUIDField()),
                ('sequence', models.PositiveIntegerField()),
                ('told_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'digest', 'conversation_id'), name='history_told_once')],
            },
        ),
        row_security('chat_knownhistory'),
    ]
