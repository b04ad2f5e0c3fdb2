"""What owners change about their palace, each change with what undoes it; searches they keep; and
counts of what places hold.

The counts are kept by triggers, so that every way in which drawers come, go and move counts. They
count the touched places anew instead of adding, so that they can never drift.
"""

from typing import ClassVar

import django.contrib.postgres.fields
import django.db.models.deletion
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import references, row_security

RECOUNT = """
CREATE FUNCTION memory_recount(owner uuid, closets uuid[], rooms uuid[], wings uuid[])
RETURNS void LANGUAGE sql AS $$
  UPDATE memory_closet c SET drawers_held = counted.drawers
  FROM (SELECT place, (SELECT count(*) FROM memory_drawer d
                       WHERE d.user_id = owner AND d.closet_id = place AND d.deleted_at IS NULL)
               AS drawers FROM unnest(closets) AS place) counted
  WHERE c.user_id = owner AND c.id = counted.place AND c.drawers_held <> counted.drawers;

  UPDATE memory_room r SET drawers_held = counted.drawers, closets_held = counted.closets
  FROM (SELECT place,
               (SELECT count(*) FROM memory_drawer d
                WHERE d.user_id = owner AND d.room_id = place AND d.deleted_at IS NULL) AS drawers,
               (SELECT count(*) FROM memory_closet c
                WHERE c.user_id = owner AND c.room_id = place AND c.drawers_held > 0) AS closets
        FROM unnest(rooms) AS place) counted
  WHERE r.user_id = owner AND r.id = counted.place
    AND (r.drawers_held, r.closets_held) <> (counted.drawers, counted.closets);

  UPDATE memory_wing w SET drawers_held = counted.drawers, rooms_held = counted.rooms,
         first_at = counted.first_at, last_at = counted.last_at
  FROM (SELECT place, held.* FROM unnest(wings) AS place, LATERAL (
          SELECT coalesce(sum(r.drawers_held), 0) AS drawers, count(*) AS rooms,
                 min(r.started_at) AS first_at, max(r.started_at) AS last_at
          FROM memory_room r
          WHERE r.user_id = owner AND r.wing_id = place AND r.drawers_held > 0) held) counted
  WHERE w.user_id = owner AND w.id = counted.place
    AND (w.drawers_held, w.rooms_held, w.first_at, w.last_at)
        IS DISTINCT FROM (counted.drawers, counted.rooms, counted.first_at, counted.last_at);
$$;
"""

TRIGGERS = """
CREATE FUNCTION memory_drawers_came_or_went() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM memory_recount(user_id, array_agg(DISTINCT closet_id), array_agg(DISTINCT room_id),
                         array_agg(DISTINCT wing_id))
  FROM changed GROUP BY user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER drawers_came AFTER INSERT ON memory_drawer
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION memory_drawers_came_or_went();
CREATE TRIGGER drawers_went AFTER DELETE ON memory_drawer
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION memory_drawers_came_or_went();

CREATE FUNCTION memory_drawers_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE memory_drawerwords w SET room_id = moved.room_id
  FROM (SELECT a.user_id, a.id, a.room_id FROM after_it a
        JOIN before_it b ON b.user_id = a.user_id AND b.id = a.id
        WHERE a.room_id <> b.room_id) moved
  WHERE w.user_id = moved.user_id AND w.id = moved.id;

  PERFORM memory_recount(user_id, array_agg(DISTINCT closet_id), array_agg(DISTINCT room_id),
                         array_agg(DISTINCT wing_id))
  FROM (SELECT side.* FROM after_it a
        JOIN before_it b ON b.user_id = a.user_id AND b.id = a.id,
        LATERAL (VALUES (a.user_id, a.closet_id, a.room_id, a.wing_id),
                        (b.user_id, b.closet_id, b.room_id, b.wing_id))
          AS side(user_id, closet_id, room_id, wing_id)
        WHERE (a.closet_id, a.room_id, a.wing_id, a.deleted_at IS NULL)
           <> (b.closet_id, b.room_id, b.wing_id, b.deleted_at IS NULL)) changed
  GROUP BY user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER drawers_moved AFTER UPDATE ON memory_drawer
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it
  FOR EACH STATEMENT EXECUTE FUNCTION memory_drawers_moved();

CREATE FUNCTION memory_places_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM memory_recount(user_id, '{}', array_agg(DISTINCT room_id), array_agg(DISTINCT wing_id))
  FROM (SELECT side.* FROM after_it a
        JOIN before_it b ON b.user_id = a.user_id AND b.id = a.id,
        LATERAL (VALUES (a.user_id, a.id, a.wing_id), (b.user_id, b.id, b.wing_id))
          AS side(user_id, room_id, wing_id)
        WHERE (a.wing_id, a.started_at) <> (b.wing_id, b.started_at)) changed
  GROUP BY user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER rooms_moved AFTER UPDATE ON memory_room
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it
  FOR EACH STATEMENT EXECUTE FUNCTION memory_places_moved();

CREATE FUNCTION memory_closets_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM memory_recount(user_id, '{}', array_agg(DISTINCT room_id), '{}')
  FROM (SELECT side.* FROM after_it a
        JOIN before_it b ON b.user_id = a.user_id AND b.id = a.id,
        LATERAL (VALUES (a.user_id, a.room_id), (b.user_id, b.room_id)) AS side(user_id, room_id)
        WHERE a.room_id <> b.room_id) changed
  GROUP BY user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER closets_moved AFTER UPDATE ON memory_closet
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it
  FOR EACH STATEMENT EXECUTE FUNCTION memory_closets_moved();
"""
NO_TRIGGERS = """
DROP TRIGGER closets_moved ON memory_closet;
DROP TRIGGER rooms_moved ON memory_room;
DROP TRIGGER drawers_moved ON memory_drawer;
DROP TRIGGER drawers_went ON memory_drawer;
DROP TRIGGER drawers_came ON memory_drawer;
DROP FUNCTION memory_closets_moved();
DROP FUNCTION memory_places_moved();
DROP FUNCTION memory_drawers_moved();
DROP FUNCTION memory_drawers_came_or_went();
"""
COUNT_ALL = """
UPDATE memory_closet c SET drawers_held = counted.n
FROM (SELECT user_id, closet_id, count(*) AS n FROM memory_drawer WHERE deleted_at IS NULL
      GROUP BY user_id, closet_id) counted
WHERE c.user_id = counted.user_id AND c.id = counted.closet_id;
UPDATE memory_room r SET drawers_held = counted.n, closets_held = counted.closets
FROM (SELECT user_id, room_id, count(*) AS n, count(DISTINCT closet_id) AS closets
      FROM memory_drawer WHERE deleted_at IS NULL GROUP BY user_id, room_id) counted
WHERE r.user_id = counted.user_id AND r.id = counted.room_id;
UPDATE memory_wing w SET drawers_held = counted.drawers, rooms_held = counted.rooms,
       first_at = counted.first_at, last_at = counted.last_at
FROM (SELECT user_id, wing_id, sum(drawers_held) AS drawers, count(*) AS rooms,
             min(started_at) AS first_at, max(started_at) AS last_at
      FROM memory_room WHERE drawers_held > 0 GROUP BY user_id, wing_id) counted
WHERE w.user_id = counted.user_id AND w.id = counted.wing_id;
"""



class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('memory', '0027_exports_in_activity'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name='PalaceEdit',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('kind', models.CharField(choices=[('renamed', 'Renamed'), ('rekinded', 'Kind changed'), ('merged', 'Merged'), ('moved', 'Moved'), ('annotated', 'Remark changed'), ('pinned', 'Pinned'), ('unpinned', 'Unpinned'), ('hidden', 'Marked as sensitive'), ('shown', 'No longer sensitive')], max_length=10)),
                ('batch_id', models.UUIDField()),
                ('wing_id', models.UUIDField(null=True)),
                ('room_id', models.UUIDField(null=True)),
                ('closet_id', models.UUIDField(null=True)),
                ('drawer_id', models.UUIDField(null=True)),
                ('touched', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('details', models.JSONField(default=list)),
                ('at', models.DateTimeField()),
                ('undone_at', models.DateTimeField(null=True)),
                ('wing', models.ForeignObject(from_fields=('user', 'wing_id'), null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='edits', to='memory.wing', to_fields=('user', 'id'))),
                ('room', models.ForeignObject(from_fields=('user', 'room_id'), null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='edits', to='memory.room', to_fields=('user', 'id'))),
                ('closet', models.ForeignObject(from_fields=('user', 'closet_id'), null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='edits', to='memory.closet', to_fields=('user', 'id'))),
                ('drawer', models.ForeignObject(from_fields=('user', 'drawer_id'), null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='edits', to='memory.drawer', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='SavedSearch',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('name', models.CharField(max_length=100)),
                ('query', models.TextField()),
                ('created_at', models.DateTimeField()),
                ('deleted_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.RemoveIndex(
            model_name='drawer',
            name='drawer_in_closet_sequence',
        ),
        migrations.AddField(
            model_name='closet',
            name='drawers_held',
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name='closet',
            name='merged_into_id',
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name='room',
            name='closets_held',
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name='room',
            name='drawers_held',
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name='room',
            name='merged_into_id',
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name='wing',
            name='drawers_held',
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name='wing',
            name='first_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='wing',
            name='last_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='wing',
            name='merged_into_id',
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name='wing',
            name='rooms_held',
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AlterField(
            model_name='activityevent',
            name='kind',
            field=models.CharField(choices=[('memory_mined', 'Chat remembered'), ('read_again', 'Chat read again with a model'), ('mining_failed', 'Chat could not be remembered'), ('note_saved', 'Note saved'), ('deleted', 'Moved to the trash'), ('restored', 'Restored from the trash'), ('imported', 'Chats imported'), ('settings_changed', 'Settings changed'), ('demo', 'Demo palace'), ('consolidated', 'Memory tidied up'), ('chats_expired', 'Old chats removed'), ('purged', 'Erased for good'), ('fact_decided', 'You decided about facts'), ('reembedded', 'Search vectors renewed'), ('profile_written', 'Profile written anew'), ('skills_proposed', 'Ways of working noticed'), ('skill_decided', 'You decided about a skill'), ('insights_found', 'Patterns noticed'), ('insight_decided', 'You decided about a pattern'), ('profile_changed', 'You changed your profile'), ('graph_edited', 'You changed a person or thing'), ('drawer_disputed', 'You said that something is wrong'), ('exported', 'Memory exported'), ('restored_export', 'Memory restored from a file'), ('palace_arranged', 'You rearranged your palace')], max_length=20),
        ),
        migrations.AddIndex(
            model_name='drawer',
            index=models.Index(condition=models.Q(('deleted_at', None)), fields=['user', 'room_id', 'said_at', 'id'], name='drawer_in_room_by_time'),
        ),
        migrations.AddIndex(
            model_name='drawer',
            index=models.Index(fields=['user', 'closet_id', 'said_at', 'id'], name='drawer_in_closet_by_time'),
        ),
        migrations.AddIndex(
            model_name='room',
            index=models.Index(condition=models.Q(('drawers_held__gt', 0)), fields=['user', 'wing_id', '-started_at', 'id'], include=('drawers_held',), name='room_that_holds'),
        ),
        migrations.AddIndex(
            model_name='wing',
            index=models.Index(fields=['user', '-last_at', 'id'], name='wing_lately'),
        ),
        migrations.AddIndex(
            model_name='palaceedit',
            index=models.Index(fields=['user', '-id'], name='palace_edit_lately'),
        ),
        migrations.AddIndex(
            model_name='palaceedit',
            index=models.Index(fields=['user', 'batch_id'], name='palace_edit_batch'),
        ),
        migrations.AddIndex(
            model_name='palaceedit',
            index=models.Index(fields=['user', 'wing_id'], name='palace_edit_of_wing'),
        ),
        migrations.AddIndex(
            model_name='palaceedit',
            index=models.Index(fields=['user', 'room_id'], name='palace_edit_of_room'),
        ),
        migrations.AddIndex(
            model_name='palaceedit',
            index=models.Index(fields=['user', 'closet_id'], name='palace_edit_of_closet'),
        ),
        migrations.AddIndex(
            model_name='palaceedit',
            index=models.Index(fields=['user', 'drawer_id'], name='palace_edit_of_drawer'),
        ),
        migrations.AddIndex(
            model_name='savedsearch',
            index=models.Index(fields=['user', 'name'], name='saved_search_by_name'),
        ),
        *(references(f"memory_{table}", "merged_into_id", f"memory_{table}")
          for table in ("wing", "room", "closet")),
        *(references("memory_palaceedit", f"{table}_id", f"memory_{table}")
          for table in ("wing", "room", "closet", "drawer")),
        row_security("memory_palaceedit"),
        row_security("memory_savedsearch"),
        migrations.RunSQL(COUNT_ALL, ""),
        migrations.RunSQL(RECOUNT, "DROP FUNCTION memory_recount(uuid, uuid[], uuid[], uuid[])"),
        migrations.RunSQL(TRIGGERS, NO_TRIGGERS),
    ]
