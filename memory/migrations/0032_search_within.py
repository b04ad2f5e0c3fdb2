"""Searching in a part of the palace: by words in one step, and an index of when things were said.

As in 0003, the function runs as the owner of the table and asks for the tenant itself.
"""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import Q

from accounts.schema import TENANT

MATCH = f"""
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
    WHERE few IS NOT NULL AND w.user_id = {TENANT} AND w.id = ANY(few)
      AND NOT w.hidden AND w.words @@ any_of
    UNION ALL
    (SELECT w.id, w.room_id, w.length, w.words FROM memory_drawerwords w
     WHERE few IS NULL AND w.user_id = {TENANT} AND NOT w.hidden AND w.words @@ any_of
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
"""
NO_MATCH = """
DROP FUNCTION memory_match_words_within(
  tsquery, tsquery[], real[], real, integer, integer, uuid[], uuid[], text, timestamptz, timestamptz)
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0031_kept_away")]

    operations: ClassVar = [
        migrations.AddIndex(
            model_name="drawer",
            index=models.Index(
                fields=("user", "said_at", "role"),
                name="drawer_by_time",
                condition=Q(deleted_at=None),
            ),
        ),
        migrations.RunSQL(MATCH, NO_MATCH),
    ]
