import json
import threading
from datetime import timedelta

import pytest
from django.db import connection

from accounts.models import User
from accounts.tenancy import tenant
from llm import current
from memory.forgetting.trash import delete, undo
from memory.models import Fact, MinedWindow, Profile, Usage
from memory.projections.upkeep import current_mark, refresh_due, upkeep_due
from tests.fake_gateway import FakeChat
from tests.memory.palaces import MONDAY
from tests.memory.projections.conftest import AddFact

NOW = MONDAY + timedelta(days=30)
ANSWER = json.dumps({"paragraphs": ["Priya lives in Zürich.", "She likes jazz and 香菜."]})


@pytest.mark.django_db(transaction=True)
def test_concurrent_workers_request_a_profile_only_once(as_alice: User, priya: list[Fact]):
    other_results: list[bool] = []

    def work() -> None:
        with tenant(as_alice.id):
            other_results.append(refresh_due(as_alice.id, NOW))
        connection.close()

    def answer(request: object) -> str:
        other = threading.Thread(target=work)
        other.start()
        other.join(60)
        return ANSWER

    model = FakeChat(answer=answer)
    with current.using(chat=model):
        assert refresh_due(as_alice.id, NOW)
        assert not upkeep_due(as_alice.id, NOW)
        assert not refresh_due(as_alice.id, NOW)

    assert other_results == [False]
    assert len(model.requests) == 1
    assert Profile.objects.get(user_id=as_alice.id).written_by == "model"
    assert Usage.objects.filter(user_id=as_alice.id, source="memory_summary").count() == 1


def test_the_mark_counts_mined_windows(as_alice, priya):
    windows, facts = current_mark(as_alice.id)
    MinedWindow.objects.create(
        user_id=as_alice.id,
        source_kind="conversation",
        source_id=as_alice.id,
        first_sequence=1,
        last_sequence=8,
        method="reader",
    )
    assert current_mark(as_alice.id) == (windows + 1, facts)


def test_any_change_of_a_fact_changes_the_mark(as_alice, priya):
    seen = [current_mark(as_alice.id)]
    changes = [{"times_seen": 9}, {"valid_to": NOW}, {"valid_from": NOW}, {"deleted_at": NOW}, {"version": 2}]
    for change in (*changes, {"deleted_at": None, "status": "rejected"}):
        Fact.objects.filter(id=priya[3].id).update(**change)
        seen.append(current_mark(as_alice.id))
    Fact.objects.filter(id=priya[3].id).update(status="active")
    Fact.objects.filter(id=priya[4].id).update(status="rejected")
    seen.append(current_mark(as_alice.id))
    assert len(set(seen)) == len(seen), "not even two opposite changes cancel out"


def test_undo_restores_the_mark(as_alice: User, add_fact: AddFact):
    fact = add_fact("likes", "jazz", "The user likes jazz.")
    before = current_mark(as_alice.id)
    deletion = delete(as_alice.id, "drawer", fact.sources.get().drawer_id, NOW)
    assert current_mark(as_alice.id) != before
    undo(as_alice.id, deletion.id, NOW)
    assert current_mark(as_alice.id) == before
