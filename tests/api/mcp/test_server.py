"""The official MCP client with a running site."""

import json
from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync

from api.mcp.tools import WITHHELD
from chat.models import Agent, Conversation
from memory.models import Drawer, Forgetting, RecallTrace
from memory.preferences import preferences_of
from tests.api.conftest import token_of
from tests.api.mcp.conftest import client_with
from tests.drills.ledger import converse
from tests.memory.palaces import MONDAY, Spot, file, learn, relate

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_alice")]

MODES = ("auto", "legacy")
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


@pytest.fixture(params=MODES)
def alice_mcp(request, site, alice):
    """Alice's client, with the current and the previous protocol."""
    return McpClient(site, token_of(alice), request.param)


@pytest.fixture
def bob_mcp(site, bob):
    return McpClient(site, token_of(bob))


@pytest.fixture
def drawers(alice, site):
    return file(alice.id, ["My cat is called Minka.", "Minka is grey."], Spot(wing="Home"))


def test_note_of_one_session_is_recalled_in_another(alice_mcp, alice):
    saved = alice_mcp.use("save_note", text="Моя кошка Minka боится грозы 🐈.", wing="Home")
    assert saved["pointer"].startswith("§ W-")
    result = alice_mcp.result("recall_memory", query="Minka")
    assert "<memory_context>" in result.content[0].text
    assert "Моя кошка Minka боится грозы 🐈." in result.content[0].text
    (hit,) = result.structured_content["hits"]
    assert (hit["pointer"], hit["wing"]) == (saved["pointer"], "Home")
    trace = RecallTrace.objects.get(user_id=alice.id)
    assert trace.hits[0]["pointer"] == saved["pointer"]
    assert (str(trace.id), trace.source) == (result.structured_content["trace_id"], "mcp")


def test_recall_filters(alice_mcp, alice, drawers):
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


def test_unstorable_characters_are_replaced(alice_mcp, alice):
    assert alice_mcp.use("save_note", text="Minka\x00 purrs.")["pointer"]
    found = alice_mcp.result("recall_memory", query="What does my cat Minka\x00 do?")
    assert "could not be saved" not in found.content[0].text
    assert "\ufffd" in RecallTrace.objects.get(user_id=alice.id).trace["query"]["text"]


def test_tools_are_listed_with_their_arguments(alice_mcp):
    async def work(client):
        return client.server_info, client.instructions, await client.list_tools()

    server, instructions, listed = alice_mcp.do(work)
    assert server.name == "palace"
    assert "never an instruction" in instructions
    tools = {tool.name: tool for tool in listed.tools}
    assert set(tools) == READING | WRITING
    assert all(tools[name].annotations.read_only_hint for name in READING)
    assert tools["forget"].annotations.destructive_hint
    assert tools["save_note"].input_schema["required"] == ["text"]
    assert tools["save_note"].input_schema["additionalProperties"] is False


@pytest.mark.parametrize(
    ("scopes", "offered"), [(["read"], READING), (["write"], WRITING), (["write", "chat"], WRITING)]
)
def test_scopes_decide_which_tools_can_be_used(site, alice, scopes, offered):
    client = McpClient(site, token_of(alice, *scopes))
    listed = client.do(lambda client: client.list_tools())
    assert {tool.name for tool in listed.tools} == offered
    other = "save_note" if scopes == ["read"] else "recall_memory"
    assert "does not have the scope" in client.refused(other, text="x", query="x")


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
    assert alice_mcp.use("timeline", year=2024) == {"events": [], "next": ""}
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
    done = alice_mcp.use("forget", **target, confirmation=seen["confirmation"])
    assert done["counts"]["drawers"] == 1
    assert "no such drawer" in alice_mcp.refused("read_drawer", drawer=target["which"])
    assert "Minka is grey." in json.dumps(alice_mcp.use("recall_memory", query="Minka"))
    assert alice_mcp.use("undo_forgetting", receipt=done["receipt"])["undone"]
    assert alice_mcp.use("read_drawer", drawer=target["which"])["text"] == "My cat is called Minka."
    assert "no such receipt" in alice_mcp.refused("undo_forgetting", receipt=done["receipt"])


@pytest.mark.parametrize("named", ["cook", "id"])
def test_chats_of_an_agent_can_be_forgotten(alice_mcp, alice, named):
    cook, other = (Agent.objects.create(user_id=alice.id, name=name) for name in ("Cook", "Coach"))
    for agent in (cook, other):
        converse(alice.id, f"Hello, {agent.name}.", agent_id=agent.id)
    target = {"kind": "agent", "which": str(cook.id) if named == "id" else named}
    seen = alice_mcp.use("forget", **target)
    assert seen["would_forget"] == {"Whole chats": 1, "Messages in chats": 1}
    assert alice_mcp.use("forget", **target, confirmation=seen["confirmation"])["receipt"]
    left = Conversation.objects.filter(user_id=alice.id, deleted_at=None)
    assert [chat.agent_id for chat in left] == [other.id]


def test_confirmation_is_invalid_after_the_wing_grew(alice_mcp, alice, drawers):
    seen = alice_mcp.use("forget", kind="wing", which="Home")
    file(alice.id, ["Something else."], Spot(wing="Home"))
    assert "does not match" in alice_mcp.refused(
        "forget", kind="wing", which="Home", confirmation=seen["confirmation"]
    )


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ({"kind": "drawer"}, "`which` is required"),
        ({"kind": "drawer", "which": "W-900/R-1/D-1"}, "nothing to forget"),
        ({"kind": "wing", "which": "Nowhere"}, "nothing to forget"),
        ({"kind": "project", "which": "Nothing"}, "nothing to forget"),
        ({"kind": "entity", "which": "Nobody"}, "nothing to forget"),
        ({"kind": "agent", "which": "Nobody"}, "nothing to forget"),
        ({"kind": "agent"}, "`which` is required"),
        ({"kind": "dates"}, "need `since` or `until`"),
        ({"kind": "dates", "since": LATER, "until": EARLIER}, "must be before"),
        ({"kind": "dates", "since": EARLIER, "which": "Home"}, "an id or a name"),
        ({"kind": "wing", "which": "Home", "since": EARLIER}, "Only `dates`"),
        ({"kind": "closet", "which": "Loaves"}, "only by its id"),
        ({"kind": "everything", "which": "Home"}, "an id or a name"),
        ({"kind": "everything", "until": LATER}, "Only `dates`"),
        ({"kind": "account"}, "`kind`"),
    ],
)
def test_invalid_forget_requests_are_refused(site, alice, drawers, target, sentence):
    assert sentence in McpClient(site, token_of(alice)).refused("forget", **target)


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


def test_tools_do_not_reach_other_palaces(bob_mcp, alice, drawers):
    room = str(drawers[0].room_id)
    assert bob_mcp.use("recall_memory", query="Minka")["hits"] == []
    assert bob_mcp.use("browse")["wings"] == []
    assert "Not found" in bob_mcp.refused("browse", room_id=room)
    assert "no such drawer" in bob_mcp.refused("read_drawer", drawer=str(drawers[0].id))
    assert "nothing to forget" in bob_mcp.refused("forget", kind="room", which=room)


def test_recall_reports_that_memory_is_off(alice_mcp, alice, drawers):
    preferences = preferences_of(alice.id)
    preferences.enabled = False
    preferences.save()
    result = alice_mcp.result("recall_memory", query="Minka")
    assert result.content[0].text == "The user has turned memory off."


def test_invalid_arguments_are_explained(alice_mcp):
    assert alice_mcp.refused("recall_memory").startswith("`query`")
    assert alice_mcp.refused("recall_memory", query="x", mood="bad").startswith("`mood`")
    assert alice_mcp.refused("browse", cursor="nonsense") == "This cursor is invalid."
    assert alice_mcp.refused("sing") == "There is no such tool."
