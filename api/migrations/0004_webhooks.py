"""Addresses that are told what happened, and what is on its way to them."""

from typing import ClassVar

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import references, row_security


class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('api', '0003_stored_responses'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('url', models.CharField(max_length=500)),
                ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=20), size=None)),
                ('salt', models.CharField(max_length=32)),
                ('since', models.DateTimeField(default=django.utils.timezone.now)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('paused_at', models.DateTimeField(null=True)),
                ('paused_because', models.CharField(blank=True, choices=[('owner', 'You paused it'), ('gone', 'The address said that it is gone for good'), ('failing', 'Nothing came through for two days')], max_length=10)),
                ('worked_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='WebhookDelivery',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('webhook_id', models.UUIDField()),
                ('kind', models.CharField(max_length=20)),
                ('subject_id', models.UUIDField()),
                ('happened_at', models.DateTimeField()),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('next_at', models.DateTimeField(null=True)),
                ('status', models.PositiveSmallIntegerField(default=0)),
                ('failure', models.CharField(blank=True, max_length=20)),
                ('delivered_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('webhook', models.ForeignObject(from_fields=('user', 'webhook_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='deliveries', to='api.webhook', to_fields=('user', 'id'))),
            ],
        ),
        migrations.AddConstraint(
            model_name='webhook',
            constraint=models.UniqueConstraint(fields=('user', 'url'), name='webhook_once_per_url'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(condition=models.Q(('next_at__isnull', False)), fields=['user', 'next_at'], name='delivery_that_waits'),
        ),
        migrations.AddConstraint(
            model_name='webhookdelivery',
            constraint=models.UniqueConstraint(fields=('user', 'webhook_id', 'kind', 'subject_id'), name='told_once_per_webhook'),
        ),
        references('api_webhookdelivery', 'webhook_id', 'api_webhook'),
        row_security('api_webhook'),
        row_security('api_webhookdelivery'),
    ]
