"""Ids as an array for the database."""

from uuid import UUID

from django.db import connection

from memory.id_arrays import id_array


def test_it_is_read_as_the_ids_in_their_order(db):
    for ids in ([], [UUID(int=7)], [UUID(int=9), UUID(int=3), UUID(int=9)]):
        with connection.cursor() as cursor:
            cursor.execute("SELECT %s::uuid[]", [id_array(ids)])
            assert cursor.fetchone()[0] == ids
