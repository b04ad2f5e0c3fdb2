"""Whose work is due: each kind of it is found, nobody else is visited, and only operators may ask."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import Model
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
from tests.conftest import person
from tests.drills.ledger import NOW, converse, mine
from transfer.models import ImportRun, Transfer, folder_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder", "uploads")]

SQL = (Path(palace.postgres.__file__).parent / "due.sql").read_text(encoding="utf-8")
QUERIES = dict(re.findall(r"WHEN '([a-z ]+)' THEN[^\n]*\n\s+RETURN QUERY\n(.*?);\n", SQL, re.DOTALL))
SECOND = timedelta(seconds=1)
AFTER, BEFORE = NOW + SECOND, NOW - SECOND
CHAT = {"source": "chat", "last_message_at": NOW}


def due(work: str) -> set[UUID]:
    """Whose work of a kind the database says is due, or was to be done, NOW."""
    with operator(), connection.cursor() as cursor:
        cursor.execute("SELECT palace_due(%s, %s)", [work, NOW])
        return {user_id for (user_id,) in cursor.fetchall()}


def chat(user_id: UUID, **changes: object) -> Conversation:
    conversation = converse(user_id, "I live in Porto.", "Good.")
    if changes:
        Conversation.objects.filter(user_id=user_id, id=conversation.id).update(**changes)
    return conversation


def row(model: type[Model], **values: object) -> Callable[..., Any]:
    """Makes rows of somebody with these values, and more or others."""
    return lambda user_id, **more: model._default_manager.create(user_id=user_id, **values | more)


agent = row(Agent, name="A")
change_set = row(ChangeSet, made_at=BEFORE, subject_id=uuid4(), batch_id=uuid4())
forgotten = row(Forgetting, scope="wing", at=BEFORE)
palace_of = row(Palace)
recalled = row(RecallTrace, trace={})
transfer = row(Transfer, direction="export", state="done", expires_at=NOW)
upload = row(ImportRun)
webhook = row(Webhook, url="https://x.example/", events=["mined"])


def unanswered(user_id: UUID, days: int, kept: int = 0) -> None:
    """A recall without a reply, so many days ago, of somebody who keeps chats for `kept` days."""
    change_preferences(user_id, {"retention_days": kept}, NOW)
    recalled(user_id, without_reply=True, at=NOW - timedelta(days=days))


def mined(user_id: UUID) -> None:
    chat(user_id)
    mine(user_id)


def progress(user_id: UUID, **values: object) -> None:
    MiningProgress.objects.create(
        user_id=user_id, source_kind="conversation", source_id=chat(user_id).id, **values
    )


def retained(user_id: UUID, until: datetime) -> None:
    change_preferences(user_id, {"retention_days": 30}, NOW)
    chat(user_id, last_message_at=until - timedelta(days=30))


def in_trash(user_id: UUID, model: type[Drawer | Fact], at: datetime) -> None:
    mined(user_id)
    model.objects.update(deleted_at=at)


def window(user_id: UUID, next_attempt_at: datetime | None = None, **values: object) -> None:
    mined(user_id)
    MinedWindow.objects.update(next_attempt_at=next_attempt_at, **values)


def happened(user_id: UUID, at: datetime, **values: object) -> None:
    webhook(user_id, **values)
    ActivityEvent.objects.create(user_id=user_id, kind="mined", at=at)


def delivery(user_id: UUID, at: datetime, next_at: datetime | None) -> None:
    WebhookDelivery.objects.create(
        user_id=user_id,
        webhook_id=webhook(user_id).id,
        kind="mined",
        subject_id=uuid4(),
        happened_at=at,
        next_at=next_at,
    )


Make = Callable[[UUID], object]
CASES: list[tuple[str, Make, Make]] = [
    ("agents", lambda u: agent(u, deleted_at=BEFORE), agent),
    ("changes", change_set, lambda u: change_set(u, expired=True)),
    ("chats", chat, lambda u: chat(u, settled_through=2)),
    ("chats", lambda u: progress(u, mined_through=2), lambda u: progress(u, state="dead")),
    ("chats", lambda u: progress(u, mined_through=1, claims=20), lambda u: chat(u, learn=False)),
    ("chats", lambda u: progress(u, state="retrying"), lambda u: chat(u, deleted_at=NOW)),
    ("deleted chats", lambda u: chat(u, deleted_at=BEFORE), lambda u: chat(u, deleted_at=AFTER)),
    (
        "deleted chats",
        lambda u: chat(u, deleted_at=BEFORE),
        lambda u: chat(u, deleted_at=BEFORE, expired_at=NOW),
    ),
    ("deliveries", lambda u: delivery(u, BEFORE, None), lambda u: delivery(u, BEFORE, NOW)),
    ("expired chats", lambda u: retained(u, BEFORE), lambda u: retained(u, NOW)),
    ("files", upload, lambda u: upload(u, state="done")),
    ("files", lambda u: transfer(u, name="x"), lambda u: transfer(u, state="done")),
    ("files", lambda u: transfer(u, dropped_at=NOW), lambda u: transfer(u, state="failed")),
    ("incognito", lambda u: chat(u, incognito=True), chat),
    ("memory", lambda u: palace_of(u, upkeep_at=None), lambda u: palace_of(u, upkeep_at=AFTER)),
    ("memory", lambda u: palace_of(u, upkeep_at=NOW), lambda u: palace_of(u, upkeep_at=AFTER)),
    ("old recalls", lambda u: unanswered(u, 91), lambda u: unanswered(u, 89)),
    ("old recalls", lambda u: unanswered(u, 31, 30), lambda u: unanswered(u, 29, 30)),
    ("readings", lambda u: window(u, reason="away"), mined),
    ("readings", lambda u: window(u, requested_at=NOW), lambda u: window(u, AFTER, reason="away")),
    ("recalls", recalled, lambda u: recalled(u, facts_counted=True)),
    ("trash", lambda u: in_trash(u, Drawer, BEFORE), lambda u: in_trash(u, Drawer, AFTER)),
    ("trash", lambda u: in_trash(u, Fact, BEFORE), lambda u: in_trash(u, Fact, AFTER)),
    ("trash", forgotten, lambda u: forgotten(u, undone_at=NOW)),
    ("webhooks", lambda u: happened(u, AFTER), lambda u: happened(u, BEFORE)),
    ("webhooks", lambda u: delivery(u, BEFORE, AFTER), lambda u: happened(u, AFTER, paused_at=NOW)),
    ("webhooks", lambda u: (webhook(u), forgotten(u, final_at=NOW)), lambda u: (webhook(u), forgotten(u))),
]


@pytest.mark.parametrize(("work", "waiting", "idle"), CASES)
def test_each_kind_of_work_is_found(alice: User, bob: User, work: str, waiting: Make, idle: Make) -> None:
    with tenant(alice.id):
        waiting(alice.id)
    with tenant(bob.id):
        idle(bob.id)
    assert due(work) == {alice.id}


def test_every_kind_of_work_is_tried_and_visited() -> None:
    visited = {work for work, _, _ in sweeping._OTHER_WORK}
    visited |= {"chats", "memory", "files", "webhooks", "deliveries"}
    assert set(QUERIES) == {work for work, _, _ in CASES} == visited


@pytest.mark.parametrize("auto_mine", [True, False])
@pytest.mark.parametrize("mine_it", [True, False])
@pytest.mark.parametrize(
    "changes",
    [
        {"source": "chat"},
        CHAT,
        {**CHAT, "closed_at": NOW},
        {**CHAT, "mine_requested_at": NOW},
        {"source": "api", "last_sequence": 30},
        {"source": "import"},
    ],
)
def test_no_chat_that_may_be_mined_is_missed(
    alice: User, auto_mine: bool, mine_it: bool, changes: dict[str, object]
) -> None:
    with tenant(alice.id):
        change_preferences(alice.id, {"auto_mine": auto_mine}, NOW)
        chat(alice.id, agent_id=agent(alice.id, mine=mine_it).id, **changes)
        is_due = due_conversations(alice.id, NOW).exists()
    assert not is_due or due("chats") == {alice.id}


def settled(user: User) -> None:
    """A person with a chat that was mined, and nothing left to do."""
    with tenant(user.id):
        mined(user.id)
        ConsolidationRun.objects.create(user_id=user.id, state="applied", planned_at=NOW)
        refresh_due(user.id, NOW)
    for _ in range(2):
        sweep(NOW)
        sweep_webhooks(NOW)


def statements() -> int:
    with CaptureQueriesContext(connection) as found:
        sweep(NOW)
        sweep_webhooks(NOW)
    return len(found)


def test_idle_users_cost_no_statement(alice: User, bob: User, queued) -> None:
    before = statements()
    settled(alice)
    assert statements() == before
    settled(bob)
    assert statements() == before
    with tenant(bob.id):
        chat(bob.id)
    queued()
    assert statements() > before
    assert queued() == [("mine", (str(bob.id),))]


def test_what_is_said_after_a_chat_was_mined_is_found_again(alice: User) -> None:
    settled(alice)
    with tenant(alice.id):
        assert Conversation.objects.get().settled_through == 2
    assert due("chats") == set()
    with tenant(alice.id):
        Conversation.objects.update(last_sequence=3)
    assert due("chats") == {alice.id}


def test_a_memory_is_looked_at_after_each_change_and_once_a_day(alice: User) -> None:
    settled(alice)
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


def test_a_change_while_a_memory_is_looked_at_is_not_overlooked(alice: User, monkeypatch) -> None:
    settled(alice)
    request_upkeep_of_all()

    def meanwhile(user_id: UUID) -> bool:
        with transaction.atomic():
            lock_palace(user_id)
        return False

    monkeypatch.setattr(sweeping, "has_work", meanwhile)
    sweep(NOW)
    assert due("memory") == {alice.id}


def test_stray_files_are_found_in_the_folders(alice: User, bob: User, uploads: Path) -> None:
    folder = folder_of(alice.id)
    folder.mkdir(parents=True)
    (folder / "stray").touch()
    (uploads / "lost+found").mkdir()
    (uploads / "lost+found" / "x").touch()
    folder_of(bob.id).mkdir(parents=True)
    assert due("files") == set()
    sweep(NOW)
    assert not (folder / "stray").exists()


def test_a_sweep_visits_a_few_at_a_time_and_everybody_in_the_end(monkeypatch, queued) -> None:
    monkeypatch.setattr(sweeping, "MAX_USERS", 2)
    people = [person(name) for name in ("ann", "ben", "cat")]
    for each in people:
        with tenant(each.id):
            chat(each.id)
    found: set[str] = set()
    for _ in range(60):
        assert sweep(NOW).to_mine == 2
        found |= {user for name, (user,) in queued() if name == "mine"}
    assert found == {str(each.id) for each in people}


def test_inactive_users_are_not_visited(alice: User, queued) -> None:
    with tenant(alice.id):
        chat(alice.id)
    with operator():
        User.objects.update(is_active=False)
    assert sweep(NOW).to_mine == 0


def ask(question: str) -> list[tuple[object, ...]]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SELECT {question}")
        return cursor.fetchall()


@pytest.mark.parametrize("scope", [lambda user: tenant(user.id), lambda user: visitor()])
@pytest.mark.parametrize("question", ["palace_due('chats', now())", "palace_request_upkeep()"])
def test_only_operators_may_ask(
    alice: User, scope: Callable[[User], AbstractContextManager[None]], question: str
) -> None:
    with scope(alice), pytest.raises(DatabaseError, match="only operators"):
        ask(question)
    with operator():
        ask(question)


def test_the_answer_is_ids_and_nothing_else() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT prorettype::regtype::text, prosecdef FROM pg_proc WHERE proname = 'palace_due'"
        )
        assert cursor.fetchall() == [("uuid", True)]


@pytest.mark.parametrize("work", QUERIES)
def test_each_query_has_an_index(work: str) -> None:
    settings = "unnest(proconfig) FROM pg_proc WHERE proname = 'palace_due'"
    with as_owner(), transaction.atomic(), connection.cursor() as cursor:
        for (setting,) in ask(settings):
            cursor.execute("SELECT set_config(%s, %s, true)", str(setting).split("="))
        cursor.execute("EXPLAIN " + re.sub(r"\bmoment\b", "now()", QUERIES[work]))
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Seq Scan" not in plan, plan
