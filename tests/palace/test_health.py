"""Health checks, metrics, `doctor` and the site health page, also with unavailable parts."""

import io
import json
import time
from contextlib import contextmanager
from unittest.mock import Mock
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command
from django.db import DatabaseError, OperationalError, ProgrammingError, connection
from django.urls import reverse
from django.utils import timezone
from redis import ConnectionError as RedisAway

from accounts.models import User
from accounts.tenancy import operator, tenant
from jobs import heartbeats, queues
from jobs.heartbeats import PROCESSES, beat
from llm import current
from llm.configuration import LlmConfiguration
from palace import health
from palace.embedded.location import EmbeddedDatabaseFailed
from palace.management.commands import doctor
from palace.postgres.base import DatabaseNotPrepared, DatabaseWrapper
from palace.processes.heartbeat import heartbeat
from tests.api.conftest import token_of
from tests.commands import run_command
from tests.conftest import create_user, signed_in
from tests.html import check_page
from tests.palace.processes import eventually
from transfer.transfers import request_export

pytestmark = pytest.mark.django_db
TOKEN = "0123456789abcdef"
QUEUE_AWAY = queues.QueueUnreachable()
QUEUE_AWAY.__cause__ = RedisAway("Error 111 connecting to 127.0.0.1:9. Connection refused.")


@pytest.fixture(autouse=True)
def _nothing_cached():
    health.model_parts.cache_clear()
    yield
    health.model_parts.cache_clear()


def states(client):
    answer = client.get("/readyz", headers={"accept": "application/json"})
    return {part["name"]: part["state"] for part in json.loads(answer.content)["parts"]}


def test_healthz_makes_no_queries(client, alice_client, django_assert_num_queries):
    with django_assert_num_queries(0):
        for each in (client, alice_client):
            answer = each.get("/healthz")
            assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert "no-store" in answer.headers["Cache-Control"]


def test_metrics_of_routes_without_user_data_are_for_staff_and_the_token(
    client, alice_client, carol_client, alice, settings
):
    beat("worker")
    alice_client.get("/healthz")
    alice_client.get(f"/nowhere/{alice.id}/my-sister")
    alice_client.generic("BREW", "/healthz")
    text = carol_client.get("/metrics").content.decode()
    for words in (
        'palace_requests_total{method="GET",route="healthz",status="200"}',
        'route="unknown"',
        'method="other"',
        'palace_jobs{state="waiting"}',
        'palace_heartbeat_age_seconds{process="worker"}',
    ):
        assert words in text
    for secret in (str(alice.id), alice.email, "my-sister", "BREW"):
        assert secret not in text
    assert [each.get("/metrics").status_code for each in (client, alice_client)] == [403, 403]
    assert client.get("/metrics", headers={"authorization": "Bearer "}).status_code == 403
    settings.METRICS_TOKEN = TOKEN
    for refused in ("", "Bearer", "Bearer ", f"Basic {TOKEN}", f"Bearer {TOKEN}x"):
        assert client.get("/metrics", headers={"authorization": refused}).status_code == 403
    answer = client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain")


def test_readyz_describes_every_part_and_caches_model_probes(client, monkeypatch):
    asked: list[int] = []
    look = health._language_model
    monkeypatch.setattr(health, "_language_model", lambda: (asked.append(1), look())[1])
    for _ in range(20):
        answer = client.get("/readyz", headers={"accept": "application/json"})
    assert len(asked) <= 3
    found = json.loads(answer.content)
    assert found["ready"] is True
    assert [part["name"] for part in found["parts"]] == [
        *("database", "broker", "worker", "scheduler", "embedder", "llm")
    ]
    assert found["parts"][-1]["state"] == "degraded"
    page = client.get("/readyz", headers={"accept": "text/html"})
    assert page.headers["Content-Type"].startswith("text/html")
    assert "Palace is ready" in page.content.decode()


@pytest.mark.django_db(transaction=True)
def test_palace_is_ready_without_its_queue_and_models_and_doctor_says_so(client, monkeypatch, capsys):
    monkeypatch.setattr(health, "depth", Mock(side_effect=QUEUE_AWAY))
    monkeypatch.setattr(doctor, "as_owner", Mock(side_effect=DatabaseNotPrepared("set the login.")))
    before = current.configuration()
    unreachable = {"base_url": "http://127.0.0.1:9/v1", "connect_timeout_s": 0.5}
    current.configure(LlmConfiguration(**unreachable, embedding_model="nomic-embed-text@768"))
    try:
        probed, found = states(client), parts()
        assert client.get("/readyz").status_code == 200
    finally:
        current.configure(before)
    assert (probed["broker"], probed["llm"]) == ("down", "down")
    assert [found[name]["state"] for name in ("broker", "embedder", "llm")] == ["down"] * 3
    assert "Palace runs, but without what is down: broker, worker, " in capsys.readouterr().err
    for name in ("migrations", "row-level security"):
        assert found[name]["words"] == "Not checked: set the login."


@pytest.mark.django_db(transaction=True)
def test_silent_worker_is_told_to_monitoring_and_to_users_who_wait(
    client, alice, alice_client, uploads, monkeypatch
):
    assert states(client)["worker"] == "down", "none has ever answered"
    with tenant(alice.id):
        page = reverse("chat:transfer", args=[request_export(alice.id, timezone.now()).id])
    for process in PROCESSES:
        with heartbeat(process):
            eventually(lambda process=process: states(client)[process] == "up")
    assert "answered" not in alice_client.get(page).content.decode()
    monkeypatch.setattr(heartbeats.time, "time", Mock(return_value=time.time() + 5 * 60 + 1))
    beat("scheduler")
    found = states(client)
    assert (found["worker"], found["scheduler"]) == ("down", "up")
    for waits in (client.get("/readyz", headers={"accept": "text/html"}), alice_client.get(page)):
        assert "No worker has answered for 5 minutes." in waits.content.decode()


CLOSED = ("ALLOW_CONNECTIONS false", "ALLOW_CONNECTIONS true")
EXHAUSTED = ("CONNECTION LIMIT 0", "CONNECTION LIMIT -1")
"""The second undoes the first."""


@contextmanager
def refusing_connections(how=CLOSED):
    """Make the server refuse new connections to the test database: none is allowed, or it is EXHAUSTED.

    As no limit applies to superusers, connect with the application's login, as sites do.
    """
    refuse, allow = how
    _alter_database(refuse)
    connection.close()
    try:
        with pytest.MonkeyPatch.context() as patch:
            for name in ("get_connection_params", "_check_login"):
                patch.setattr(f"tests.engine.base.DatabaseWrapper.{name}", getattr(DatabaseWrapper, name))
            yield
    finally:
        _alter_database(allow)


def _alter_database(change):
    name = connection.ops.quote_name(connection.settings_dict["NAME"])
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {name} {change}")


@pytest.mark.parametrize("how", [CLOSED, EXHAUSTED], ids=["closed", "exhausted"])
@pytest.mark.django_db(transaction=True)
def test_unavailable_database_gives_503_until_it_is_back(alice, alice_client, client, how):
    token = {"Authorization": f"Bearer {token_of(alice)}"}
    alice_client.raise_request_exception = False
    with refusing_connections(how):
        page = alice_client.get("/memory/facts/")
        program = client.get("/api/v1/facts", headers=token)
        listed = client.get("/v1/models", headers=token)
        ready = client.get("/readyz", headers={"accept": "application/json"})
        shown = client.get("/readyz", headers={"accept": "text/html"})
        assert client.get("/healthz").status_code == 200
        checked = parts()
    assert [each.status_code for each in (page, program, listed, ready, shown)] == [503] * 5
    assert json.loads(ready.content)["ready"] is False
    assert "Palace is not ready" in shown.content.decode()
    assert connection.settings_dict["NAME"] not in ready.content.decode()
    assert "Palace cannot reach its database" in check_page(page, 503)
    assert page.headers["Retry-After"]
    assert program.json()["status"] == 503
    assert "token cannot be checked" in listed.json()["error"]["message"]
    assert (checked["database"]["state"], checked["disk"]["state"]) == ("down", "up")
    refusal = "not currently accepting" if how == CLOSED else "too many connections"
    assert refusal in checked["database"]["words"]
    migrations = "up" if how == EXHAUSTED else "degraded"
    assert checked["migrations"]["state"] == migrations, "the owner can still log in"
    assert alice_client.get("/memory/facts/").status_code == 200
    for path in ("/api/v1/facts", "/v1/models"):
        assert client.get(path, headers=token).status_code == 200


def parts():
    out = io.StringIO()
    try:
        call_command("doctor", "--json", stdout=out)
    except CommandError as error:
        assert str(error) == "Palace cannot run until this is fixed."  # noqa: PT017 - parts were printed
    return {part["name"]: part for part in json.loads(out.getvalue())}


@pytest.mark.django_db(transaction=True)
def test_doctor_checks_the_database_and_fails_on_missing_policies(monkeypatch):
    for process in PROCESSES:
        beat(process)
    assert {line.split()[0] for line in run_command("doctor").splitlines()} <= {"up", "degraded"}
    found = parts()
    for name in ("database", "migrations", "row-level security", "disk"):
        assert found[name]["state"] == "up", found[name]
    monkeypatch.setattr(doctor, "is_protected", lambda connection: False)
    with pytest.raises(CommandError, match="cannot run"):
        run_command("doctor")
    assert "manage.py migrate" in parts()["row-level security"]["words"]


@pytest.mark.django_db(transaction=True)
def test_doctor_advises_to_restore_the_old_key_before_it_speaks_of_migrate(settings):
    settings.SECRET_KEY = "another key of the tests, which is long enough to be one"
    connection.close()
    found = parts()
    connection.close()
    for name in ("database", "row-level security"):
        assert found[name]["state"] == "down"
        advice = found[name]["words"]
        assert 0 < advice.index("Restore the old key") < advice.index("manage.py migrate")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (DatabaseNotPrepared("the database has no tables yet."), "the database has no tables yet."),
        (ProgrammingError("relation"), "not been migrated completely; run `manage.py migrate`"),
        (EmbeddedDatabaseFailed("the disk is full"), "the disk is full"),
        (OperationalError("a user's words"), "cannot be used: OperationalError; the log"),
    ],
)
def test_doctor_says_why_the_database_cannot_be_used(error, words, monkeypatch):
    monkeypatch.setattr(health.connection, "cursor", Mock(side_effect=error))
    assert words in health.check_parts(with_reasons=True)[0].words
    assert words not in health.check_parts()[0].words


@pytest.mark.django_db(transaction=True)
def test_what_palace_can_run_without_is_reported_as_degraded(tmp_path, monkeypatch, settings):
    assert "Not configured" in parts()["mail"]["words"]
    with pytest.raises(CommandError, match="Set EMAIL_HOST first"):
        run_command("sendtestemail a@example.org")
    monkeypatch.setattr("llm.weights.CHECKOUT_MODELS", tmp_path)
    monkeypatch.setattr(current, "site_configuration", lambda: LlmConfiguration(models_home=tmp_path))
    settings.MIN_FREE_MB = 10**12
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    found = parts()
    names = ("reader", "multilingual model", "disk", "mail")
    assert {found[name]["state"] for name in names} == {"degraded"}
    assert "make install" in found["multilingual model"]["words"]
    assert found["mail"]["words"].startswith("127.0.0.1:9 cannot be used: ")
    with pytest.raises(CommandError, match=r"127\.0\.0\.1:9 did not accept the email: "):
        run_command("sendtestemail a@example.org")


URL = "/admin/health/"
SECRET = "unmistakable-lighthouse"


@pytest.fixture
def jobs(settings):
    settings.QUEUE = "database"
    ids = [str(uuid4()) for _ in range(2)]
    for key, name in zip(ids, ("embed_missing", "run_import"), strict=True):
        options = {"error": "OperationalError"}
        message = {"queue_name": "default", "actor_name": name, "args": [SECRET], "options": options}
        with connection.cursor() as cursor:
            insert = "INSERT INTO dramatiq.queue (message_id, state, message) VALUES (%s, 'rejected', %s)"
            cursor.execute(insert, [key, json.dumps(message)])
    return ids


def test_site_health_page_needs_the_permission_to_view_or_change_jobs(
    client, alice_client, carol_client, jobs
):
    assert client.get(URL).status_code == 302
    dan = create_user("dan", is_staff=True)
    for each in (alice_client, signed_in(dan)):
        assert each.get(URL).status_code == 403
        assert each.post(URL, {"job": jobs, "discard": "Discard"}).status_code == 403
    assert len(queues.failed_jobs()) == 2
    with operator():
        dan.user_permissions.add(Permission.objects.get(codename="view_miningprogress"))
    viewer = signed_in(User.objects.get(id=dan.id))
    for staff, may_discard in ((viewer, False), (carol_client, True)):
        assert ('name="discard"' in staff.get(URL).content.decode()) is may_discard
        assert URL in staff.get(reverse("admin:index")).content.decode()
    assert viewer.post(URL, {"job": jobs, "discard": "Discard"}).status_code == 403
    assert len(queues.failed_jobs()) == 2


def test_failed_jobs_are_shown_without_their_arguments_and_retried_or_discarded(
    client, carol_client, jobs, monkeypatch
):
    html = carol_client.get(URL).content.decode()
    for words in ("2 background jobs have failed.", "embed_missing", "run_import", "OperationalError", *jobs):
        assert words in html
    assert SECRET not in html
    assert "style=" not in html
    for chosen, how, said, left in (
        (jobs[:1], "retry", "1 job will be tried again.", "degraded"),
        (jobs, "discard", "1 job was discarded.", "up"),
    ):
        assert states(carol_client)["broker"] == "degraded"
        answer = carol_client.post(URL, {"job": chosen, how: "Yes"}, follow=True)
        assert said in answer.content.decode()
        assert ("1 background job has failed." in answer.content.decode()) is (left == "degraded")
        assert states(carol_client)["broker"] == left
    monkeypatch.setattr(queues, "failed_jobs", Mock(side_effect=DatabaseError))
    monkeypatch.setattr(health, "depth", Mock(side_effect=QUEUE_AWAY))
    said = "The job queue cannot be reached: Error 111 connecting to 127.0.0.1:9. Connection refused."
    assert said in carol_client.get(URL).content.decode()
    assert "Unknown while the job queue cannot be reached." in carol_client.get(URL).content.decode()
    assert "Error 111" not in client.get("/readyz").content.decode()
