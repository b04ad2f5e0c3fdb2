"""Parts of memory really fail, alone and in pairs; the chat page still gets a reply, with a notice
that names what is missing."""

from contextlib import ExitStack, contextmanager
from time import perf_counter

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from accounts.tenancy import tenant
from chat.conversations import Choices, start
from chat.models import MEMORY_ONLY, Message
from llm.errors import EmbedderUnavailable, ModelUnavailable
from memory.models import MemoryPreferences, RecallTrace
from tests.chat.conftest import NOW
from tests.chat.replying import add_chat, mine_chat
from tests.database import address_of
from tests.html import check_page

pytestmark = pytest.mark.django_db(transaction=True)

DOG = "My dog Bruno is a greyhound and hates thunder."
QUESTION = "Which dog of mine hates thunder?"
REPLY = "It is Bruno."
MAX_REPLY_S = 60.0
"""Much more than recall's time limit, much less than waiting for a lock."""


@contextmanager
def other_connection():
    with psycopg.connect(address_of(connection.settings_dict["NAME"]), autocommit=True) as other:
        yield other


@contextmanager
def locked(table):
    """Lock a table, as a long schema change does."""
    with other_connection() as other, other.transaction(force_rollback=True):
        other.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(sql.Identifier(table)))
        yield


@contextmanager
def renamed_away(table):
    """Make a table missing."""
    rename = sql.SQL("ALTER TABLE {} RENAME TO {}")
    names = sql.Identifier(table), sql.Identifier(f"{table}_aside")
    with other_connection() as other:
        other.execute(rename.format(*names))
        try:
            yield
        finally:
            other.execute(rename.format(*names[::-1]))


BREAKS = {
    "no words": (renamed_away, "memory_drawerwords"),
    "words locked": (locked, "memory_drawerwords"),
    "no vectors": (renamed_away, "memory_drawervector"),
    "vectors locked": (locked, "memory_drawervector"),
    "facts locked": (locked, "memory_fact"),
    "graph locked": (locked, "memory_entity"),
    "no own words": (renamed_away, "memory_profiletext"),
    "drawers locked": (locked, "memory_drawer"),
    "traces locked": (locked, "memory_recalltrace"),
}


@pytest.fixture
def broken(embedder, model):
    """Break these parts of memory inside the block."""

    @contextmanager
    def break_parts(*parts):
        with ExitStack() as cleanup:
            for part in parts:
                if part == "embedder":
                    embedder.fail_with(EmbedderUnavailable("It is away."))
                elif part == "model":
                    model.fail_with(ModelUnavailable("The model is down."))
                else:
                    how, table = BREAKS[part]
                    cleanup.enter_context(how(table))
            yield

    return break_parts


@pytest.fixture
def alice_with_dog(alice, model):
    """Alice, with a mined chat about her dog."""
    with tenant(alice.id):
        mine_chat(add_chat(alice, DOG))
    return alice


@pytest.fixture
def ask(alice_with_dog, alice_client):
    """Ask a question on the page of a new chat; returns the reply."""

    def asking():
        with tenant(alice_with_dog.id):
            chat = start(alice_with_dog.id, Choices(), NOW)
        began = perf_counter()
        alice_client.post(f"/chat/{chat.id}/messages/", {"content": QUESTION})
        assert perf_counter() - began < MAX_REPLY_S
        with tenant(alice_with_dog.id):
            return Message.objects.get(conversation_id=chat.id, role="assistant")

    return asking


@pytest.mark.parametrize(
    ("parts", "words", "recalled"),
    [
        ("embedder", "by words only", True),
        ("no words", "Search by words was unavailable", True),
        ("no vectors", "Search by meaning is unavailable", True),
        ("vectors locked", "Search by meaning is unavailable", True),
        ("facts locked", "Your facts could not be searched", True),
        ("no own words", "Your profile could not be read", True),
        ("drawers locked", "Memory is unavailable", False),
        ("traces locked", "could not be saved", True),
        *(
            pytest.param(*case, marks=pytest.mark.drill)
            for case in (
                ("words locked", "Search by words was unavailable", True),
                ("graph locked", "Your facts could not be searched", True),
                ("embedder + facts locked", "", True),
                ("embedder + no vectors", "", True),
                ("embedder + words locked", "", None),
                ("no words + facts locked", "", True),
                ("no words + no vectors", "", None),
                ("words locked + vectors locked", "", None),
                ("no vectors + graph locked", "", True),
                ("traces locked + embedder", "", True),
            )
        ),
    ],
)
def test_broken_parts_are_named_and_recall_uses_the_others(
    alice_with_dog, alice_client, ask, model, broken, parts, words, recalled
):
    model.script(REPLY, REPLY)
    with broken(*parts.split(" + ")):
        reply = ask()
    assert reply.content == REPLY
    assert recalled in (None, DOG in str(model.requests[-1]))
    assert reply.notice
    assert words in reply.notice
    assert not ("by meaning only" in reply.notice and "by words only" in reply.notice)
    html = check_page(alice_client.get(f"/chat/{reply.conversation_id}/"))
    assert ("message-notice" in html, words in html) == (True, True)
    if reply.trace_id:
        with tenant(alice_with_dog.id):
            degraded = RecallTrace.objects.get(id=reply.trace_id).trace["degraded"]
        assert words in " ".join(each["words"] for each in degraded)
    if parts == "drawers locked":
        assert (ask().notice, DOG in str(model.requests[-1])) == ("", True), "the connection works again"


@pytest.mark.parametrize("part", ["embedder", "no words", "drawers locked"])
def test_reply_from_memory_without_a_model_and_a_broken_part(alice_client, ask, broken, part):
    with broken("model", part):
        reply = ask()
    assert reply.model == MEMORY_ONLY
    assert "The model is down." in reply.content
    assert "The model is down." not in reply.notice, "once is enough"
    if part == "drawers locked":
        assert "Memory is unavailable" in reply.notice
    else:
        assert DOG in reply.content
        html = check_page(alice_client.get(f"/chat/{reply.conversation_id}/"))
        assert "From memory only" in html


def test_failed_reranking_is_named(alice_with_dog, alice_client, ask, model):
    with tenant(alice_with_dog.id):
        MemoryPreferences.objects.create(user_id=alice_with_dog.id, use_rerank=True)
        for word in ("park", "lake"):
            mine_chat(add_chat(alice_with_dog, f"My dog Bruno hates thunder at the {word}."))
    model.script("no json at all", REPLY)
    reply = ask()
    assert reply.content == REPLY
    html = check_page(alice_client.get(f"/chat/{reply.conversation_id}/"))
    assert "reranking model was unavailable" in html
