-- The change log: tenancy, and what the three undo stores before it held.

ALTER TABLE memory_rowchange ADD CONSTRAINT memory_rowchange_change_set_id_fk
  FOREIGN KEY (user_id, change_set_id) REFERENCES memory_changeset (user_id, id)
  ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;

DO $$
DECLARE
  own CONSTANT text := $own$user_id = (SELECT NULLIF(current_setting('palace.user_id', true), '')::uuid)$own$;
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['memory_changeset', 'memory_rowchange'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (%s) WITH CHECK (%s)', name, own, own);
  END LOOP;
END $$;

-- Runs of consolidation can be undone as before.
INSERT INTO memory_changeset
  (user_id, id, area, kind, subject, subject_id, others, batch_id, details, made_at, undone_at)
SELECT c.user_id, c.id, 'consolidation', c.kind, c.subject, c.subject_id, c.others, c.run_id, c.details,
       r.applied_at, c.undone_at
FROM memory_consolidationchange c
JOIN memory_consolidationrun r ON r.user_id = c.user_id AND r.id = c.run_id;

INSERT INTO memory_rowchange
  (user_id, id, change_set_id, position, "table", row_id, before, after, added)
SELECT c.user_id, gen_random_uuid(), c.id, number - 1, 'memory.' || (row ->> 'table'),
       (row ->> 'id')::uuid, nullif(row -> 'before', 'null'), nullif(row -> 'after', 'null'),
       coalesce(row -> 'added', '{}')
FROM memory_consolidationchange c, jsonb_array_elements(c.rows) WITH ORDINALITY AS kept(row, number)
WHERE row ->> 'table' <> 'palaceedit';

-- Changes of the palace and of people and things stay in the history without their rows: what these were
-- after a change was never kept, so they can no longer be undone.
INSERT INTO memory_changeset
  (user_id, id, area, kind, subject, subject_id, others, batch_id, details, made_at, undone_at)
SELECT user_id, id, 'palace', kind,
       CASE WHEN wing_id IS NOT NULL THEN 'wing' WHEN room_id IS NOT NULL THEN 'room'
            WHEN closet_id IS NOT NULL THEN 'closet' ELSE 'drawer' END,
       coalesce(wing_id, room_id, closet_id, drawer_id), touched, batch_id, '{}', at, undone_at
FROM memory_palaceedit
WHERE coalesce(wing_id, room_id, closet_id, drawer_id) IS NOT NULL;

INSERT INTO memory_changeset
  (user_id, id, area, kind, subject, subject_id, others, batch_id, details, made_at, undone_at)
SELECT user_id, id, 'graph', CASE kind WHEN 'retyped' THEN 'rekinded' ELSE kind END, 'entity', entity_id,
       array_remove(ARRAY[other_id], NULL), id,
       CASE kind WHEN 'merged' THEN jsonb_build_object(
         'sources', (details -> 'moved_subjects') || (details -> 'moved_objects'),
         'names', (SELECT coalesce(jsonb_agg(name), '[]') FROM jsonb_object_keys(details -> 'names') AS name))
       ELSE '{}' END,
       at, undone_at
FROM memory_graphedit;

-- Tables with checks still to come cannot be altered by what follows.
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
