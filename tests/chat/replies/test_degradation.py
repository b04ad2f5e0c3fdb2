"""Parts of memory break for real, alone and in pairs, and the reply still comes through the chat page,
made of what is left, with a notice below it that names what is missing."""

from contextlib import ExitStack, contextmanager
from time import perf_counter

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from accounts.tenancy import tenant
from chat.conversations import Choices, start
from chat.models import MEMORY_ONLY, Message
from llm import current
from llm.errors import EmbedderUnavailable, ModelUnavailable
from memory.models import MemoryPreferences, RecallTrace
from tests.chat.conftest import NOW
from tests.chat.replying import mined, said
from tests.database import address_of
from tests.fake_gateway import FakeChat
from tests.html import check_page

pytestmark = pytest.mark.django_db(transaction=True)

DOG = "My dog Bruno is a greyhound and hates thunder."
QUESTION = "Which dog of mine hates thunder?"
REPLY = "It is Bruno."
PATIENT_S = 60.0
"""Much more than recall may take from the database, much less than a lock that waits for ever."""


@contextmanager
def locked(table):
    """Somebody else holds this table, as a long change of its structure does."""
    with psycopg.connect(address_of(connection.settings_dict["NAME"])) as other:
        other.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(sql.Identifier(table)))
        yield
        other.rollback()


@contextmanager
def gone(table):
    """The table is not there."""
    rename = sql.SQL("ALTER TABLE {} RENAME TO {}")
    names = sql.Identifier(table), sql.Identifier(f"{table}_aside")
    with psycopg.connect(address_of(connection.settings_dict["NAME"]), autocommit=True) as other:
        other.execute(rename.format(*names))
        try:
            yield
        finally:
            other.execute(rename.format(*names[::-1]))


BREAKS = {
    "no words": (gone, "memory_drawerwords"),
    "words locked": (locked, "memory_drawerwords"),
    "no vectors": (gone, "memory_drawervector"),
    "vectors locked": (locked, "memory_drawervector"),
    "facts locked": (locked, "memory_fact"),
    "graph locked": (locked, "memory_entity"),
    "no own words": (gone, "memory_ownwords"),
    "drawers locked": (locked, "memory_drawer"),
    "traces locked": (locked, "memory_recalltrace"),
}


@pytest.fixture
def broken(embedder, model):
    """Breaks these parts of memory until the end of the block."""

    @contextmanager
    def breaking(*parts):
        with ExitStack() as to_mend:
            for part in parts:
                if part == "embedder":
                    embedder.fail_with(EmbedderUnavailable("It is away."))
                elif part == "model":
                    model.fail_with(ModelUnavailable("It is away."))
                else:
                    how, table = BREAKS[part]
                    to_mend.enter_context(how(table))
            yield

    return breaking


@pytest.fixture
def remembering(alice, model):
    """Alice, with one chat about her dog remembered."""
    with tenant(alice.id):
        mined(said(alice, DOG))
    return alice


def replied(client, user):
    """The reply to a question asked on the page of a new chat."""
    with tenant(user.id):
        chat = start(user.id, Choices(), NOW)
    began = perf_counter()
    client.post(f"/chat/{chat.id}/messages/", {"content": QUESTION})
    assert perf_counter() - began < PATIENT_S
    with tenant(user.id):
        return Message.objects.get(conversation_id=chat.id, role="assistant")


def page_with(client, reply):
    """The page of the chat, when everything is mended."""
    return check_page(client.get(f"/chat/{reply.conversation_id}/"))


def knew(model):
    """Whether the model was told of the dog."""
    return DOG in model.requests[-1].messages[0].content


@pytest.mark.parametrize(
    ("part", "words", "recalled"),
    [
        ("embedder", "by words only", True),
        ("no words", "Search by words failed", True),
        pytest.param("words locked", "Search by words took too long", True, marks=pytest.mark.drill),
        ("no vectors", "Search by meaning failed", True),
        ("vectors locked", "Search by meaning took too long", True),
        ("facts locked", "Searching your facts took too long", True),
        pytest.param("graph locked", "Searching your facts took too long", True, marks=pytest.mark.drill),
        ("no own words", "Your profile could not be read", True),
        ("drawers locked", "Memory is unavailable", False),
        ("traces locked", "could not be saved", True),
    ],
)
def test_a_broken_part_is_named_and_the_others_answer(
    remembering, alice_client, model, broken, part, words, recalled
):
    model.script(REPLY, REPLY)
    with broken(part):
        reply = replied(alice_client, remembering)
    assert (reply.content, knew(model)) == (REPLY, recalled)
    assert words in reply.notice
    assert words in page_with(alice_client, reply)
    if reply.trace_id:
        with tenant(remembering.id):
            degraded = RecallTrace.objects.get(id=reply.trace_id).trace["degraded"]
        assert words in " ".join(each["words"] for each in degraded)
    if part == "drawers locked":
        after = replied(alice_client, remembering)
        assert (after.notice, knew(model)) == ("", True), "the connection works again"


@pytest.mark.drill
@pytest.mark.parametrize(
    ("first", "second", "recalled"),
    [
        ("embedder", "facts locked", True),
        ("embedder", "no vectors", True),
        ("embedder", "words locked", None),
        ("no words", "facts locked", True),
        ("no words", "no vectors", None),
        ("words locked", "vectors locked", None),
        ("no vectors", "graph locked", True),
        ("traces locked", "embedder", True),
    ],
)
def test_two_broken_parts_do_not_contradict_each_other(
    remembering, alice_client, model, broken, first, second, recalled
):
    model.script(REPLY)
    with broken(first, second):
        reply = replied(alice_client, remembering)
    assert reply.content == REPLY
    assert reply.notice
    assert not ("by meaning only" in reply.notice and "by words only" in reply.notice)
    if recalled is not None:
        assert knew(model) is recalled
    assert "message-notice" in page_with(alice_client, reply)


@pytest.mark.parametrize("part", ["embedder", "no words", "drawers locked"])
def test_without_a_model_memory_answers_with_what_is_left(remembering, alice_client, broken, part):
    with broken("model", part):
        reply = replied(alice_client, remembering)
    assert reply.model == MEMORY_ONLY
    assert "cannot be reached" in reply.content
    if part == "drawers locked":
        assert "Memory is unavailable" in reply.notice
    else:
        assert DOG in reply.content
        assert "cannot be reached" in reply.notice
        assert "From memory only" in page_with(alice_client, reply)


def test_a_reranking_model_that_is_away_keeps_the_order(remembering, alice_client):
    with tenant(remembering.id):
        MemoryPreferences.objects.create(user_id=remembering.id, use_rerank=True)
        for word in ("park", "lake"):
            mined(said(remembering, f"My dog Bruno hates thunder at the {word}."))
    away_then_back = iter(["no json at all", REPLY])
    with current.using(chat=FakeChat(answer=lambda request: next(away_then_back))):
        reply = replied(alice_client, remembering)
    assert reply.content == REPLY
    assert "reranking model was unavailable" in page_with(alice_client, reply)
