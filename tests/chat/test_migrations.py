from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction

from chat import migrations
from chat.models import Agent
from palace.postgres.base import as_owner

SCRIPT = (Path(migrations.__file__).parent / "0003_one_default_agent.sql").read_text(encoding="utf-8")


def test_migration_keeps_the_oldest_default_agent_and_recreates_the_index(as_alice):
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("DROP INDEX one_default_agent")
    first, second = (Agent.objects.create(user_id=as_alice.id, name=name, is_default=True) for name in "AB")
    with as_owner(), connection.cursor() as cursor:
        cursor.execute(SCRIPT)
        cursor.execute(SCRIPT)
    assert Agent.objects.get(user_id=as_alice.id, is_default=True) == first
    with pytest.raises(IntegrityError), transaction.atomic():
        Agent.objects.filter(id=second.id).update(is_default=True)
