"""What is read out of facts about a person, and what they say about it."""

from typing import ClassVar

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import row_security


class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('accounts', '0003_smaller_keys'),
        ('memory', '0006_second_readings'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name='Profile',
            fields=[
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('digest', models.BinaryField(max_length=32)),
                ('paragraphs', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('written_by', models.CharField(choices=[('model', 'A language model'), ('rules', 'Palace, by rules')], max_length=10)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('next_attempt_at', models.DateTimeField(null=True)),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.AddField(
            model_name='memorypreferences',
            name='inject_profile',
            field=models.BooleanField(default=True),
        ),
        migrations.AlterField(
            model_name='activityevent',
            name='kind',
            field=models.CharField(choices=[('memory_mined', 'Chat remembered'), ('read_again', 'Chat read again with a model'), ('mining_failed', 'Chat could not be remembered'), ('note_saved', 'Note saved'), ('deleted', 'Moved to the trash'), ('restored', 'Restored from the trash'), ('imported', 'Chats imported'), ('settings_changed', 'Settings changed'), ('demo', 'Demo palace'), ('reembedded', 'Search vectors renewed'), ('profile_written', 'Profile written anew'), ('profile_changed', 'You changed your profile')], max_length=20),
        ),
        migrations.AlterField(
            model_name='usage',
            name='source',
            field=models.CharField(choices=[('memory_embed', 'Embedding'), ('memory_extract', 'Extraction'), ('memory_rerank', 'Reranking'), ('memory_summary', 'Summaries'), ('chat', 'Chat')], max_length=20),
        ),
        migrations.CreateModel(
            name='HiddenValue',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('digest', models.BinaryField(max_length=32)),
                ('hidden_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'digest'), name='hidden_value_once')],
            },
        ),
        migrations.CreateModel(
            name='OwnWords',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('text', models.TextField()),
                ('written_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('ended_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['user', '-written_at'], name='own_words_by_time')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('user',), name='own_words_once')],
            },
        ),
        row_security("memory_profile"),
        row_security("memory_ownwords"),
        row_security("memory_hiddenvalue"),
    ]
