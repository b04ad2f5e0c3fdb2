import io
import json
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from accounts.tenancy import tenant
from memory.models import ConsolidationRun, Fact
from tests.fake_gateway import FakeEmbedder
from tests.memory.consolidation.facts import add
from tests.memory.palaces import file


def run(*options: str) -> str:
    out = io.StringIO()
    call_command("consolidate", *options, stdout=out)
    return out.getvalue()


@pytest.fixture
def repeated(alice: User, embedder: FakeEmbedder) -> User:
    with tenant(alice.id):
        first, second = file(alice.id, ["Tea for me.", "More tea."])
        add(first, "Likes tea.")
        add(second, "likes the tea")
    return alice


def active(user: User) -> int:
    with tenant(user.id):
        return Fact.objects.filter(status="active").count()


def test_a_dry_run_changes_nothing_and_a_run_can_be_undone(repeated: User, bob: User):
    assert run("--user", repeated.email, "--dry-run") == "alice@example.org: facts merged: 1\n"
    assert active(repeated) == 2
    with tenant(repeated.id):
        assert not ConsolidationRun.objects.exists()

    done = json.loads(run("--user", repeated.email, "--json"))
    assert done["counts"] == {"merged": 1}
    assert active(repeated) == 1
    undone = json.loads(run("--user", repeated.email, "--undo", done["run"], "--json"))
    assert undone["left"] == 0
    assert active(repeated) == 2

    out = run()
    assert "alice@example.org: facts merged: 1. Run " in out
    assert "bob@example.org: nothing to do. Run " in out
    assert active(repeated) == 1


def test_refusals_are_one_sentence(repeated: User):
    with pytest.raises(CommandError, match="no account"):
        run("--user", "nobody@example.org")
    with pytest.raises(CommandError, match="Pass --user"):
        run("--undo", str(uuid4()))
    with pytest.raises(CommandError, match="no run"):
        run("--user", repeated.email, "--undo", str(uuid4()))
