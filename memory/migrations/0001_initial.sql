-- What Django's models cannot say about the tables of memory: tenancy, search, immutable drawers,
-- counts that triggers keep, and storage.


-- Tenancy
-- =======

-- Tables without anybody's words: staff may see them, so Django's admin needs a single-column key. The
-- database keys them by (user_id, id) all the same.
ALTER TABLE memory_miningprogress
  DROP CONSTRAINT memory_miningprogress_pkey,
  ADD CONSTRAINT memory_miningprogress_pkey PRIMARY KEY (user_id, id);
ALTER TABLE memory_usage
  DROP CONSTRAINT memory_usage_pkey,
  ADD CONSTRAINT memory_usage_pkey PRIMARY KEY (user_id, id);

-- Foreign keys repeat the user, so that no row can refer to another person's.
DO $$
DECLARE
  source text;
  source_column text;
  target text;
  on_delete text;
BEGIN
  FOR source, source_column, target, on_delete IN VALUES
    -- places
    ('memory_wing', 'merged_into_id', 'memory_wing', 'CASCADE'),
    ('memory_wingname', 'wing_id', 'memory_wing', 'CASCADE'),
    ('memory_room', 'wing_id', 'memory_wing', 'CASCADE'),
    ('memory_room', 'merged_into_id', 'memory_room', 'CASCADE'),
    ('memory_closet', 'room_id', 'memory_room', 'CASCADE'),
    ('memory_closet', 'merged_into_id', 'memory_closet', 'CASCADE'),
    ('memory_summary', 'room_id', 'memory_room', 'CASCADE'),
    ('memory_summary', 'closet_id', 'memory_closet', 'CASCADE'),
    ('memory_palaceedit', 'wing_id', 'memory_wing', 'CASCADE'),
    ('memory_palaceedit', 'room_id', 'memory_room', 'CASCADE'),
    ('memory_palaceedit', 'closet_id', 'memory_closet', 'CASCADE'),
    ('memory_palaceedit', 'drawer_id', 'memory_drawer', 'CASCADE'),
    -- drawers and what search knows of them
    ('memory_drawer', 'wing_id', 'memory_wing', 'CASCADE'),
    ('memory_drawer', 'room_id', 'memory_room', 'CASCADE'),
    ('memory_drawer', 'closet_id', 'memory_closet', 'CASCADE'),
    ('memory_drawerwords', 'id', 'memory_drawer', 'CASCADE'),
    ('memory_drawervector', 'drawer_id', 'memory_drawer', 'CASCADE'),
    ('memory_widevector', 'drawer_id', 'memory_drawer', 'CASCADE'),
    ('memory_sentencevectors', 'drawer_id', 'memory_drawer', 'CASCADE'),
    ('memory_misfit', 'trace_id', 'memory_recalltrace', 'CASCADE'),
    ('memory_misfit', 'drawer_id', 'memory_drawer', 'CASCADE'),
    -- facts
    ('memory_factsource', 'fact_id', 'memory_fact', 'CASCADE'),
    ('memory_factsource', 'drawer_id', 'memory_drawer', 'CASCADE'),
    ('memory_factversion', 'fact_id', 'memory_fact', 'CASCADE'),
    ('memory_factending', 'drawer_id', 'memory_drawer', 'CASCADE'),
    ('memory_factlink', 'fact_id', 'memory_fact', 'CASCADE'),
    ('memory_factlink', 'other_id', 'memory_fact', 'CASCADE'),
    ('memory_factvector', 'fact_id', 'memory_fact', 'CASCADE'),
    -- the graph
    ('memory_entity', 'merged_into_id', 'memory_entity', 'CASCADE'),
    ('memory_entityname', 'entity_id', 'memory_entity', 'CASCADE'),
    ('memory_relation', 'subject_id', 'memory_entity', 'CASCADE'),
    ('memory_relation', 'object_id', 'memory_entity', 'CASCADE'),
    ('memory_relation', 'drawer_id', 'memory_drawer', 'CASCADE'),
    ('memory_relationsource', 'subject_id', 'memory_entity', 'CASCADE'),
    ('memory_relationsource', 'object_id', 'memory_entity', 'CASCADE'),
    ('memory_relationsource', 'drawer_id', 'memory_drawer', 'CASCADE'),
    ('memory_relationsource', 'edge_id', 'memory_relation', 'SET NULL (edge_id)'),
    ('memory_graphedit', 'entity_id', 'memory_entity', 'CASCADE'),
    ('memory_graphedit', 'other_id', 'memory_entity', 'SET NULL (other_id)'),
    -- projections and consolidation
    ('memory_skill', 'fact_id', 'memory_fact', 'CASCADE'),
    ('memory_skilltext', 'skill_id', 'memory_skill', 'CASCADE'),
    ('memory_skillsource', 'skill_id', 'memory_skill', 'CASCADE'),
    ('memory_skillsource', 'drawer_id', 'memory_drawer', 'CASCADE'),
    ('memory_insightsource', 'insight_id', 'memory_insight', 'CASCADE'),
    ('memory_insightsource', 'fact_id', 'memory_fact', 'CASCADE'),
    ('memory_consolidationchange', 'run_id', 'memory_consolidationrun', 'CASCADE')
  LOOP
    EXECUTE format(
      'ALTER TABLE %I ADD CONSTRAINT %I FOREIGN KEY (user_id, %I) REFERENCES %I (user_id, id) '
      'ON DELETE %s DEFERRABLE INITIALLY DEFERRED',
      source, source || '_' || source_column || '_fk', source_column, target, on_delete);
  END LOOP;
END $$;

-- A session reads and writes the rows of its tenant; without a tenant it sees none.
DO $$
DECLARE
  own CONSTANT text := $own$user_id = (SELECT NULLIF(current_setting('palace.user_id', true), '')::uuid)$own$;
  staff CONSTANT text := own || $staff$ OR (SELECT current_setting('palace.operator', true) = 'on')$staff$;
  operational CONSTANT text[] := '{memory_miningprogress, memory_usage}';
  name text;
  visible text;
BEGIN
  FOR name IN
    SELECT c.relname FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'user_id' AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname LIKE 'memory\_%'
  LOOP
    visible := CASE WHEN name = ANY (operational) THEN staff ELSE own END;
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (%s) WITH CHECK (%s)', name, visible, visible);
  END LOOP;
END $$;


-- Drawers are verbatim
-- ====================

CREATE FUNCTION memory_drawer_is_verbatim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a drawer is verbatim and never changes';
END $$;

CREATE TRIGGER drawer_is_verbatim
  BEFORE UPDATE OF content, content_hash, role, said_at,
                   pointer_wing, pointer_room, pointer_drawer ON memory_drawer
  FOR EACH ROW WHEN (
    (OLD.content, OLD.content_hash, OLD.role, OLD.said_at,
     OLD.pointer_wing, OLD.pointer_room, OLD.pointer_drawer)
    IS DISTINCT FROM
    (NEW.content, NEW.content_hash, NEW.role, NEW.said_at,
     NEW.pointer_wing, NEW.pointer_room, NEW.pointer_drawer))
  EXECUTE FUNCTION memory_drawer_is_verbatim();


-- Search
-- ======

-- A scan of one person's vectors reads the index alone. Vectors are only ever added at the end of
-- their person's, so the pages are filled up.
CREATE INDEX memory_vector_scan ON memory_drawervector (user_id, space_id)
  INCLUDE (drawer_id, start, length, embedding) WITH (fillfactor = 100) WHERE NOT hidden;

-- New words wait in a list that takes room and that every search reads through: keep it short.
CREATE INDEX memory_words_search ON memory_drawerwords USING gin (user_id, words)
  WITH (gin_pending_list_limit = 256) WHERE NOT hidden;

-- PostgreSQL does not use an index for `@@` beneath row-level security, because the operator is not
-- leakproof. The two functions below therefore run as the owner of the table and ask for the tenant
-- themselves.

-- Rank the drawers that hold any of the words: BM25 without a term for rarity, which `weights` carry.
CREATE FUNCTION memory_match_words(
  any_of tsquery, terms tsquery[], weights real[], usual_length real, most integer, wanted integer
) RETURNS TABLE (drawer_id uuid, room_id uuid, score real, coverage real)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH found AS (
    SELECT w.id, w.room_id, w.length, w.words FROM memory_drawerwords w
    WHERE w.user_id = NULLIF(current_setting('palace.user_id', true), '')::uuid
      AND NOT w.hidden AND w.words @@ any_of
    LIMIT most
  )
  SELECT f.id, f.room_id,
    (s.saturated / sqrt(0.25 + 0.75 * f.length / usual_length))::real AS score,
    s.matched::real
  FROM found f, LATERAL (
    SELECT sum(t.weight * r.rank) AS saturated,
           sum(t.weight) FILTER (WHERE r.rank > 0) AS matched
    FROM unnest(terms, weights) AS t(term, weight),
         LATERAL (SELECT ts_rank(ARRAY[1, 1, 1, 1]::real[], f.words, t.term) AS rank) AS r
  ) s
  ORDER BY score DESC, f.id
  LIMIT wanted;
END $$;

-- The same within a part of the palace: among a `few` drawers by id or, when `few` is NULL, in some
-- wings, told by one role, in a span of time.
CREATE FUNCTION memory_match_words_within(
  any_of tsquery, terms tsquery[], weights real[], usual_length real, most integer, wanted integer,
  few uuid[], wings uuid[], told_by text, since timestamptz, until timestamptz
) RETURNS TABLE (drawer_id uuid, room_id uuid, score real, coverage real)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH found AS (
    SELECT w.id, w.room_id, w.length, w.words FROM memory_drawerwords w
    WHERE few IS NOT NULL
      AND w.user_id = NULLIF(current_setting('palace.user_id', true), '')::uuid
      AND w.id = ANY(few) AND NOT w.hidden AND w.words @@ any_of
    UNION ALL
    (SELECT w.id, w.room_id, w.length, w.words FROM memory_drawerwords w
     WHERE few IS NULL
       AND w.user_id = NULLIF(current_setting('palace.user_id', true), '')::uuid
       AND NOT w.hidden AND w.words @@ any_of
       AND (SELECT (wings IS NULL OR d.wing_id = ANY(wings)) AND (told_by = '' OR d.role = told_by)
              AND (since IS NULL OR d.said_at >= since) AND (until IS NULL OR d.said_at < until)
            FROM memory_drawer d WHERE d.user_id = w.user_id AND d.id = w.id)
     LIMIT most)
  )
  SELECT f.id, f.room_id,
    (s.saturated / sqrt(0.25 + 0.75 * f.length / usual_length))::real AS score,
    s.matched::real
  FROM found f, LATERAL (
    SELECT sum(t.weight * r.rank) AS saturated,
           sum(t.weight) FILTER (WHERE r.rank > 0) AS matched
    FROM unnest(terms, weights) AS t(term, weight),
         LATERAL (SELECT ts_rank(ARRAY[1, 1, 1, 1]::real[], f.words, t.term) AS rank) AS r
  ) s
  ORDER BY score DESC, f.id
  LIMIT wanted;
END $$;


-- Counts of places
-- ================

-- Wings, rooms and closets know how much they hold, and wings from when to when. Triggers keep these
-- counts, so that it does not matter how drawers come, go or move. They count the touched places anew
-- instead of adding, so the counts never drift.

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

-- The words of a drawer carry its room, for search: they follow it.
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


-- Statistics
-- ==========

-- Only the owner of a table may ANALYZE it. These functions let the application ask for it.

-- Analyse the tables that changed a lot: after a large import the planner would go by what they held
-- before. Returns how many there were.
CREATE FUNCTION memory_analyse_changed(fewest integer, share real) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  changed name;
  done integer := 0;
BEGIN
  FOR changed IN
    SELECT relname FROM pg_stat_user_tables
    WHERE schemaname = 'public' AND relname LIKE 'memory\_%'
      AND n_mod_since_analyze > fewest + share * n_live_tup
    ORDER BY relname
  LOOP
    EXECUTE format('ANALYZE (SKIP_LOCKED) public.%I', changed);
    done := done + 1;
  END LOOP;
  RETURN done;
END $$;

-- Forget the samples that the planner keeps of people's words. ANALYZE alone leaves the old samples of
-- a table that is empty now, so they are cleared before (PostgreSQL 18 and later can).
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


-- Storage
-- =======

-- Keys that only ever grow at their end are stored without room between them.
ALTER INDEX memory_drawer_pkey SET (fillfactor = 100);
ALTER INDEX memory_drawerwords_pkey SET (fillfactor = 100);
ALTER INDEX memory_drawervector_pkey SET (fillfactor = 100);
ALTER INDEX drawer_of_message SET (fillfactor = 100);
ALTER INDEX drawer_in_room_sequence SET (fillfactor = 100);

-- The scan of vectors needs a fresh visibility map, and the planner fresh figures.
ALTER TABLE memory_drawervector SET (
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

-- The counts of a lexeme are updated in place.
ALTER TABLE memory_lexeme SET (fillfactor = 80);

-- Rounded vectors do not compress, and a value in the side table costs a look-up of its own.
ALTER TABLE memory_sentencevectors ALTER COLUMN kept SET STORAGE EXTERNAL;
ALTER TABLE memory_sentencevectors SET (toast_tuple_target = 8160);
