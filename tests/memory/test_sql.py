"""Queries that are compiled or prepared once."""

from accounts.tenancy import tenant
from memory.models import Wing
from memory.sql import compiled, fetch, fetch_prepared, fetch_value, parameter


def test_a_compiled_queryset_takes_other_parameters_and_keeps_its_constants(as_alice):
    names = ["100% mine", "it's %(user)s", "other"]
    for ordinal, name in enumerate(names):
        Wing.objects.create(user_id=as_alice.id, name=name, ordinal=ordinal, kind="topic")
    found = Wing.objects.filter(user_id=parameter("user"), ordinal__lte=parameter("most"), name__in=names[:2])
    query = compiled(found.order_by("ordinal").values_list("name", "kind"))
    for read in (fetch, fetch_prepared):
        assert read(query, {"user": as_alice.id, "most": 0}) == [(names[0], "topic")]
        assert read(query, {"user": as_alice.id, "most": 9}) == [(name, "topic") for name in names[:2]]


def test_a_query_is_prepared_once_per_session_and_sees_one_tenant(alice, bob):
    query = (
        "SELECT name, '%%' FROM memory_wing WHERE kind = %(kind)s AND kind = %(kind)s AND ordinal < %(most)s"
    )
    for user in (alice, bob):
        with tenant(user.id):
            Wing.objects.create(user_id=user.id, name=f"wing of {user.id}", ordinal=1, kind="topic")
            for _ in range(7):  # from the sixth time on, one plan may serve all parameters
                assert fetch_prepared(query, {"kind": "topic", "most": 2}) == [(f"wing of {user.id}", "%")]
            assert fetch_prepared(query, {"kind": "person", "most": 2}) == []
    assert fetch_prepared(query, {"kind": "topic", "most": 2}) == []
    assert (
        fetch_value("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%kind = %kind = %'")
        == 1
    )
