"""The list of recalls, and the page of each, for replies and programs."""

from pathlib import Path

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from chat import migrations
from chat.conversations import Choices, NewMessage, append, start
from chat.external_threads import History, store_history
from chat.replies.recall import try_recall
from chat.retention import remove, restore
from memory.forgetting.requests import forget
from memory.forgetting.scopes import ForgetRequest
from memory.models import RecallTrace
from memory.recall.types import RecallRequest
from palace.postgres.base import as_owner
from tests.chat.conftest import NOW
from tests.chat.replying import CAT, get_reply
from tests.html import check_page, parse
from tests.memory.palaces import file

URL = "/chat/recalls/"
Source = RecallTrace.Source


@pytest.fixture
def mcp_trace(as_alice, embedder):
    """The trace of a recall by an MCP client, without a reply."""
    file(as_alice.id, [CAT])
    request = RecallRequest(as_alice.id, "What is my cat called?", timezone.now(), explicit=True)
    return RecallTrace.objects.get(id=try_recall(request, Source.MCP).trace_id)


def rows(html):
    return [" ".join(each.words.split()) for each in parse(html).elements if each.tag == "tr"][1:]


def test_recalls_of_replies_and_programs_are_listed_with_their_traces(mcp_trace, alice_client, model):
    model.script("Minka.")
    chat = start(mcp_trace.user_id, Choices(), timezone.now())
    reply = get_reply(chat, "And what is my cat called?", timezone.now())
    html = check_page(alice_client.get(URL))
    newest, oldest = rows(html)
    assert "Chat" in newest
    assert "And what is my cat called?" in newest
    assert "MCP What is my cat called? 1" in oldest
    for trace_id, has_reply in ((reply.trace_id, True), (mcp_trace.id, False)):
        url = reverse("chat:recall", args=[trace_id])
        assert url in html
        page = check_page(alice_client.get(url))
        assert "Searched for" in page
        assert CAT[:20] in page
        assert ("Go to the reply" in page) is has_reply
        assert (">MCP<" in page) is not has_reply
    assert URL in check_page(alice_client.get("/memory/activity/"))


def test_recalls_of_deleted_chats_are_not_shown(mcp_trace, alice_client, model):
    model.script("Minka.")
    chat = start(mcp_trace.user_id, Choices(), timezone.now())
    reply = get_reply(chat, "And what is my cat called?", timezone.now())
    remove(chat, timezone.now(), forget_too=False)
    assert len(rows(check_page(alice_client.get(URL)))) == 1
    url = reverse("chat:recall", args=[reply.trace_id])
    assert alice_client.get(url).status_code == 404
    restore(mcp_trace.user_id, chat.id, timezone.now())
    assert len(rows(check_page(alice_client.get(URL)))) == 2
    assert alice_client.get(url).status_code == 200
    forget(mcp_trace.user_id, ForgetRequest("everything"), timezone.now())
    assert rows(check_page(alice_client.get(URL))) == []


def test_list_marks_erased_queries_and_recalls_without_a_search(mcp_trace, alice_client):
    for decision, query, said in (
        ({"search": True}, {"text": ""}, "Chat No longer kept 0"),
        ({"search": False}, None, "Chat Nothing 0"),
    ):
        trace = {"decision": decision, "query": query}
        RecallTrace.objects.create(user_id=mcp_trace.user_id, trace=trace, at=timezone.now())
        assert said in rows(check_page(alice_client.get(URL)))[0]


def test_drawer_links_to_the_recalls_that_included_it(mcp_trace, alice_client):
    drawer_id = mcp_trace.hits[0]["drawer_id"]
    html = check_page(alice_client.get(reverse("memory:drawer", args=[drawer_id])))
    assert reverse("chat:recall", args=[mcp_trace.id]) in html
    assert "View reply" not in html


def test_migration_sets_the_source_of_older_recalls(mcp_trace, conversation):
    said = NewMessage("user", "Hello"), NewMessage("assistant", "Hello!")
    kept = {}
    for source in (Source.CHAT, Source.OPENAI):
        kept[source] = RecallTrace.objects.create(user_id=mcp_trace.user_id, trace={}).id
    append(conversation, NewMessage("assistant", "Minka.", trace_id=kept[Source.CHAT]), NOW)
    chat = store_history(mcp_trace.user_id, History(said), NOW).conversation
    append(chat, NewMessage("assistant", "Minka.", trace_id=kept[Source.OPENAI]), NOW)
    RecallTrace.objects.update(source=Source.CHAT)
    script = Path(migrations.__file__).with_name("0006_recall_source.sql")
    with as_owner(), connection.cursor() as cursor:
        cursor.execute(script.read_text(encoding="utf-8").replace("chat_knownhistory", "chat_threaddigest"))
    kept[Source.MCP] = mcp_trace.id
    assert {row.source: row.id for row in RecallTrace.objects.all()} == kept
