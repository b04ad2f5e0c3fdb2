"""Summaries of closets and rooms."""

import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import references, row_security


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0016_graph_edits'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='consolidationchange',
            name='kind',
            field=models.CharField(choices=[('closed', 'Replaced facts closed'), ('merged', 'Facts merged'), ('archived', 'Facts archived'), ('summarised', 'Summaries written'), ('removed', 'Empty places removed')], max_length=10),
        ),
        migrations.CreateModel(
            name='Summary',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('subject_id', models.UUIDField()),
                ('room_id', models.UUIDField()),
                ('closet_id', models.UUIDField(null=True)),
                ('text', models.TextField()),
                ('written_by', models.CharField(choices=[('rules', 'Rules'), ('model', 'Model')], max_length=10)),
                ('digest', models.CharField(max_length=64)),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('shown_at', models.DateTimeField(null=True)),
                ('retired_at', models.DateTimeField(null=True)),
                ('closet', models.ForeignObject(from_fields=('user', 'closet_id'), null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.closet', to_fields=('user', 'id'))),
                ('room', models.ForeignObject(from_fields=('user', 'room_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.room', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'summaries',
                'indexes': [models.Index(fields=['user', 'subject_id', '-shown_at'], name='summary_of_place'), models.Index(fields=['user', 'room_id'], name='summary_in_room')],
            },
        ),
        references("memory_summary", "room_id", "memory_room"),
        references("memory_summary", "closet_id", "memory_closet"),
        row_security("memory_summary"),
    ]
