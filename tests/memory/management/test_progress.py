"""Long-running commands show their progress on a terminal and nowhere else."""

from contextlib import nullcontext
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError

from accounts.tenancy import tenant
from memory.models import ConsolidationRun
from palace.management.commands import scrub
from tests.commands import Terminal, run_command
from tests.drills.ledger import remember
from tests.memory.consolidation.facts import add
from tests.memory.palaces import file

ALICE = "--user alice@example.org"


def progress_of(command):
    """The progress that a command shows on a terminal; the line is blank at the end."""
    screen = Terminal()
    out = run_command(command, stderr=screen)
    texts = [text.strip() for text in screen.getvalue().split("\r")]
    assert texts[-2:] == ["", ""]
    assert "…" not in out
    return [text for text in texts if text]


@pytest.fixture
def palace(alice, bob, embedder):
    with tenant(alice.id):
        remember(alice.id, "My sister Olga lives in Kyiv.", "How nice.")
    return alice


def test_consolidation_and_its_undo_show_progress(alice, bob, embedder):
    with tenant(alice.id):
        first, second = file(alice.id, ["Tea for me.", "More tea."])
        add(first, "Likes tea.")
        add(second, "likes the tea")
    both = [f"Consolidating {number} of 2 memories …" for number in (1, 2)]
    assert progress_of("consolidate --dry-run") == both
    assert progress_of("consolidate --json") == both
    with tenant(alice.id):
        (run, *_) = ConsolidationRun.objects.filter(user_id=alice.id).exclude(counts={})
    assert progress_of(f"consolidate {ALICE} --undo {run.id}") == ["Undoing a run …"]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (f"forget everything {ALICE}", "Counting what would be forgotten …"),
        (f"forget entity olga {ALICE} --yes", "Forgetting …"),
        (f"forget everything {ALICE} --yes --now", "Erasing, then searching every table …"),
        ("close_account alice@example.org", "Counting rows …"),
        ("close_account alice@example.org --yes", "Erasing the account, then searching every table …"),
        (f"demo remove {ALICE}", "Removing the demo palace …"),
        (f"reembed {ALICE}", "alice@example.org: embedding …"),
    ],
)
def test_commands_show_their_progress(palace, command, words):
    assert progress_of(command) == [words]


def test_progress_is_cleared_before_an_error_and_not_written_outside_a_terminal(alice):
    for screen, left in ((Terminal(), "Undoing …\r         \r"), (StringIO(), "")):
        with pytest.raises(CommandError, match="no such receipt"):
            run_command(f"forget {ALICE} --undo {uuid4()}", stderr=screen)
        assert screen.getvalue().lstrip("\r") == left


def test_scrub_shows_its_steps(monkeypatch, settings):
    class Database:
        """A server without a log."""

        def cursor(self):
            return nullcontext(self)

        def execute(self, statement):
            """Accept every statement."""

        def fetchall(self):
            return []

    settings.EMBEDDED_DATABASE = object()
    monkeypatch.setattr(scrub, "connection", Database())
    monkeypatch.setattr(scrub, "as_owner", nullcontext)
    assert [text.partition(" …")[0] for text in progress_of("scrub")] == [
        "Renewing statistics, step 1 of 3",
        "Rewriting the tables, step 2 of 3; pages may have to wait for a moment",
        "Replacing the write-ahead log, step 3 of 3",
    ]
