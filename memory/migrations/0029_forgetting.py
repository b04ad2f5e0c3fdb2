"""Receipts of what was forgotten."""

import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import row_security

# ANALYZE alone leaves the old samples of a table that is empty now, so they are cleared before
# (PostgreSQL 18 and later can).
FORGET_SAMPLES = """
CREATE FUNCTION memory_forget_samples() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  owned name;
  kept name;
BEGIN
  FOR owned IN
    SELECT c.relname FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'user_id' AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
    ORDER BY c.relname
  LOOP
    IF current_setting('server_version_num')::integer >= 180000 THEN
      FOR kept IN
        SELECT a.attname FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        WHERE a.attrelid = format('public.%I', owned)::regclass AND a.attnum > 0
          AND NOT a.attisdropped AND t.typcategory IN ('S', 'A', 'U')
          AND t.typname NOT IN ('uuid', 'halfvec', 'vector')
      LOOP
        EXECUTE 'SELECT pg_clear_attribute_stats($1, $2, $3, false)'
          USING 'public', owned::text, kept::text;
      END LOOP;
    END IF;
    EXECUTE format('ANALYZE (SKIP_LOCKED) public.%I', owned);
  END LOOP;
END $$;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0028_arranging'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Forgetting',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('scope', models.CharField(max_length=12)),
                ('object_id', models.UUIDField(null=True)),
                ('since', models.DateTimeField(null=True)),
                ('until', models.DateTimeField(null=True)),
                ('with_chats', models.BooleanField(default=False)),
                ('counts', models.JSONField(default=dict)),
                ('erased', models.JSONField(default=dict)),
                ('residue', models.JSONField(null=True)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('final_at', models.DateTimeField(null=True)),
                ('undone_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['user', '-at'], name='forgetting_by_time')],
            },
        ),
        row_security('memory_forgetting'),
        migrations.RunSQL(FORGET_SAMPLES, 'DROP FUNCTION memory_forget_samples()'),
    ]
