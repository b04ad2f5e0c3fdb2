"""Graphs of before relations had sources."""

from datetime import timedelta
from importlib import import_module

from django.db import connection

from memory.graph.settlement import resettle
from memory.models import EntityName, Relation, RelationSource
from tests.memory.palaces import MONDAY, file, relate

DAY = timedelta(days=1)
migration = import_module("memory.migrations.0010_relation_sources")


def test_relations_of_old_get_sources_that_say_the_same(as_alice):
    drawers = file(as_alice.id, ["Porto", "Lisbon", "Faro", "Rui"])
    for day, town in enumerate(("Porto", "Lisbon", "Faro")):
        start = MONDAY + 10 * day * DAY
        relate(drawers[day], "Ana", "lives_in", town, valid_from=start, single_valued=True)
    relate(drawers[3], "Ana", "knows", "Rui", valid_to=MONDAY + 50 * DAY)
    rows = list(Relation.objects.order_by("id").values())
    EntityName.objects.update(sense="")
    RelationSource.objects.all().delete()

    with connection.cursor() as cursor:
        cursor.execute(migration.SENSES)
        cursor.execute(migration.SOURCES)
    resettle(as_alice.id, RelationSource.objects.all())

    assert list(Relation.objects.order_by("id").values()) == rows
    assert set(EntityName.objects.values_list("sense", flat=True)) == {"person"}
    ends = RelationSource.objects.exclude(until=None)
    assert [source.relation for source in ends] == ["knows"]
