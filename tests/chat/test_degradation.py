"""Parts of memory break for real, each alone and in pairs, and the reply still comes through the
chat page, made of what is left, with what is missing said in words below it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import perf_counter

import psycopg
import pytest
from django.db import connection
from django.test import Client
from psycopg import sql
from psycopg.conninfo import make_conninfo

from accounts.models import User
from accounts.tenancy import tenant
from chat.conversations import Choices, NewMessage, append, start
from chat.models import MEMORY_ONLY, Message
from llm import current
from llm.errors import EmbedderUnavailable, ModelUnavailable
from llm.fake_gateway import FakeChat, FakeEmbedder
from memory.models import MemoryPreferences, RecallTrace
from tests.chat.conftest import NOW
from tests.chat.remembering import mined
from tests.html import check_page

pytestmark = pytest.mark.django_db(transaction=True)

DOG = "My dog Bruno is a greyhound and hates thunder."
QUESTION = "Which dog of mine hates thunder?"
REPLY = "It is Bruno."
PATIENT_S = 60.0
"""Much more than recall may take from the database, much less than a lock that waits for ever."""


def _address() -> str:
    server = connection.settings_dict
    return make_conninfo(
        dbname=server["NAME"],
        user=server["USER"],
        host=server["HOST"],
        password=server.get("PASSWORD") or None,
        port=server.get("PORT") or None,
    )


@contextmanager
def locked(*tables: str) -> Iterator[None]:
    """Somebody else holds these tables, as a long change of their structure does."""
    with psycopg.connect(_address()) as other:
        for table in tables:
            other.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(_name(table)))
        yield
        other.rollback()


@contextmanager
def gone(table: str) -> Iterator[None]:
    """The table is not there."""
    with psycopg.connect(_address(), autocommit=True) as other:
        aside = _name(f"{table}_aside")
        other.execute(sql.SQL("ALTER TABLE {} RENAME TO {}").format(_name(table), aside))
        try:
            yield
        finally:
            rename = sql.SQL("ALTER TABLE {} RENAME TO {}")
            other.execute(rename.format(aside, _name(table)))


def _name(table: str) -> sql.Identifier:
    return sql.Identifier(table)


class Broken:
    """The parts of memory, to be broken one by one."""

    def __init__(self, embedder: FakeEmbedder, model: FakeChat) -> None:
        self.breaks: dict[str, Callable[[ExitStack], object]] = {
            "embedder": lambda _: embedder.fail_with(EmbedderUnavailable("It is away.")),
            "no words": lambda to_mend: to_mend.enter_context(gone("memory_drawerwords")),
            "words locked": lambda to_mend: to_mend.enter_context(locked("memory_drawerwords")),
            "no vectors": lambda to_mend: to_mend.enter_context(gone("memory_drawervector")),
            "vectors locked": lambda to_mend: to_mend.enter_context(locked("memory_drawervector")),
            "facts locked": lambda to_mend: to_mend.enter_context(locked("memory_fact")),
            "graph locked": lambda to_mend: to_mend.enter_context(locked("memory_entity")),
            "no own words": lambda to_mend: to_mend.enter_context(gone("memory_ownwords")),
            "drawers locked": lambda to_mend: to_mend.enter_context(locked("memory_drawer")),
            "traces locked": lambda to_mend: to_mend.enter_context(locked("memory_recalltrace")),
            "model": lambda _: model.fail_with(ModelUnavailable("It is away.")),
        }


@pytest.fixture
def parts(embedder: FakeEmbedder, model: FakeChat) -> Broken:
    return Broken(embedder, model)


@pytest.fixture
def remembering(alice: User, model: FakeChat) -> User:
    """Alice, with one chat about her dog remembered."""
    with tenant(alice.id):
        chat = start(alice.id, Choices(), NOW)
        append(chat, NewMessage("user", DOG), NOW)
        mined(chat)
    return alice


def replied(client: Client, user: User) -> Message:
    """The reply to a question asked on the page of a new chat."""
    with tenant(user.id):
        chat = start(user.id, Choices(), NOW)
    began = perf_counter()
    client.post(f"/chat/{chat.id}/messages/", {"content": QUESTION})
    assert perf_counter() - began < PATIENT_S
    with tenant(user.id):
        return Message.objects.get(conversation_id=chat.id, role="assistant")


def page_with(client: Client, reply: Message) -> str:
    """The page of the chat, when everything is mended."""
    return check_page(client.get(f"/chat/{reply.conversation_id}/"))


def told_to(model: FakeChat) -> str:
    return model.requests[-1].messages[0].content


ALONE = [
    ("embedder", "by their words alone", True),
    ("no words", "Search by words failed", True),
    ("words locked", "Search by words took too long", True),
    ("no vectors", "Search by meaning failed", True),
    ("vectors locked", "Search by meaning took too long", True),
    ("facts locked", "What is known of you took too long", True),
    ("graph locked", "What is known of you took too long", True),
    ("no own words", "Your profile could not be read", True),
    ("drawers locked", "Memory could not be read", False),
    ("traces locked", "could not be written down", True),
]


@pytest.mark.parametrize(("part", "said", "recalled"), ALONE)
def test_what_is_broken_alone_is_said_and_the_others_answer(
    remembering: User, alice_client: Client, model: FakeChat, parts: Broken, part, said, recalled
):
    model.script(REPLY)
    with ExitStack() as to_mend:
        parts.breaks[part](to_mend)
        reply = replied(alice_client, remembering)
    assert reply.content == REPLY
    assert (DOG in told_to(model)) is recalled
    assert said in reply.notice
    assert said in page_with(alice_client, reply)
    if reply.trace_id:
        with tenant(remembering.id):
            degraded = RecallTrace.objects.get(id=reply.trace_id).trace["degraded"]
        assert said in " ".join(each["words"] for each in degraded)


PAIRS = [
    ("embedder", "facts locked", True),
    ("embedder", "no vectors", True),
    ("embedder", "words locked", None),
    ("no words", "facts locked", True),
    ("no words", "no vectors", None),
    ("words locked", "vectors locked", None),
    ("no vectors", "graph locked", True),
    ("traces locked", "embedder", True),
]


@pytest.mark.parametrize(("first", "second", "recalled"), PAIRS)
def test_what_is_broken_together_contradicts_nothing(
    remembering: User, alice_client: Client, model: FakeChat, parts: Broken, first, second, recalled
):
    model.script(REPLY)
    with ExitStack() as to_mend:
        parts.breaks[first](to_mend)
        parts.breaks[second](to_mend)
        reply = replied(alice_client, remembering)
    assert reply.content == REPLY
    assert reply.notice
    assert not ("by meaning alone" in reply.notice and "by their words alone" in reply.notice)
    if recalled is not None:
        assert (DOG in told_to(model)) is recalled
    assert "message-notice" in page_with(alice_client, reply)


@pytest.mark.parametrize("part", ["embedder", "no words", "no vectors", "facts locked"])
def test_without_a_model_memory_answers_with_what_is_left(
    remembering: User, alice_client: Client, model: FakeChat, parts: Broken, part
):
    with ExitStack() as to_mend:
        parts.breaks["model"](to_mend)
        parts.breaks[part](to_mend)
        reply = replied(alice_client, remembering)
    assert reply.model == MEMORY_ONLY
    assert DOG in reply.content
    assert "cannot be reached" in reply.notice
    assert "From memory alone" in page_with(alice_client, reply)


def test_without_a_model_and_without_drawers_the_reply_says_both(
    remembering: User, alice_client: Client, parts: Broken
):
    with ExitStack() as to_mend:
        parts.breaks["model"](to_mend)
        parts.breaks["drawers locked"](to_mend)
        reply = replied(alice_client, remembering)
    assert "Memory could not be read" in reply.notice
    assert "cannot be reached" in reply.content


def test_a_reader_that_is_away_keeps_the_order(remembering: User, alice_client: Client, model: FakeChat):
    with tenant(remembering.id):
        MemoryPreferences.objects.create(user_id=remembering.id, use_rerank=True)
        for word in ("park", "lake"):
            chat = start(remembering.id, Choices(), NOW)
            append(chat, NewMessage("user", f"My dog Bruno hates thunder at the {word}."), NOW)
            mined(chat)
    away_then_back = iter(["no json at all", REPLY])
    with current.using(chat=FakeChat(answer=lambda request: next(away_then_back))):
        reply = replied(alice_client, remembering)
    assert reply.content == REPLY
    assert "reranking model could not be asked" in page_with(alice_client, reply)


def test_the_connection_is_whole_after_everything_broke(
    remembering: User, alice_client: Client, model: FakeChat, parts: Broken
):
    model.script(REPLY, REPLY)
    with ExitStack() as to_mend:
        parts.breaks["drawers locked"](to_mend)
        replied(alice_client, remembering)
    reply = replied(alice_client, remembering)
    assert (reply.notice, DOG in told_to(model)) == ("", True)
