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


def renew_all_statistics() -> None:
    """Have what the planner noted of people's values thrown away and noted anew: it keeps samples
    of them, forgotten ones too, until a table is analysed again."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT memory_forget_samples()")
