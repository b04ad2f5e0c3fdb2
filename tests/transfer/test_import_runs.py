"""Filing the chats of an export, and the runs that do it; small exports of every product that have the
quirks of real ones, against hand-made counts."""

import json
import shutil
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection

from accounts.models import User
from accounts.tenancy import tenant
from chat.models import Conversation, Message
from memory.models import ActivityEvent
from tests.at_once import at_once
from tests.chat.ledger import NOW, Killed, chat, contents, counts, export_of, kill_at, write_export
from tests.transfer.importing.exports import FIXTURES, as_zip, conversation
from transfer.file_jobs import JobTakenOver, sole_worker
from transfer.filing import Outcome, file_conversation, fit_column
from transfer.importing.threads import ImportedMessage
from transfer.imports import counts_of, import_file, local_run
from transfer.models import ImportRun, RefusedEntry

BROKEN = {"id": "broken", "title": "Broken\x00 \ud800 and long " + "x" * 400}
CHATS = {"boats": ["A boat!", "Which?", "Petrel."], "tea": ["Jasmine tea.", "Noted."]}
NOTHING = dict.fromkeys(("conversations", "grown", "duplicates", "empty", "messages", "refused"), 0)


@pytest.fixture
def export(tmp_path):
    value = export_of(CHATS, [BROKEN, conversation("Silent", mapping={})])
    return write_export(tmp_path / "conversations.json", value)


def imported(user_id, path, progress=lambda run: None):
    with local_run(user_id, path, NOW) as run:
        return import_file(run, path, lambda: NOW, progress)


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
    with pytest.raises(JobTakenOver):
        import_file(run, export, lambda: NOW)
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


def test_importer_stops_when_its_run_is_taken_over(as_alice, export):
    def steal(run):
        if run.position == 1:
            ImportRun.objects.filter(id=run.id).update(position=2)

    with pytest.raises(JobTakenOver):
        imported(as_alice.id, export, steal)
    assert Conversation.objects.count() == 1
    assert ImportRun.objects.get().messages == 3


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
                with connection.cursor() as cursor:  # as the end of the process would
                    cursor.execute("SELECT pg_advisory_unlock_all()")
                _check_no_partial_chat()
                if not ImportRun.objects.filter(state=ImportRun.State.DONE).exists():
                    imported(user.id, export)
            else:
                if wanted is not None:
                    break
            wanted = wanted or contents(user.id)
            assert contents(user.id) == wanted, statement
        statement += 1
    assert statement > 30


def _check_no_partial_chat():
    for kept in Conversation.objects.all():
        assert kept.messages.count() == kept.last_sequence == len(CHATS[kept.external_id or ""])
    run = ImportRun.objects.first()
    assert Message.objects.count() == (run.messages if run else 0)


@pytest.mark.django_db(transaction=True)
def test_concurrent_importers_store_each_chat_once_and_each_run_has_one(alice, tmp_path):
    chats = {f"chat-{number}": [f"Words {number}", "Yes."] for number in range(30)}
    path = write_export(tmp_path / "many.json", export_of(chats))

    def work(_):
        with tenant(alice.id):
            return counts_of(imported(alice.id, path))

    runs = at_once(work, 2)
    with tenant(alice.id):
        assert (Conversation.objects.count(), Message.objects.count()) == (30, 60)
        run = ImportRun.objects.first()
    for name, total in (("conversations", 30), ("messages", 60), ("duplicates", 30)):
        assert sum(run[name] for run in runs) == total

    def locks(_):
        with sole_worker(run.id) as alone:
            return alone

    with sole_worker(run.id) as alone:
        assert (alone, at_once(locks, 1)) == (True, [False])


LATER = NOW + timedelta(days=1)
BEGAN = NOW - timedelta(days=30)
BOATS = chat("boats", "A boat!", "Which?")


@pytest.fixture
def file(as_alice):
    """File a chat for Alice; returns the outcome and the number of added messages."""

    def filed(imported, now=NOW):
        result = file_conversation(as_alice.id, imported, now)
        return result.outcome, result.messages

    return filed


def stored():
    return Conversation.objects.get()


def ledger():
    rows = Message.objects.order_by("sequence")
    return list(rows.values_list("sequence", "parent_sequence", "role", "content"))


def test_conversation_is_filed_once_and_grows_until_it_is_deleted(file):
    assert file(BOATS) == (Outcome.NEW, 2)
    conversation = stored()
    assert (conversation.source, conversation.external_id, conversation.title) == ("import", "boats", "Boats")
    assert (conversation.last_sequence, conversation.head_sequence, conversation.mine) == (2, 2, True)
    assert conversation.started_at == BEGAN
    assert conversation.last_message_at == BEGAN + timedelta(minutes=1)
    assert ledger() == [(1, None, "user", "A boat!"), (2, 1, "assistant", "Which?")]
    assert file(BOATS, LATER) == (Outcome.DUPLICATE, 0)
    assert len(ledger()) == 2
    assert (stored().closed_at, stored().mine_requested_at) == (NOW, None)
    grown = chat("boats", "A boat!", "Which?", "Petrel.", "Fine.")
    assert file(grown, LATER) == (Outcome.GROWN, 2)
    assert ledger()[2:] == [(3, 2, "user", "Petrel."), (4, 3, "assistant", "Fine.")]
    assert (stored().head_sequence, stored().closed_at) == (4, LATER)
    Conversation.objects.update(deleted_at=NOW)
    assert file(chat("boats", "A boat!", "Which?", "Petrel.", "Fine.", "Bye.")) == (Outcome.DUPLICATE, 0)
    assert len(ledger()) == 4
    Conversation.objects.all().delete()
    file(chat("secret", "Hush.", mine=False))
    assert stored().mine is False, "the user opted out of memory in the other product"


def test_new_branch_is_appended_and_keeps_its_parent(file):
    before = chat("boats", "A boat!", "Which?", "Petrel.")
    file(replace(before, current_leaf="boats-1"))
    assert stored().head_sequence == 2, "the visible branch"
    other = replace(before.messages[1], external_id="other", content="Really?")
    messages = (before.messages[0], before.messages[1], other, before.messages[2])
    assert file(replace(before, messages=messages, current_leaf="other"))[1] == 1
    assert ledger()[-1] == (4, 1, "assistant", "Really?")
    assert stored().head_sequence == 4


def test_visible_branch_of_a_continued_chat_is_not_changed(file, as_alice):
    file(BOATS)
    Message.objects.create(
        user_id=as_alice.id, conversation_id=stored().id, sequence=3, parent_sequence=2,
        role="user", content="Said here", said_at=NOW,
    )  # fmt: skip
    Conversation.objects.update(last_sequence=3, head_sequence=3, last_message_at=NOW)
    assert file(chat("boats", "A boat!", "Which?", "Said there"))[1] == 1
    assert ledger()[2:] == [(3, 2, "user", "Said here"), (4, 2, "user", "Said there")]
    assert (stored().head_sequence, stored().last_message_at) == (3, NOW)


def test_imported_chat_dated_in_the_future_is_not_active_in_the_future(file):
    future = replace(BOATS.messages[0], said_at=NOW + timedelta(days=9))
    file(replace(BOATS, messages=(future,)))
    assert (stored().last_message_at, stored().closed_at) == (NOW, NOW)


def test_empty_messages_and_chats_are_skipped(file):
    boats = chat("boats", "A boat!", " \n", "Petrel.", "")
    assert file(boats) == (Outcome.NEW, 2)
    assert ledger() == [(1, None, "user", "A boat!"), (2, 1, "user", "Petrel.")]
    assert stored().head_sequence == 2
    assert file(boats) == (Outcome.DUPLICATE, 0)
    for words in ((), ("", "  ")):
        assert file(chat("silence", *words)) == (Outcome.EMPTY, 0)
    assert stored().external_id == "boats"


def test_unstorable_characters_are_replaced_in_every_field(file):
    odd, kept = "a\x00b\ud800c", "a\ufffdb\ufffdc"
    texts = {"content": odd, "tool_arguments": odd, "call_id": odd}
    texts |= {"tool_name": odd + "n" * 300, "model": odd + "m" * 300}
    called = ImportedMessage(external_id="m", parent_external_id=None, role="tool", said_at=NOW, **texts)
    file(replace(chat("boats"), title=odd + "t" * 400, project=odd, messages=(called,)))
    row, conversation = Message.objects.get(), stored()
    assert row.content == row.tool_arguments == row.call_id == conversation.project == kept
    assert row.tool_name == kept + "n" * 195
    assert len(row.model) == 120
    assert conversation.title == kept + "t" * 295
    assert fit_column(Message, "content", "\ud83d\ude00") == "😀"


def test_message_without_a_time_gets_that_of_its_chat(file):
    undated = replace(BOATS, messages=(replace(BOATS.messages[0], said_at=None),))
    file(undated)
    assert Message.objects.get().said_at == BEGAN
    file(replace(undated, external_id="t", created_at=None, updated_at=None))
    assert Message.objects.get(conversation__external_id="t").said_at == NOW


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (("\n A  boat! ", "Which?"), "A boat!"),
        (("船" * 100,), "船" * 59 + "…"),
        (("", "Only the assistant spoke."), ""),
    ],
)
def test_untitled_chat_is_titled_by_its_first_words(file, words, title):
    file(chat("boats", *words, title=" "))
    assert stored().title == title


def test_large_chat_is_filed_with_few_queries(file, django_assert_max_num_queries):
    words = [f"Message {number}" for number in range(4_999)] + ["long " * 200_000]
    with django_assert_max_num_queries(25):
        assert file(chat("long", *words))[1] == 5_000
    assert [row[:2] for row in ledger()] == [(n, n - 1 or None) for n in range(1, 5_001)]
    assert Message.objects.get(sequence=5_000).content == words[-1]


EXPORTS = FIXTURES.parent
COUNTS = {
    # conversations, empty ones, refused entries, messages, branches, calls, results
    "claude": (2, 1, 1, 14, 1, 2, 3),
    "claude_code": (2, 0, 4, 13, 1, 2, 2),
    "open_webui": (2, 1, 1, 14, 2, 1, 3),
    "librechat": (1, 0, 0, 11, 2, 1, 2),
    "chatgpt/conversations.json": (2, 1, 0, 21, 2, 2, 4),
    "chatgpt/kittiwake.json": (3, 0, 0, 10, 0, 0, 0),
    "chatgpt/linear.json": (2, 0, 0, 5, 0, 0, 0),
    "gemini": (4, 0, 2, 19, 0, 0, 2),
    "gemini_page": (2, 0, 1, 4, 0, 0, 0),
    "grok": (2, 1, 1, 13, 1, 1, 2),
    "ai_studio": (1, 0, 0, 12, 1, 1, 3),
}
REPEATED = {"ai_studio": 5}  # messages that a branched copy shares with its chat
NEVER_SPOKEN = ("thinking", "reasoning", "think", "instructions", "machinery", "summary", "error")


def forks(chat):
    replies = Counter(chat.messages.values_list("parent_sequence", flat=True))
    return sum(count - 1 for count in replies.values())


def rows_of_all_chats():
    rows = Message.objects.order_by("conversation__external_id", "sequence")
    return list(rows.values_list("external_id", "parent_sequence", "role", "content", "tool_name", "call_id"))


@pytest.mark.parametrize("product", COUNTS)
def test_each_product_is_imported_once_with_correct_counts(as_alice, product, tmp_path):
    path = EXPORTS / product
    run, messages, chats = imported(as_alice.id, path), Message.objects.all(), Conversation.objects.all()
    calls = messages.filter(role="assistant").exclude(tool_name="")
    results = messages.filter(role="tool")
    assert (
        run.conversations, run.empty, run.refused, messages.count(), sum(map(forks, chats)), calls.count(),
        results.count(),
    ) == COUNTS[product]  # fmt: skip
    assert RefusedEntry.objects.count() == run.refused
    assert run.messages == messages.count() == run.preview["messages"] - REPEATED.get(product, 0)
    for each in chats:
        rows = list(each.messages.order_by("sequence").values_list("sequence", "parent_sequence"))
        assert [sequence for sequence, _ in rows] == list(range(1, each.last_sequence + 1))
        assert 1 <= each.head_sequence <= each.last_sequence
        assert [(sequence, parent) for sequence, parent in rows if not (parent or 0) < sequence] == []
    # Generated text is never a user or assistant message, and each call has a result with its id.
    hidden = messages.filter(tool_name__in=NEVER_SPOKEN)
    assert set(hidden.values_list("role", flat=True)) <= {"system"}
    if "chatgpt" not in product:
        answered = set(results.exclude(call_id="").values_list("call_id", flat=True))
        assert set(calls.values_list("call_id", flat=True)) == answered
        assert [call for call in calls if not json.loads(call.tool_arguments)] == []

    before, members = rows_of_all_chats(), [path] if path.is_file() else sorted(path.iterdir())
    zipped = tmp_path / "export.bin"
    zipped.write_bytes(as_zip({f"x/{member.name}": member.read_bytes() for member in members}).getvalue())
    for source in (path, zipped):
        again = counts_of(imported(as_alice.id, source))
        assert (again["conversations"], again["grown"], again["messages"]) == (0, 0, 0)
        assert rows_of_all_chats() == before


def test_visible_branch_has_all_results_of_parallel_calls(as_alice):
    imported(as_alice.id, EXPORTS / "claude_code")
    chat = Conversation.objects.get(mine=True)
    by_sequence = {message.sequence: message for message in chat.messages.all()}
    shown, at = [], chat.head_sequence
    while at:
        shown.append(by_sequence[at].content)
        at = by_sequence[at].parent_sequence
    assert {"no entries", "printer disabled", "It is disabled."} <= set(shown)
    assert "Then enable it." not in shown
    assert (chat.title, chat.project) == ("A printer that prints nothing", "kiosk")


def test_later_export_adds_only_new_messages(as_alice, tmp_path):
    folder = tmp_path / "later"
    shutil.copytree(EXPORTS / "claude", folder)
    imported(as_alice.id, folder)
    chats = json.loads((folder / "conversations.json").read_text("utf-8"))
    chats[2]["chat_messages"].append({"uuid": "o3", "sender": "human", "text": "It is red."})
    (folder / "conversations.json").write_text(json.dumps(chats), "utf-8")
    run = imported(as_alice.id, folder)
    assert (run.conversations, run.grown, run.duplicates, run.messages) == (0, 1, 1, 1)
    newest = Message.objects.get(external_id="o3")
    assert (newest.sequence, newest.parent_sequence) == (3, 2)
    assert Conversation.objects.get(title="Bees on the roof").project == "Beekeeping"
