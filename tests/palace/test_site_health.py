"""Site health in the admin: parts and failed jobs, for staff only, without anybody's words."""

import json
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission
from django.db import DatabaseError, connection
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from accounts.tenancy import operator
from jobs import queues
from palace import health
from tests.conftest import person, signed_in

pytestmark = pytest.mark.django_db
URL = "/admin/health/"
SECRET = "unmistakable-lighthouse"


@pytest.fixture
def jobs(settings: Settings) -> list[str]:
    """The ids of two jobs that failed."""
    settings.QUEUE = "database"
    health.model_parts.cache_clear()
    ids = [str(uuid4()) for _ in range(2)]
    for key, name in zip(ids, ("embed_missing", "run_import"), strict=True):
        options = {"error": "OperationalError"}
        message = {"queue_name": "default", "actor_name": name, "args": [SECRET], "options": options}
        with connection.cursor() as cursor:
            insert = "INSERT INTO dramatiq.queue (message_id, state, message) VALUES (%s, 'rejected', %s)"
            cursor.execute(insert, [key, json.dumps(message)])
    return ids


def broker_state(client: Client) -> str:
    parts = client.get("/readyz", headers={"accept": "application/json"}).json()["parts"]
    return str(next(part["state"] for part in parts if part["name"] == "broker"))


def test_the_page_is_for_staff_who_may_see_jobs(
    client: Client, alice_client: Client, carol_client: Client, jobs: list[str]
) -> None:
    assert client.get(URL).status_code == 302
    dan = person("dan", is_staff=True)
    for each in (alice_client, signed_in(dan)):
        assert each.get(URL).status_code == 403
        assert each.post(URL, {"job": jobs, "discard": "Discard"}).status_code == 403
    assert len(queues.failed_jobs()) == 2
    with operator():
        dan.user_permissions.add(Permission.objects.get(codename="view_miningprogress"))
    for staff in (signed_in(User.objects.get(id=dan.id)), carol_client):
        assert staff.get(URL).status_code == 200
        assert URL in staff.get(reverse("admin:index")).content.decode()


def test_operators_see_parts_and_failed_jobs_without_words(carol_client: Client, jobs: list[str]) -> None:
    html = carol_client.get(URL).content.decode()
    for words in ("2 background jobs have failed.", "embed_missing", "run_import", "OperationalError", *jobs):
        assert words in html
    assert SECRET not in html
    assert "style=" not in html


def test_retrying_and_discarding_brings_the_queue_up_again(carol_client: Client, jobs: list[str]) -> None:
    assert broker_state(carol_client) == "degraded"
    answer = carol_client.post(URL, {"job": jobs[:1], "retry": "Try again"}, follow=True)
    assert "1 job will be tried again." in answer.content.decode()
    assert broker_state(carol_client) == "degraded"
    answer = carol_client.post(URL, {"job": jobs, "discard": "Discard"}, follow=True)
    assert "1 job was discarded." in answer.content.decode()
    assert broker_state(carol_client) == "up"


def test_an_unreachable_queue_is_said_and_breaks_no_page(
    carol_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable() -> None:
        raise DatabaseError

    monkeypatch.setattr(queues, "failed_jobs", unreachable)
    monkeypatch.setattr(health, "depth", lambda: None)
    html = carol_client.get(URL).content.decode()
    assert "The job queue cannot be reached." in html
