"""`reembed` embeds what has no vector, in this process."""

import io

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from accounts.tenancy import tenant
from llm.errors import EmbedderUnavailable
from memory.models import DrawerVector
from tests.drills.ledger import converse, mine
from tests.fake_gateway import FakeEmbedder


@pytest.fixture
def unembedded(alice: User, embedder: FakeEmbedder) -> User:
    """A user whose drawers were filed while the embedder was away."""
    embedder.fail_with(EmbedderUnavailable("The embedder is away."))
    with tenant(alice.id):
        converse(alice.id, *(f"The lake has heron number {n}." for n in range(140)))
        mine(alice.id)
        assert not DrawerVector.objects.exists()
    return alice


def test_everything_is_embedded_and_nothing_twice(
    unembedded: User, bob: User, embedder: FakeEmbedder
) -> None:
    embedder.fail_with(None)
    out = io.StringIO()
    call_command("reembed", stdout=out)
    assert "alice@example.org: 140 drawers embedded." in out.getvalue()
    assert "bob@example.org: 0 drawers embedded." in out.getvalue()
    with tenant(unembedded.id):
        assert DrawerVector.objects.count() == 140
    out = io.StringIO()
    call_command("reembed", "--user", unembedded.email, stdout=out)
    assert out.getvalue() == "alice@example.org: 0 drawers embedded.\n"


def test_a_missing_embedder_is_named(unembedded: User) -> None:
    errors = io.StringIO()
    with pytest.raises(CommandError, match="Not finished for 1 of 1 users"):
        call_command("reembed", "--user", unembedded.email, stderr=errors)
    assert "The embedder is away." in errors.getvalue()
