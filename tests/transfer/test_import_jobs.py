"""Uploads and the demo as workers and the sweep meet them: the database is the truth."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.tenancy import tenant
from chat.models import Conversation, Message
from jobs.actors import remove_demo_palace, run_import
from jobs.sweep import sweep
from tests.chat.ledger import export_of
from tests.transfer.importing.exports import as_file
from transfer.demo import ask_to_remove, load_demo
from transfer.imports import begin, receive
from transfer.models import ImportRun

EXPORT = export_of({"boats": ["A boat!", "Which?"], "tea": ["Jasmine."]})
MINUTE = timedelta(minutes=1)

pytestmark = pytest.mark.usefixtures("uploads", "embedder")


@pytest.fixture
def run(alice):
    with tenant(alice.id):
        return receive(alice.id, [as_file(EXPORT).getvalue()], timezone.now())


def about(queue, actor):
    return [arguments for name, arguments in queue() if name == actor]


def test_a_message_that_was_lost_is_sent_again(alice, run, queued):
    now = timezone.now()
    sweep(now)
    assert about(queued, "run_import") == []
    sweep(now + MINUTE)
    assert about(queued, "run_import") == [(str(alice.id), str(run.id))]


def test_a_worker_that_died_is_replaced_and_ends_what_it_began(alice, run, queued, monkeypatch):
    class Died(BaseException):
        pass

    def die(*_):
        raise Died

    run_import.fn(str(alice.id), str(run.id))
    with tenant(alice.id):
        begin(run, timezone.now())
    with monkeypatch.context() as patched, pytest.raises(Died):
        patched.setattr("transfer.imports._finish", die)
        run_import.fn(str(alice.id), str(run.id))
    queued()
    sweep(timezone.now() + MINUTE)
    assert about(queued, "run_import") == [(str(alice.id), str(run.id))]
    run_import.fn(str(alice.id), str(run.id))
    with tenant(alice.id):
        done = ImportRun.objects.get()
        assert (done.state, done.messages, Message.objects.count()) == ("done", 3, 3)
        assert not done.upload.exists()
    queued()
    sweep(timezone.now() + 2 * MINUTE)
    assert about(queued, "run_import") == []


def test_an_import_is_followed_by_mining(alice, run, queued):
    run_import.fn(str(alice.id), str(run.id))
    assert about(queued, "mine") == [(str(alice.id),)]


def test_messages_carry_ids_only(alice, run, queued):
    sweep(timezone.now() + MINUTE)
    assert not any("conversations" in str(each) for each in queued())


def test_nothing_happens_for_another_persons_run_or_one_that_is_gone(alice, bob, run):
    run_import.fn(str(bob.id), str(run.id))
    with tenant(alice.id):
        assert ImportRun.objects.get().state == "checking"
        ImportRun.objects.all().delete()
    run_import.fn(str(alice.id), str(run.id))
    with tenant(alice.id):
        assert not Conversation.objects.exists()


def test_a_removal_of_the_demo_that_was_cut_off_is_taken_up_again(alice, queued):
    with tenant(alice.id):
        load_demo(alice.id, timezone.now())
        ask_to_remove(alice.id, timezone.now())
    sweep(timezone.now())
    assert about(queued, "remove_demo_palace") == [(str(alice.id),)]
    remove_demo_palace.fn(str(alice.id))
    with tenant(alice.id):
        assert not Conversation.objects.exists()
    sweep(timezone.now())
    assert about(queued, "remove_demo_palace") == []


def test_a_removal_waits_for_the_miner(alice, queued, monkeypatch):
    monkeypatch.setattr("jobs.actors.remove_demo", lambda user_id: False)
    remove_demo_palace.fn(str(alice.id))
    assert about(queued, "remove_demo_palace") == [(str(alice.id),)]
