import io
import json
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from accounts.tenancy import tenant
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.models import ConsolidationRun, Fact
from tests.memory.consolidation.facts import add
from tests.memory.palaces import file


def run(*options: str) -> str:
    out = io.StringIO()
    call_command("consolidate", *options, stdout=out)
    return out.getvalue()


@pytest.fixture
def repeated(alice: User) -> User:
    with tenant(alice.id), current.using(embedder=FakeEmbedder()):
        first, second = file(alice.id, ["Tea for me.", "More tea."])
        add(first, "Likes tea.")
        add(second, "likes the tea")
    return alice


def active(user: User) -> int:
    with tenant(user.id):
        return Fact.objects.filter(status="active").count()


def test_it_says_what_would_change_and_changes_nothing(repeated: User):
    assert run("--user", repeated.email, "--dry-run") == "alice@example.org: facts merged: 1\n"
    assert active(repeated) == 2
    with tenant(repeated.id):
        assert not ConsolidationRun.objects.exists()


def test_it_tidies_up_and_takes_it_back(repeated: User):
    told = json.loads(run("--user", repeated.email, "--json"))
    assert told["counts"] == {"merged": 1}
    assert active(repeated) == 1

    again = json.loads(run("--user", repeated.email, "--undo", told["run"], "--json"))
    assert again["left"] == 0
    assert active(repeated) == 2


def test_it_does_so_for_everybody(repeated: User, bob: User):
    out = run()
    assert "alice@example.org: facts merged: 1. Run " in out
    assert "bob@example.org: everything is tidy. Run " in out
    assert active(repeated) == 1


def test_it_refuses_in_a_sentence(repeated: User):
    with pytest.raises(CommandError, match="no account"):
        run("--user", "nobody@example.org")
    with pytest.raises(CommandError, match="Say with --user"):
        run("--undo", str(uuid4()))
    with pytest.raises(CommandError, match="no run"):
        run("--user", repeated.email, "--undo", str(uuid4()))
