"""A way for the application to have the statistics of its tables renewed, which only their owner
may do: after a large import the planner would go by what the tables held before."""

from typing import ClassVar

from django.db import migrations

ANALYSE = """
CREATE FUNCTION memory_analyse_changed(fewest integer, share real) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  changed name;
  done integer := 0;
BEGIN
  FOR changed IN
    SELECT relname FROM pg_stat_user_tables
    WHERE schemaname = 'public' AND relname LIKE 'memory\\_%'
      AND n_mod_since_analyze > fewest + share * n_live_tup
    ORDER BY relname
  LOOP
    EXECUTE format('ANALYZE (SKIP_LOCKED) public.%I', changed);
    done := done + 1;
  END LOOP;
  RETURN done;
END $$;
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0023_recalled_facts")]

    operations: ClassVar = [
        migrations.RunSQL(ANALYSE, "DROP FUNCTION memory_analyse_changed(integer, real)")
    ]
