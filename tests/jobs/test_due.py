"""Due work: each kind is found, other users are not visited, and only operators may query it."""

import re
from datetime import timedelta
from itertools import product
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

import jobs.sweep as sweeping
import palace.postgres
from accounts.models import User
from accounts.tenancy import operator, tenant, visitor
from api.models import Webhook, WebhookDelivery
from chat.mining.run import due_conversations
from chat.models import Agent, Conversation
from jobs.sweep import sweep, sweep_webhooks
from memory.models import (
    ActivityEvent,
    ChangeSet,
    ConsolidationRun,
    Drawer,
    Fact,
    Forgetting,
    MinedWindow,
    MiningProgress,
    Palace,
    RecallTrace,
)
from memory.placement import lock_palace
from memory.preferences import change_preferences
from memory.projections.upkeep import refresh_due
from memory.upkeep_schedule import UPKEEP_EVERY, request_upkeep_of_all
from palace.postgres.base import as_owner
from tests.conftest import create_user
from tests.drills.ledger import NOW, converse, mine
from transfer.file_jobs import folder_of
from transfer.models import ImportRun, Transfer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder", "uploads")]

SQL = (Path(palace.postgres.__file__).parent / "due.sql").read_text(encoding="utf-8")
QUERIES = dict(re.findall(r"WHEN '([a-z ]+)' THEN[^\n]*\n\s+RETURN QUERY\n(.*?);\n", SQL, re.DOTALL))
SECOND = timedelta(seconds=1)
AFTER, BEFORE = NOW + SECOND, NOW - SECOND
CHAT = {"source": "chat", "last_message_at": NOW}
EXPIRED = {"deleted_at": BEFORE, "expired_at": NOW}
DUE_CHATS = (
    *({"source": "chat"}, CHAT, {**CHAT, "closed_at": NOW}, {**CHAT, "mine_requested_at": NOW}),
    *({"source": "api", "last_sequence": 30}, {"source": "import"}),
)


def due(work):
    """The users with due work of a kind, according to the database."""
    with operator(), connection.cursor() as cursor:
        cursor.execute("SELECT palace_due(%s, %s)", [work, NOW])
        return {user_id for (user_id,) in cursor.fetchall()}


def chat(user_id, **changes):
    conversation = converse(user_id, "I live in Porto.", "Good.")
    Conversation.objects.filter(id=conversation.id).update(id=conversation.id, **changes)
    return conversation


def row(model, **values):
    """Return a function that creates a row of a user with these values as defaults."""
    return lambda user_id, **more: model._default_manager.create(user_id=user_id, **values | more)


agent = row(Agent, name="A")
change_set = row(ChangeSet, made_at=BEFORE, subject_id=uuid4(), batch_id=uuid4())
forgetting = row(Forgetting, scope="wing", at=BEFORE)
palace_of = row(Palace)
recall_trace = row(RecallTrace, trace={})
transfer = row(Transfer, direction="export", state="done", expires_at=NOW)
upload = row(ImportRun)
webhook = row(Webhook, url="https://x.example/", events=["mined"])


def recall_without_reply(user_id, days, kept=0):
    """A recall without a reply, this many days ago, by a user who keeps chats for `kept` days."""
    change_preferences(user_id, {"retention_days": kept}, NOW)
    recall_trace(user_id, without_reply=True, at=NOW - timedelta(days=days))


def mine_chat(user_id):
    chat(user_id)
    mine(user_id)


def progress(user_id, **values):
    MiningProgress.objects.create(
        user_id=user_id, source_kind="conversation", source_id=chat(user_id).id, **values
    )


def expiring_chat(user_id, until):
    change_preferences(user_id, {"retention_days": 30}, NOW)
    chat(user_id, last_message_at=until - timedelta(days=30))


def in_trash(user_id, model, at):
    mine_chat(user_id)
    model.objects.update(deleted_at=at)


def window(user_id, next_attempt_at=None, **values):
    mine_chat(user_id)
    MinedWindow.objects.update(next_attempt_at=next_attempt_at, **values)


def webhook_event(user_id, at):
    webhook(user_id)
    ActivityEvent.objects.create(user_id=user_id, kind="mined", at=at)


def delivery(user_id, at, next_at):
    given = {"kind": "mined", "subject_id": uuid4(), "occurred_at": at, "next_at": next_at}
    WebhookDelivery.objects.create(user_id=user_id, webhook_id=webhook(user_id).id, **given)


CASES = [
    ("agents", lambda u: agent(u, deleted_at=BEFORE), agent),
    ("changes", change_set, lambda u: change_set(u, expired=True)),
    ("chats", chat, lambda u: chat(u, settled_through=2)),
    ("chats", lambda u: progress(u, mined_through=2), lambda u: progress(u, state="dead")),
    ("chats", lambda u: progress(u, mined_through=1, claims=20), lambda u: chat(u, mine=False)),
    ("chats", lambda u: progress(u, state="retrying"), lambda u: chat(u, deleted_at=NOW)),
    ("deleted chats", lambda u: chat(u, deleted_at=BEFORE), lambda u: chat(u, deleted_at=AFTER)),
    ("deleted chats", lambda u: chat(u, deleted_at=BEFORE), lambda u: chat(u, **EXPIRED)),
    ("deliveries", lambda u: delivery(u, BEFORE, None), lambda u: delivery(u, BEFORE, NOW)),
    ("expired chats", lambda u: expiring_chat(u, BEFORE), lambda u: expiring_chat(u, NOW)),
    ("files", upload, lambda u: upload(u, state="done")),
    ("files", lambda u: transfer(u, path="x"), transfer),
    ("incognito", lambda u: chat(u, incognito=True), chat),
    ("memory", lambda u: palace_of(u, upkeep_at=None), lambda u: palace_of(u, upkeep_at=AFTER)),
    ("memory", lambda u: palace_of(u, upkeep_at=NOW), lambda u: palace_of(u, upkeep_at=AFTER)),
    ("old recalls", lambda u: recall_without_reply(u, 91), lambda u: recall_without_reply(u, 89)),
    ("old recalls", lambda u: recall_without_reply(u, 31, 30), lambda u: recall_without_reply(u, 29, 30)),
    ("readings", lambda u: window(u, reason="unavailable"), mine_chat),
    ("readings", lambda u: window(u, requested_at=NOW), lambda u: window(u, AFTER, reason="unavailable")),
    ("recalls", recall_trace, lambda u: recall_trace(u, facts_counted=True)),
    ("trash", lambda u: in_trash(u, Drawer, BEFORE), lambda u: in_trash(u, Drawer, AFTER)),
    ("trash", lambda u: in_trash(u, Fact, BEFORE), lambda u: in_trash(u, Fact, AFTER)),
    ("trash", forgetting, lambda u: forgetting(u, undone_at=NOW)),
    ("webhooks", lambda u: webhook_event(u, AFTER), lambda u: webhook_event(u, BEFORE)),
    ("webhooks", lambda u: delivery(u, BEFORE, AFTER), lambda u: delivery(u, BEFORE, None)),
    ("webhooks", lambda u: (webhook(u), forgetting(u, final_at=NOW)), lambda u: (webhook(u), forgetting(u))),
]


@pytest.mark.parametrize(("work", "waiting", "idle"), CASES)
def test_due_work_of_each_kind_is_found(alice, bob, work, waiting, idle):
    with tenant(alice.id):
        waiting(alice.id)
    with tenant(bob.id):
        idle(bob.id)
    assert due(work) == {alice.id}


def test_every_kind_of_work_has_a_query_a_test_case_and_a_sweep():
    visited = {work for work, _, _ in sweeping._OTHER_WORK}
    visited |= {"chats", "memory", "files", "webhooks", "deliveries"}
    assert set(QUERIES) == {work for work, _, _ in CASES} == visited


def test_every_chat_due_for_mining_is_found(alice):
    for auto_mine, mine_it, changes in product((True, False), (True, False), DUE_CHATS):
        with tenant(alice.id):
            change_preferences(alice.id, {"auto_mine": auto_mine}, NOW)
            chat(alice.id, agent_id=agent(alice.id, mine=mine_it).id, **changes)
            is_due = due_conversations(alice.id, NOW).exists()
        assert not is_due or due("chats") == {alice.id}, (auto_mine, mine_it, changes)
        with tenant(alice.id):
            Conversation.objects.all().delete()


def make_idle(user):
    """Give the user a mined chat and no work left to do."""
    with tenant(user.id):
        mine_chat(user.id)
        ConsolidationRun.objects.create(user_id=user.id, state="applied", planned_at=NOW)
        refresh_due(user.id, NOW)
    for _ in range(2):
        sweep(NOW)
        sweep_webhooks(NOW)


def count_statements():
    with CaptureQueriesContext(connection) as found:
        sweep(NOW)
        sweep_webhooks(NOW)
    return len(found)


def test_idle_users_need_no_statements_until_something_is_due(alice, bob, queued):
    before = count_statements()
    for user in (alice, bob):
        make_idle(user)
        assert count_statements() == before
    assert due("chats") == set()
    with tenant(bob.id):
        chat(bob.id)
    with tenant(alice.id):
        assert Conversation.objects.get().settled_through == 2
        Conversation.objects.update(last_sequence=3)
    queued()
    assert count_statements() > before
    assert sorted(queued()) == sorted(("mine", (str(user.id),)) for user in (alice, bob))


def test_upkeep_is_due_after_each_change_and_once_a_day(alice, monkeypatch):
    make_idle(alice)
    assert due("memory") == set()
    with tenant(alice.id), transaction.atomic():
        assert Palace.objects.get().upkeep_at == NOW + UPKEEP_EVERY
        lock_palace(alice.id)
    assert due("memory") == {alice.id}
    sweep(NOW)
    assert due("memory") == set()
    with tenant(alice.id):
        change_preferences(alice.id, {"embedding_model": "local-e5"}, NOW)
    assert due("memory") == {alice.id}
    with tenant(alice.id):
        change_preferences(alice.id, {"embedding_model": ""}, NOW)
    sweep(NOW)
    assert due("memory") == set()
    request_upkeep_of_all()
    assert due("memory") == {alice.id}

    def change_meanwhile(user_id):
        with transaction.atomic():
            lock_palace(user_id)
        return False

    monkeypatch.setattr(sweeping, "has_work", change_meanwhile)
    sweep(NOW)
    assert due("memory") == {alice.id}, "it changed during the upkeep"


def test_stray_files_are_deleted(alice, bob, uploads):
    folder = folder_of(alice.id)
    folder.mkdir(parents=True)
    (folder / "stray").touch()
    (uploads / "lost+found").mkdir()
    (uploads / "lost+found" / "x").touch()
    folder_of(bob.id).mkdir(parents=True)
    assert due("files") == set()
    sweep(NOW)
    assert not (folder / "stray").exists()


def test_sweeps_visit_a_few_active_users_at_a_time_and_eventually_all(monkeypatch, queued):
    monkeypatch.setattr(sweeping, "MAX_USERS", 2)
    users = [create_user(name) for name in ("ann", "ben", "cat")]
    for each in users:
        with tenant(each.id):
            chat(each.id)
    found: set[str] = set()
    for _ in range(20):
        sweep(NOW)
        users_of_sweep = [user for name, (user,) in queued() if name == "mine"]
        assert len(users_of_sweep) == 2
        found |= {*users_of_sweep}
    assert found == {str(each.id) for each in users}
    with operator():
        User.objects.update(is_active=False)
    sweep(NOW)
    assert queued() == []


def select(expression):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SELECT {expression}")
        return cursor.fetchall()


@pytest.mark.parametrize("scope", [lambda user: tenant(user.id), lambda user: visitor()])
@pytest.mark.parametrize("expression", ["palace_due('chats', now())", "palace_request_upkeep()"])
def test_only_operators_may_query_due_work_which_is_only_ids(alice, scope, expression):
    with scope(alice), pytest.raises(DatabaseError, match="only operators"):
        select(expression)
    with operator():
        select(expression)
        kind = "prorettype::regtype::text, prosecdef FROM pg_proc WHERE proname = 'palace_due'"
        assert select(kind) == [("uuid", True)]


@pytest.mark.parametrize("work", QUERIES)
def test_each_query_uses_an_index(work):
    settings = "unnest(proconfig) FROM pg_proc WHERE proname = 'palace_due'"
    with as_owner(), transaction.atomic(), connection.cursor() as cursor:
        for (setting,) in select(settings):
            cursor.execute("SELECT set_config(%s, %s, true)", str(setting).split("="))
        cursor.execute("EXPLAIN " + re.sub(r"\bmoment\b", "now()", QUERIES[work]))
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Seq Scan" not in plan, plan
