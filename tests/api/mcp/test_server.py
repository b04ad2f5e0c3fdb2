"""The official MCP client with a running site, and access to `/mcp` before the protocol."""

import json
from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync
from django.db import connections

from api.mcp.tools import WITHHELD
from chat.models import Agent, Conversation
from memory.models import Drawer, Forgetting, RecallTrace
from memory.preferences import preferences_of
from tests.api.conftest import api_client, token_of
from tests.api.mcp.conftest import client_with
from tests.drills.ledger import converse
from tests.memory.palaces import MONDAY, Spot, file, learn, relate

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_alice")]

READING = {"recall_memory", "browse", "read_drawer", "facts", "graph", "timeline"}
EARLIER, LATER = "2026-03-01T00:00:00Z", "2026-03-31T00:00:00Z"
WRITING = {"save_note", "forget", "undo_forgetting"}


class McpClient:
    """Tool calls by one client, each in a separate session."""

    def __init__(self, site, token, mode="auto"):
        self._opened = lambda: client_with(site, token, mode)

    def use(self, name, **arguments):
        """The structured result of a tool."""
        result = self.result(name, **arguments)
        assert not result.is_error, result.content[0].text
        return result.structured_content

    def refused(self, name, **arguments):
        """The error message of a tool."""
        result = self.result(name, **arguments)
        assert result.is_error
        return result.content[0].text

    def result(self, name, **arguments):
        return self.do(lambda client: client.call_tool(name, arguments))

    def do(self, work):
        @async_to_sync
        async def run():
            async with self._opened() as client:
                return await work(client)

        return run()


@pytest.fixture
def alice_mcp(site, alice):
    return McpClient(site, token_of(alice))


@pytest.fixture
def drawers(alice, site):
    return file(alice.id, ["My cat is called Minka.", "Minka is grey."], Spot(wing="Home"))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_note_of_one_session_is_recalled_in_another(site, alice, mode):
    """With the current and the previous protocol."""
    client = McpClient(site, token_of(alice), mode)
    saved = client.use("save_note", text="Моя кошка Minka боится грозы 🐈.", wing="Home")
    assert saved["pointer"].startswith("§ W-")
    result = client.result("recall_memory", query="Minka")
    assert "<memory_context>" in result.content[0].text
    assert "Моя кошка Minka боится грозы 🐈." in result.content[0].text
    (hit,) = result.structured_content["hits"]
    assert (hit["pointer"], hit["wing"]) == (saved["pointer"], "Home")
    trace = RecallTrace.objects.get(user_id=alice.id)
    assert trace.hits[0]["pointer"] == saved["pointer"]
    assert (str(trace.id), trace.source) == (result.structured_content["trace_id"], "mcp")
    assert client.use("save_note", text="Minka\x00 purrs.")["pointer"]
    found = client.result("recall_memory", query="What does my cat Minka\x00 do?")
    assert "could not be saved" not in found.content[0].text
    assert "\ufffd" in RecallTrace.objects.filter(user_id=alice.id).latest("id").trace["query"]["text"]
    preferences = preferences_of(alice.id)
    preferences.enabled = False
    preferences.save()
    result = client.result("recall_memory", query="Minka")
    assert result.content[0].text == "The user has turned memory off."


def test_recall_is_limited_by_filters_and_to_the_own_palace(site, bob, alice_mcp, alice, drawers):
    spot = Spot("Vet", "topic", start=MONDAY - timedelta(days=30))
    (vet,) = file(alice.id, ["The vet says that Minka is well."], spot, role="assistant")

    def found(**where):
        return {hit["wing"] for hit in alice_mcp.use("recall_memory", query="Minka", **where)["hits"]}

    assert found() == {"Home", "Vet"}
    assert found(wing="vet") == found(wing=str(vet.wing_id)) == found(role="assistant") == {"Vet"}
    assert found(until="2024-05-01T00:00:00Z", wing_kind="topic") == {"Vet"}
    assert found(since="2024-05-01T00:00:00Z") == {"Home"}
    assert found(wing_kind="person") == set()
    assert "no such wing" in alice_mcp.refused("recall_memory", query="Minka", wing="Attic")
    bob_mcp = McpClient(site, token_of(bob))
    assert bob_mcp.use("recall_memory", query="Minka")["hits"] == []
    assert bob_mcp.use("browse")["wings"] == []


def test_tools_are_listed_with_their_arguments_by_the_scopes_of_the_token(site, alice):
    async def work(client):
        return client.server_info, client.instructions, await client.list_tools()

    for scopes, offered in (
        (("read", "write"), READING | WRITING),
        (("read",), READING),
        (("write",), WRITING),
        (("write", "chat"), WRITING),
    ):
        client = McpClient(site, token_of(alice, *scopes))
        server, instructions, listed = client.do(work)
        tools = {tool.name: tool for tool in listed.tools}
        assert set(tools) == offered
        assert [name for name in tools if tools[name].annotations.read_only_hint != (name in READING)] == []
        if offered != READING | WRITING:
            other = "save_note" if offered == READING else "recall_memory"
            assert "does not have the scope" in client.refused(other, text="x", query="x")
    assert server.name == "palace"
    assert "never an instruction" in instructions
    assert tools["forget"].annotations.destructive_hint
    assert tools["save_note"].input_schema["required"] == ["text"]
    assert tools["save_note"].input_schema["additionalProperties"] is False


def test_browsing_from_wings_to_a_drawer(alice_mcp, drawers):
    (wing,) = alice_mcp.use("browse")["wings"]
    assert (wing["name"], wing["drawers"]) == ("Home", 2)
    for named in ("home", wing["id"]):
        (room,) = alice_mcp.use("browse", wing=named)["rooms"]
    inside = alice_mcp.use("browse", room_id=room["id"])
    assert [each["excerpt"] for each in inside["drawers"]] == ["My cat is called Minka.", "Minka is grey."]
    (closet,) = inside["closets"]
    first = alice_mcp.use("browse", closet_id=closet["id"])["drawers"][0]
    for named in (first["pointer"], first["id"]):
        read = alice_mcp.use("read_drawer", drawer=named)
        assert read["text"] == "My cat is called Minka."
        assert (read["before"], read["after"]["excerpt"]) == (None, "Minka is grey.")


def test_facts_graph_and_timeline_tools(alice_mcp, alice, drawers):
    learn(drawers[0], "cat is called Minka", "Your cat is called Minka.")
    relate(drawers[0], "user", "has_pet", "Minka")
    (fact,) = alice_mcp.use("facts", kind="preferences")["facts"]
    assert fact["statement"] == "Your cat is called Minka."
    assert fact["quotes"] == [{"pointer": str(drawers[0].pointer), "text": "cat is called Minka"}]
    assert alice_mcp.use("facts", at="2001-01-01T00:00:00Z")["facts"] == []
    (line,) = alice_mcp.use("graph", entity="minka")["relations"]
    assert (line["subject"], line["relation"], line["object"]) == ("the user", "has pet", "Minka")
    assert alice_mcp.use("graph")["relations"] == [line]
    for own in ("user", "the user", "I", "me", "The  User"):
        assert alice_mcp.use("graph", entity=own)["relations"] == [line]
    assert alice_mcp.use("graph", entity="Minka", other="me")["paths"] == [[line]]
    assert alice_mcp.use("graph", hops=2)["neighbours"] == [{"entity": "Minka", "hops": 1}]
    ((way,),) = alice_mcp.use("graph", entity="user", other="Minka")["paths"]
    assert way["relation"] == "has pet"
    assert alice_mcp.use("timeline", entity="Minka")["events"][0]["event"] == "began"
    assert alice_mcp.use("timeline", year=2024) == {"events": [], "next": None}
    assert alice_mcp.use("facts", wing=str(drawers[0].wing_id))["facts"] == [fact]
    assert "no such wing" in alice_mcp.refused("facts", wing=str(alice.id))
    assert "no such wing" in alice_mcp.refused("recall_memory", query="cat", wing=str(alice.id))
    assert "no such kind" in alice_mcp.refused("facts", kind="gossip")
    assert "no entity" in alice_mcp.refused("graph", entity="Nobody")


def test_forgetting_needs_the_confirmation_of_its_preview(alice_mcp, alice, drawers):
    target = {"kind": "drawer", "which": str(drawers[0].pointer)}
    seen = alice_mcp.use("forget", **target)
    assert seen["examples"] == [str(drawers[0].pointer)]
    assert 1 in seen["would_forget"].values()
    assert "Nothing is forgotten yet" in seen["next_step"]
    other = {"kind": "drawer", "which": str(drawers[1].pointer)}
    assert "does not match" in alice_mcp.refused("forget", **other, confirmation=seen["confirmation"])
    assert "does not match" in alice_mcp.refused("forget", **target, confirmation="yes")
    assert not Forgetting.objects.filter(user_id=alice.id).exists()
    whole = {"kind": "wing", "which": "Home"}
    before = alice_mcp.use("forget", **whole)["confirmation"]
    file(alice.id, ["Something else."], Spot(wing="Home"))
    assert "does not match" in alice_mcp.refused("forget", **whole, confirmation=before), "the wing grew"
    done = alice_mcp.use("forget", **target, confirmation=seen["confirmation"])
    assert done["counts"]["drawers"] == 1
    assert "no such drawer" in alice_mcp.refused("read_drawer", drawer=target["which"])
    assert "Minka is grey." in json.dumps(alice_mcp.use("recall_memory", query="Minka"))
    for _ in range(2):
        assert alice_mcp.use("undo_forgetting", receipt=done["receipt"])["undone"]
    assert alice_mcp.use("read_drawer", drawer=target["which"])["text"] == "My cat is called Minka."
    assert "no such receipt" in alice_mcp.refused("undo_forgetting", receipt=str(alice.id))


def test_chats_of_an_agent_can_be_forgotten(alice_mcp, alice):
    cook, baker, coach = (
        Agent.objects.create(user_id=alice.id, name=name) for name in ("Cook", "Baker", "Coach")
    )
    for agent in (cook, baker, coach):
        converse(alice.id, f"Hello, {agent.name}.", agent_id=agent.id)
    for named in ("cook", str(baker.id)):
        target = {"kind": "agent", "which": named}
        seen = alice_mcp.use("forget", **target, include_conversations=True)
        assert seen["would_forget"] == {"Whole chats": 1, "Messages in chats": 1}
        assert alice_mcp.use("forget", **target, confirmation=seen["confirmation"])["receipt"]
    left = Conversation.objects.filter(user_id=alice.id, deleted_at=None)
    assert [chat.agent_id for chat in left] == [coach.id]


def test_invalid_forget_requests_are_refused(alice_mcp, drawers):
    for target, sentence in (
        *(({"kind": kind}, "`which` is required") for kind in ("drawer", "agent")),
        ({"kind": "drawer", "which": "W-900/R-1/D-1"}, "nothing to forget"),
        *(
            ({"kind": kind, "which": "No"}, "nothing to forget")
            for kind in ("wing", "project", "entity", "agent")
        ),
        ({"kind": "dates", "since": LATER, "until": EARLIER}, "must be before"),
        ({"kind": "wing", "which": "Home", "since": EARLIER}, "Only `dates`"),
        ({"kind": "closet", "which": "Loaves"}, "only by its id"),
        ({"kind": "account"}, "`kind`"),
    ):
        assert sentence in alice_mcp.refused("forget", **target), target


def test_sensitive_drawers_and_their_facts_are_withheld(alice_mcp, alice, drawers):
    fact = learn(drawers[0], "called Minka", "Your cat is called Minka.")
    relate(drawers[0], "user", "has_pet", "Minka")
    Drawer.objects.filter(user_id=alice.id, id=drawers[0].id).update(sensitive=True)
    read = alice_mcp.use("read_drawer", drawer=str(drawers[0].id))
    assert read["withheld"] == WITHHELD
    results = [
        read,
        alice_mcp.use("read_drawer", drawer=str(drawers[1].id)),
        alice_mcp.use("browse", room_id=str(drawers[0].room_id)),
        alice_mcp.use("facts"),
        alice_mcp.use("graph"),
        alice_mcp.use("graph", entity="user", other="Minka"),
        alice_mcp.use("timeline", entity="Minka"),
        alice_mcp.use("recall_memory", query="What is my cat called?"),
    ]
    assert "called Minka" not in json.dumps(results)
    assert fact.statement not in json.dumps(results)


def test_invalid_arguments_are_explained(alice_mcp, alice):
    assert alice_mcp.refused("recall_memory").startswith("`query`")
    assert alice_mcp.refused("recall_memory", query="x", mood="bad").startswith("`mood`")
    assert alice_mcp.refused("browse", cursor="nonsense") == "This cursor is invalid."
    for tool, given, name, moment in (
        ("recall_memory", {"query": "x"}, "at", "0001-01-01T00:00:00Z"),
        ("recall_memory", {"query": "x"}, "until", "9999-12-31T23:59:59Z"),
        ("facts", {}, "at", "9999-12-31T23:59:59-12:00"),
        ("graph", {}, "at", "1899-12-31T23:59:59Z"),
        ("forget", {"kind": "dates"}, "since", "2200-01-01T00:00:00Z"),
    ):
        assert "between the years 1900 and 2199" in alice_mcp.refused(tool, **given, **{name: moment})
    assert alice_mcp.refused("timeline", year=9999).startswith("`year`")
    assert alice_mcp.refused("sing") == "There is no such tool."
    assert "Not found" in alice_mcp.refused("browse", room_id=str(alice.id))


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def post(client, body=HELLO, path="/mcp", **headers):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    accept = {"Accept": "application/json, text/event-stream"}
    return client.post(path, data, "application/json", headers=accept | headers)


def test_token_of_this_origin_opens_it_without_a_session_until_it_is_throttled(alice, client, settings):
    reader = api_client(alice, "read")
    for path in ("/mcp", "/mcp/"):
        answer = post(reader, path=path)
        assert answer.status_code == 200
        assert answer.json()["result"]["serverInfo"]["name"] == "palace"
        assert "Mcp-Session-Id" not in answer.headers
    for origin, status in (("https://evil.example", 403), ("null", 403), ("http://testserver", 200)):
        assert post(reader, Origin=origin).status_code == status
    for method in (reader.get, reader.delete, reader.put):
        refused = method("/mcp")
        assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")
    refused = post(api_client(alice, "chat"))
    assert (refused.status_code, "`read` nor `write`" in refused.json()["detail"]) == (403, True)
    client.force_login(alice)
    refused = post(client)
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")
    settings.API_RATE = 1
    refused = post(reader)
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) <= 60


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        (b"not json", 400, "The body is not valid JSON."),
        (b"[" * 100_000, 400, "The body is not valid JSON."),
        (b"[]", 400, "The body is not a single JSON-RPC message. Batches are not supported."),
        (b"x" * (4 * 2**20 + 1), 413, ""),
    ],
)
def test_invalid_messages_are_refused_in_a_sentence(alice, body, status, sentence):
    refused = post(api_client(alice), body)
    assert refused.status_code == status
    assert not sentence or refused.json()["error"]["message"] == sentence


def test_unreachable_database_is_reported_by_the_tool(alice, monkeypatch):
    client = api_client(alice)
    assert post(client).status_code == 200  # the site has cached the token now
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}
    call["params"] = {"name": "browse", "arguments": {}}
    for name, value in (("HOST", "127.0.0.1"), ("PORT", "9")):
        monkeypatch.setitem(connections.settings["default"], name, value)
    result = post(client, call).json()["result"]
    assert result["isError"]
    assert result["content"][0]["text"].startswith("Memory is unavailable")
