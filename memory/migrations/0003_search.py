"""The indexes that recall searches, and the one function that reads words by index.

PostgreSQL will not use an index for `@@` beneath row-level security, because the operator is not
leakproof. The function therefore runs as the owner of the table, and asks for the tenant itself.
"""

from typing import ClassVar

from django.contrib.postgres.operations import BtreeGinExtension
from django.db import migrations

from accounts.schema import TENANT

VECTORS = """
CREATE INDEX memory_vector_scan ON memory_drawervector (user_id, space_id)
  INCLUDE (drawer_id, start, length, embedding) WHERE NOT hidden;
ALTER TABLE memory_drawervector SET (
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX memory_words_search ON memory_drawerwords USING gin (user_id, words)
  WHERE NOT hidden;
ALTER TABLE memory_lexeme SET (fillfactor = 80);
"""
NO_VECTORS = """
DROP INDEX memory_vector_scan;
DROP INDEX memory_words_search;
"""

MATCH = f"""
CREATE FUNCTION memory_match_words(
  any_of tsquery, terms tsquery[], weights real[], usual_length real, most integer, wanted integer
) RETURNS TABLE (drawer_id uuid, room_id uuid, score real, coverage real)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH found AS (
    SELECT w.id, w.room_id, w.length, w.words FROM memory_drawerwords w
    WHERE w.user_id = {TENANT} AND NOT w.hidden AND w.words @@ any_of
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
"""
NO_MATCH = "DROP FUNCTION memory_match_words(tsquery, tsquery[], real[], real, integer, integer)"


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0002_protection")]

    operations: ClassVar = [
        BtreeGinExtension(),
        migrations.RunSQL(VECTORS, NO_VECTORS),
        migrations.RunSQL(MATCH, NO_MATCH),
    ]
