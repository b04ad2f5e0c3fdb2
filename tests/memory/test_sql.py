"""Querysets that are compiled once."""

from memory.models import Wing
from memory.sql import compiled, fetch, parameter


def test_a_compiled_queryset_takes_other_parameters_and_keeps_its_constants(as_alice):
    names = ["100% mine", "it's %(user)s", "other"]
    for ordinal, name in enumerate(names):
        Wing.objects.create(user_id=as_alice.id, name=name, ordinal=ordinal, kind="topic")
    found = Wing.objects.filter(user_id=parameter("user"), ordinal__lte=parameter("most"), name__in=names[:2])
    query = compiled(found.order_by("ordinal").values_list("name", "kind"))
    assert fetch(query, {"user": as_alice.id, "most": 0}) == [(names[0], "topic")]
    assert fetch(query, {"user": as_alice.id, "most": 9}) == [(name, "topic") for name in names[:2]]
