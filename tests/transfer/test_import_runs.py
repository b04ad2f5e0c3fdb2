import json
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest
from django.db import connection

from accounts.models import User
from accounts.tenancy import tenant
from chat.models import Conversation, Message
from memory.models import ActivityEvent
from tests.chat.ledger import (
    NOW,
    Killed,
    contents,
    counting_statements,
    counts,
    export_of,
    killed_at,
    write_export,
)
from tests.transfer.importing.exports import as_file, conversation
from transfer.importing.archives import ImportUnreadable
from transfer.imports import RunTakenOver, counts_of, import_file, run_of_file, sole_importer
from transfer.models import ImportRun, RefusedEntry

BROKEN = {"id": "broken", "title": "Broken\x00 \ud800 and long " + "x" * 400}
CHATS = {"boats": ["A boat!", "Which?", "Petrel."], "tea": ["Jasmine tea.", "Noted."]}


def clock():
    return NOW


@pytest.fixture
def export(tmp_path):
    value = export_of(CHATS, [BROKEN, conversation("Silent", mapping={})])
    return write_export(tmp_path / "conversations.json", value)


def imported(user_id, path, progress=lambda run: None):
    with run_of_file(user_id, path, NOW) as run:
        return import_file(run, path, clock, progress)


def test_an_export_comes_in_with_its_counts_and_an_event(as_alice, export):
    seen = []
    run = imported(as_alice.id, export, lambda run: seen.append((run.position, run.messages)))
    assert run.state == ImportRun.State.DONE
    assert run.format == "ChatGPT"
    assert counts_of(run) == {
        "conversations": 2, "grown": 0, "duplicates": 0, "empty": 1, "messages": 5, "refused": 1,
    }  # fmt: skip
    assert seen == [(1, 3), (2, 5), (3, 5), (4, 5)]
    event = ActivityEvent.objects.get(user_id=as_alice.id, kind=ActivityEvent.Kind.IMPORTED)
    assert (event.subject_id, event.details) == (run.id, counts_of(run))


def test_a_broken_entry_is_named_to_its_owner_in_words_that_fit(as_alice, export):
    run = imported(as_alice.id, export)
    entry = RefusedEntry.objects.get(run_id=run.id)
    assert entry.where.startswith("conversations.json entry 3 (“Broken")
    assert "\x00" not in entry.where
    assert "messages" in entry.reason


def test_the_same_file_again_adds_nothing(as_alice, export):
    imported(as_alice.id, export)
    before = Message.objects.count(), Conversation.objects.count()
    again = imported(as_alice.id, export)
    assert (again.duplicates, again.conversations, again.messages) == (2, 0, 0)
    assert (Message.objects.count(), Conversation.objects.count()) == before


def test_a_file_with_one_chat_more_brings_only_that(as_alice, export, tmp_path):
    imported(as_alice.id, export)
    more = {**CHATS, "tea": [*CHATS["tea"], "And scones."], "bees": ["Bees!"]}
    run = imported(as_alice.id, write_export(tmp_path / "later.json", export_of(more)))
    assert counts_of(run) == {
        "conversations": 1, "grown": 1, "duplicates": 1, "empty": 0, "messages": 2, "refused": 0,
    }  # fmt: skip


def test_two_people_may_import_the_same_file_and_see_only_their_own(alice, bob, export):
    for user in (alice, bob):
        with tenant(user.id):
            imported(user.id, export)
    with tenant(alice.id):
        assert counts(alice.id)["chat.Message"] == 5
        assert counts(bob.id)["transfer.ImportRun"] == counts(bob.id)["transfer.RefusedEntry"] == 0
        assert ImportRun.objects.count() == 1


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (b"", "empty"),
        (b"<html>", "web page"),
        (b"[]", "no conversation"),
        (b"[{}]", "not an export"),
    ],
)
def test_another_kind_of_file_is_refused_in_a_sentence_and_leaves_no_run(as_alice, tmp_path, value, sentence):
    path = write_export(tmp_path / "odd", value)
    with pytest.raises(ImportUnreadable, match=sentence):
        imported(as_alice.id, path)
    assert not ImportRun.objects.exists()


def test_a_run_whose_file_is_gone_says_so(as_alice, tmp_path):
    run = ImportRun.objects.create(user_id=as_alice.id, path="x")
    with pytest.raises(ImportUnreadable):
        import_file(run, tmp_path / "gone.json", clock)
    run.refresh_from_db()
    assert run.state == ImportRun.State.FAILED
    assert run.error == "This file cannot be read: No such file or directory."


def test_a_finished_run_is_not_imported_again(as_alice, export):
    run = imported(as_alice.id, export)
    with pytest.raises(RunTakenOver):
        import_file(run, export, clock)


def test_whoever_lost_the_run_to_another_importer_cannot_write_any_more(as_alice, export):
    def steal(run):
        if run.position == 1:
            ImportRun.objects.filter(id=run.id).update(position=2)

    with pytest.raises(RunTakenOver):
        imported(as_alice.id, export, steal)
    assert Conversation.objects.count() == 1
    assert ImportRun.objects.get().messages == 3


def test_names_of_broken_entries_stop_at_a_thousand_and_counting_goes_on(as_alice, tmp_path, monkeypatch):
    monkeypatch.setattr("transfer.imports.MOST_NAMED", 3)
    value = export_of({"boats": ["A boat!"]}, [BROKEN] * 5)
    run = imported(as_alice.id, write_export(tmp_path / "many.json", value))
    assert run.refused == 5
    assert RefusedEntry.objects.count() == 3


@pytest.mark.parametrize("after", [False, True])
def test_killed_at_any_statement_a_run_goes_on_to_the_same_rows(db, export, after):
    def owner(name):
        return User.objects.create_user(f"{name}@example.org")

    clean, statements = owner("clean"), []
    with tenant(clean.id):
        with counting_statements(statements):
            imported(clean.id, export)
        wanted = contents(clean.id)
    assert statements[0] > 30
    for statement in range(1, statements[0] + 1):
        user = owner(f"killed-{statement}")
        with tenant(user.id):
            with pytest.raises(Killed), killed_at(statement, after=after):
                imported(user.id, export)
            _settle_locks()
            _never_half_a_chat(user.id)
            if not ImportRun.objects.filter(state=ImportRun.State.DONE).exists():
                imported(user.id, export)
            assert contents(user.id) == wanted, statement


def _settle_locks():
    """A process that dies gives its locks back; this one lives on."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock_all()")


def _never_half_a_chat(user_id):
    for chat in Conversation.objects.filter(user_id=user_id):
        assert chat.messages.count() == chat.last_sequence == len(CHATS[chat.external_id or ""])
    done = ImportRun.objects.filter(user_id=user_id).first()
    assert Message.objects.filter(user_id=user_id).count() == (done.messages if done else 0)


@pytest.mark.django_db(transaction=True)
def test_two_importers_at_once_keep_every_chat_once(alice, tmp_path):
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
        assert Conversation.objects.count() == 30
        assert Message.objects.count() == 60
    assert sum(run["conversations"] for run in runs) == 30
    assert sum(run["messages"] for run in runs) == 60
    assert sum(run["duplicates"] for run in runs) == 30


def test_one_run_has_one_importer(as_alice):
    run = ImportRun.objects.create(user_id=as_alice.id)
    seen = []

    def other():
        try:
            with sole_importer(run.id) as alone:
                seen.append(alone)
        finally:
            connection.close()

    with sole_importer(run.id) as alone:
        assert alone
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == [False]


def test_no_words_reach_the_run_which_operators_see(as_alice, export):
    imported(as_alice.id, export)
    row = json.dumps(list(ImportRun.objects.values()), default=str)
    assert not any(word in row for word in ("Petrel", "Boats", "Broken", "conversations.json"))


def test_an_uploaded_stream_does_as_well_as_a_path(as_alice):
    run = ImportRun.objects.create(user_id=as_alice.id)
    ticks = count()
    import_file(run, as_file(export_of(CHATS)), clock, lambda run: (next(ticks), None)[1])
    assert next(ticks) == 2
