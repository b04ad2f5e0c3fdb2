"""Keeps what the planner of the database knows about the tables of memory young."""

from django.db import connection

LEAST_CHANGES = 50
SHARE_CHANGED = 0.1


def renew_statistics() -> int:
    """Have tables analysed that changed much since they last were: after an import, autovacuum may
    take minutes to, and searches would go by wrong plans. Returns how many were."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT memory_analyse_changed(%s, %s)", [LEAST_CHANGES, SHARE_CHANGED])
        (count,) = cursor.fetchone()
    return int(count)
