import json
import threading
from datetime import timedelta

import pytest
from django.db import connection

from accounts.models import User
from accounts.tenancy import tenant
from llm import current
from llm.fake_gateway import FakeChat
from memory.models import Fact, Profile, Usage
from memory.projections.upkeep import keep_up, upkeep_due
from tests.memory.palaces import MONDAY

NOW = MONDAY + timedelta(days=30)
ANSWER = json.dumps({"paragraphs": ["Priya lives in Zürich.", "She likes jazz and 香菜."]})


@pytest.mark.django_db(transaction=True)
def test_two_workers_never_ask_for_the_same_profile(as_alice: User, priya: list[Fact]):
    beside: list[bool] = []

    def work() -> None:
        with tenant(as_alice.id):
            beside.append(keep_up(as_alice.id, NOW))
        connection.close()

    def answer(request: object) -> str:
        other = threading.Thread(target=work)
        other.start()
        other.join(60)
        return ANSWER

    model = FakeChat(answer=answer)
    with current.using(chat=model):
        assert keep_up(as_alice.id, NOW)
        assert not upkeep_due(as_alice.id, NOW)
        assert not keep_up(as_alice.id, NOW)

    assert beside == [False]
    assert len(model.requests) == 1
    assert Profile.objects.get(user_id=as_alice.id).written_by == "model"
    assert Usage.objects.filter(user_id=as_alice.id, source="memory_summary").count() == 1
