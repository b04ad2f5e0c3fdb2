import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from accounts.models import User
from accounts.tenancy import tenant
from chat.models import Conversation, Message
from memory.models import ActivityEvent
from tests.chat.ledger import NOW, Killed, contents, counts, export_of, kill_at, write_export
from tests.transfer.importing.exports import conversation
from transfer.imports import RunTakenOver, counts_of, import_file, local_run, sole_importer
from transfer.models import ImportRun, RefusedEntry

BROKEN = {"id": "broken", "title": "Broken\x00 \ud800 and long " + "x" * 400}
CHATS = {"boats": ["A boat!", "Which?", "Petrel."], "tea": ["Jasmine tea.", "Noted."]}
NOTHING = dict.fromkeys(("conversations", "grown", "duplicates", "empty", "messages", "refused"), 0)


def clock():
    return NOW


@pytest.fixture
def export(tmp_path):
    value = export_of(CHATS, [BROKEN, conversation("Silent", mapping={})])
    return write_export(tmp_path / "conversations.json", value)


def imported(user_id, path, progress=lambda run: None):
    with local_run(user_id, path, NOW) as run:
        return import_file(run, path, clock, progress)


def test_export_is_imported_once_with_counts_and_an_event(as_alice, export, tmp_path):
    seen = []
    run = imported(as_alice.id, export, lambda run: seen.append((run.position, run.messages)))
    assert (run.state, run.format) == (ImportRun.State.DONE, "ChatGPT")
    assert counts_of(run) == NOTHING | {"conversations": 2, "empty": 1, "messages": 5, "refused": 1}
    assert seen == [(1, 3), (2, 5), (3, 5), (4, 5)]
    event = ActivityEvent.objects.get(kind=ActivityEvent.Kind.IMPORTED)
    assert (event.subject_id, event.details) == (run.id, counts_of(run))
    entry = RefusedEntry.objects.get(run_id=run.id)
    assert entry.where.startswith("conversations.json entry 3 (“Broken")
    assert "\x00" not in entry.where
    assert "messages" in entry.reason
    row = json.dumps(list(ImportRun.objects.values()), default=str)
    for word in ("Petrel", "Boats", "Broken", "conversations.json"):
        assert word not in row, "operators see it"

    again = imported(as_alice.id, export)
    assert (again.duplicates, again.conversations, again.messages) == (2, 0, 0)
    more = {**CHATS, "tea": [*CHATS["tea"], "And scones."], "bees": ["Bees!"]}
    later = imported(as_alice.id, write_export(tmp_path / "later.json", export_of(more)))
    assert counts_of(later) == NOTHING | {"conversations": 1, "grown": 1, "duplicates": 1, "messages": 2}
    assert (Message.objects.count(), Conversation.objects.count()) == (7, 3)


def test_two_users_can_import_the_same_file_separately(alice, bob, export):
    for user in (alice, bob):
        with tenant(user.id):
            imported(user.id, export)
    with tenant(alice.id):
        assert counts(alice.id)["chat.Message"] == 5
        assert counts(bob.id)["transfer.ImportRun"] == counts(bob.id)["transfer.RefusedEntry"] == 0
        assert ImportRun.objects.count() == 1


def test_importer_stops_when_its_run_is_taken_over_or_done(as_alice, export):
    def steal(run):
        if run.position == 1:
            ImportRun.objects.filter(id=run.id).update(position=2)

    with pytest.raises(RunTakenOver):
        imported(as_alice.id, export, steal)
    assert Conversation.objects.count() == 1
    assert ImportRun.objects.get().messages == 3
    ImportRun.objects.all().delete()
    run = imported(as_alice.id, export)
    with pytest.raises(RunTakenOver):
        import_file(run, export, clock)


def test_refused_entries_are_listed_up_to_a_limit_and_all_counted(as_alice, tmp_path, monkeypatch):
    monkeypatch.setattr("transfer.imports.MAX_REFUSED_STORED", 3)
    value = export_of({"boats": ["A boat!"]}, [BROKEN] * 5)
    assert imported(as_alice.id, write_export(tmp_path / "many.json", value)).refused == 5
    assert RefusedEntry.objects.count() == 3


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_run_killed_at_any_statement_resumes_to_the_same_rows(db, export, after):
    statement, wanted = 0, None
    while True:
        user = User.objects.create_user(f"killed-{statement}@example.org")
        with tenant(user.id):
            try:
                with kill_at(statement, after=after):
                    imported(user.id, export)
            except Killed:
                _release_locks()
                _check_no_partial_chat(user.id)
                if not ImportRun.objects.filter(state=ImportRun.State.DONE).exists():
                    imported(user.id, export)
            else:
                if wanted is not None:
                    break
            wanted = wanted or contents(user.id)
            assert contents(user.id) == wanted, statement
        statement += 1
    assert statement > 30


def _release_locks():
    """Release locks as the end of a killed process would."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock_all()")


def _check_no_partial_chat(user_id):
    for chat in Conversation.objects.filter(user_id=user_id):
        assert chat.messages.count() == chat.last_sequence == len(CHATS[chat.external_id or ""])
    done = ImportRun.objects.filter(user_id=user_id).first()
    assert Message.objects.filter(user_id=user_id).count() == (done.messages if done else 0)


@pytest.mark.django_db(transaction=True)
def test_concurrent_importers_store_each_chat_once(alice, tmp_path):
    chats = {f"chat-{number}": [f"Words {number}", "Yes."] for number in range(30)}
    path = write_export(tmp_path / "many.json", export_of(chats))
    barrier = threading.Barrier(2)

    def work(_):
        try:
            with tenant(alice.id):
                barrier.wait()
                return counts_of(imported(alice.id, path))
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as importers:
        runs = list(importers.map(work, range(2)))
    with tenant(alice.id):
        assert (Conversation.objects.count(), Message.objects.count()) == (30, 60)
    for name, total in (("conversations", 30), ("messages", 60), ("duplicates", 30)):
        assert sum(run[name] for run in runs) == total


def test_run_has_a_single_importer(as_alice):
    run, seen = ImportRun.objects.create(user_id=as_alice.id), []

    def other():
        try:
            with sole_importer(run.id) as alone:
                seen.append(alone)
        finally:
            connection.close()

    with sole_importer(run.id) as alone:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert (alone, seen) == (True, [False])
