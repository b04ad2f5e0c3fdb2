-- Search asks for the tenant whose signature the database has checked (palace/postgres/tenancy.sql).

-- Rank the drawers that hold any of the words: BM25 without a term for rarity, which `weights` carry.
CREATE OR REPLACE FUNCTION memory_match_words(
  any_of tsquery, terms tsquery[], weights real[], usual_length real, most integer, wanted integer
) RETURNS TABLE (drawer_id uuid, room_id uuid, score real, coverage real)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  tenant CONSTANT uuid := palace_tenant();
BEGIN
  RETURN QUERY
  WITH found AS (
    SELECT w.id, w.room_id, w.length, w.words FROM memory_drawerwords w
    WHERE w.user_id = tenant
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
CREATE OR REPLACE FUNCTION memory_match_words_within(
  any_of tsquery, terms tsquery[], weights real[], usual_length real, most integer, wanted integer,
  few uuid[], wings uuid[], told_by text, since timestamptz, until timestamptz
) RETURNS TABLE (drawer_id uuid, room_id uuid, score real, coverage real)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  tenant CONSTANT uuid := palace_tenant();
BEGIN
  RETURN QUERY
  WITH found AS (
    SELECT w.id, w.room_id, w.length, w.words FROM memory_drawerwords w
    WHERE few IS NOT NULL
      AND w.user_id = tenant
      AND w.id = ANY(few) AND NOT w.hidden AND w.words @@ any_of
    UNION ALL
    (SELECT w.id, w.room_id, w.length, w.words FROM memory_drawerwords w
     WHERE few IS NULL
       AND w.user_id = tenant
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
