"""Exports and restores that people ask for on a page."""

from typing import ClassVar

import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import row_security, user_in_key


class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('chat', '0007_stopped_imports'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name='Transfer',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('direction', models.CharField(choices=[('export', 'Export'), ('restore', 'Restore')], max_length=10)),
                ('state', models.CharField(choices=[('checking', 'Being looked through'), ('ready', 'Ready to restore'), ('waiting', 'Waiting'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='waiting', max_length=10)),
                ('wing_id', models.UUIDField(blank=True, null=True)),
                ('name', models.CharField(blank=True, max_length=60)),
                ('size', models.PositiveBigIntegerField(default=0)),
                ('done', models.PositiveIntegerField(default=0)),
                ('total', models.PositiveIntegerField(default=0)),
                ('forgettings', models.PositiveIntegerField(default=0)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('counts', models.JSONField(blank=True, default=dict)),
                ('error', models.CharField(blank=True, max_length=300)),
                ('asked_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('active_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('expires_at', models.DateTimeField()),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['user', '-asked_at'], name='transfer_by_time')],
            },
        ),
        user_in_key('chat_transfer'),
        row_security('chat_transfer', operators=True),
    ]
