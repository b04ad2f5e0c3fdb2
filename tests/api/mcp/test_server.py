"""The official MCP client talks to a running site."""

import json
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from mcp import Client

from accounts.models import User
from api.mcp.tools import WITHHELD
from chat.models import Agent, Conversation
from memory.drawers import pointer_of
from memory.models import Drawer, Forgetting, RecallTrace
from memory.preferences import preferences_of
from tests.api.conftest import token_of
from tests.api.mcp.conftest import client_with
from tests.drills.ledger import converse
from tests.memory.palaces import MONDAY, Spot, file, learn, relate

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_alice")]

MODES = ("auto", "legacy")
READING = {"recall_memory", "browse", "read_drawer", "facts", "graph", "timeline"}
WRITING = {"save_note", "forget", "undo_forgetting"}


class Talk:
    """Calls of tools by one client, each in a session of its own."""

    def __init__(self, site: str, token: str, mode: str = "auto") -> None:
        self._opened = lambda: client_with(site, token, mode)

    def use(self, name: str, **arguments: Any) -> Any:
        """The data that a tool gave."""
        result = self.result(name, **arguments)
        assert not result.is_error, result.content[0].text
        return result.structured_content

    def refused(self, name: str, **arguments: Any) -> str:
        """The sentence by which a tool refused."""
        result = self.result(name, **arguments)
        assert result.is_error
        return result.content[0].text

    def result(self, name: str, **arguments: Any) -> Any:
        return self.do(lambda client: client.call_tool(name, arguments))

    def do(self, work: Any) -> Any:
        @async_to_sync
        async def run() -> Any:
            async with self._opened() as client:
                return await work(client)

        return run()


@pytest.fixture(params=MODES)
def alices(request: pytest.FixtureRequest, site: str, alice: User) -> Talk:
    """Alice's client, of this year's protocol and of last year's."""
    return Talk(site, token_of(alice), request.param)


@pytest.fixture
def bobs(site: str, bob: User) -> Talk:
    return Talk(site, token_of(bob))


@pytest.fixture
def drawers(alice: User, site: str) -> list[Drawer]:
    return file(alice.id, ["My cat is called Minka.", "Minka is grey."], Spot(wing="Home"))


def test_what_one_session_saves_another_recalls(alices: Talk, alice: User) -> None:
    saved = alices.use("save_note", text="Моя кошка Minka боится грозы 🐈.", wing="Home")
    assert saved["pointer"].startswith("§ W-")
    result = alices.result("recall_memory", query="Minka")
    assert "<memory_context>" in result.content[0].text
    assert "Моя кошка Minka боится грозы 🐈." in result.content[0].text
    (hit,) = result.structured_content["hits"]
    assert (hit["pointer"], hit["wing"]) == (saved["pointer"], "Home")
    trace = RecallTrace.objects.get(user_id=alice.id)
    assert trace.hits[0]["pointer"] == saved["pointer"]
    assert (str(trace.id), trace.source) == (result.structured_content["trace_id"], "mcp")


def test_recall_looks_only_where_it_is_told(alices: Talk, alice: User, drawers: list[Drawer]) -> None:
    spot = Spot("Vet", "topic", start=MONDAY - timedelta(days=30))
    (vet,) = file(alice.id, ["The vet says that Minka is well."], spot, role="assistant")

    def found(**where: Any) -> set[str]:
        return {hit["wing"] for hit in alices.use("recall_memory", query="Minka", **where)["hits"]}

    assert found() == {"Home", "Vet"}
    assert found(wing="vet") == found(wing=str(vet.wing_id)) == found(role="assistant") == {"Vet"}
    assert found(until="2024-05-01T00:00:00Z", wing_kind="topic") == {"Vet"}
    assert found(since="2024-05-01T00:00:00Z") == {"Home"}
    assert found(wing_kind="person") == set()
    assert "no such wing" in alices.refused("recall_memory", query="Minka", wing="Attic")


def test_what_the_database_cannot_keep_is_replaced(alices: Talk, alice: User) -> None:
    assert alices.use("save_note", text="Minka\x00 purrs.")["pointer"]
    found = alices.result("recall_memory", query="What does my cat Minka\x00 do?")
    assert "could not be saved" not in found.content[0].text
    assert "\ufffd" in RecallTrace.objects.get(user_id=alice.id).trace["query"]["text"]


def test_tools_are_told_with_their_arguments(alices: Talk) -> None:
    async def work(client: Client) -> Any:
        return client.server_info, client.instructions, await client.list_tools()

    server, instructions, listed = alices.do(work)
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
def test_a_token_does_what_it_was_made_for(
    site: str, alice: User, scopes: list[str], offered: set[str]
) -> None:
    talk = Talk(site, token_of(alice, *scopes))
    listed = talk.do(lambda client: client.list_tools())
    assert {tool.name for tool in listed.tools} == offered
    other = "save_note" if scopes == ["read"] else "recall_memory"
    assert "does not have the scope" in talk.refused(other, text="x", query="x")


def test_walking_to_a_drawer(alices: Talk, drawers: list[Drawer]) -> None:
    (wing,) = alices.use("browse")["wings"]
    assert (wing["name"], wing["drawers"]) == ("Home", 2)
    for named in ("home", wing["id"]):
        (room,) = alices.use("browse", wing=named)["rooms"]
    inside = alices.use("browse", room_id=room["id"])
    assert [each["excerpt"] for each in inside["drawers"]] == ["My cat is called Minka.", "Minka is grey."]
    (closet,) = inside["closets"]
    first = alices.use("browse", closet_id=closet["id"])["drawers"][0]
    for named in (first["pointer"], first["id"]):
        read = alices.use("read_drawer", drawer=named)
        assert read["text"] == "My cat is called Minka."
        assert (read["before"], read["after"]["excerpt"]) == (None, "Minka is grey.")


def test_what_is_known(alices: Talk, alice: User, drawers: list[Drawer]) -> None:
    learn(drawers[0], "cat is called Minka", "Your cat is called Minka.")
    relate(drawers[0], "user", "has_pet", "Minka")
    (fact,) = alices.use("facts", kind="preferences")["facts"]
    assert fact["statement"] == "Your cat is called Minka."
    assert fact["quotes"] == [{"pointer": str(pointer_of(drawers[0])), "text": "cat is called Minka"}]
    assert alices.use("facts", at="2001-01-01T00:00:00Z")["facts"] == []
    (line,) = alices.use("graph", entity="minka")["relations"]
    assert (line["subject"], line["relation"], line["object"]) == ("the user", "has pet", "Minka")
    assert alices.use("graph")["relations"] == [line]
    assert alices.use("graph", hops=2)["neighbours"] == [{"entity": "Minka", "hops": 1}]
    ((way,),) = alices.use("graph", entity="user", other="Minka")["paths"]
    assert way["relation"] == "has pet"
    assert alices.use("timeline", entity="Minka")["events"][0]["event"] == "began"
    assert alices.use("timeline", year=2024) == {"events": [], "next": ""}
    assert alices.use("facts", wing=str(drawers[0].wing_id))["facts"] == [fact]
    assert "no such wing" in alices.refused("facts", wing=str(alice.id))
    assert "no such wing" in alices.refused("recall_memory", query="cat", wing=str(alice.id))
    assert "no such kind" in alices.refused("facts", kind="gossip")
    assert "no entity" in alices.refused("graph", entity="Nobody")


def test_forgetting_needs_a_yes_to_its_own_preview(alices: Talk, alice: User, drawers: list[Drawer]) -> None:
    wish = {"kind": "drawer", "which": str(pointer_of(drawers[0]))}
    seen = alices.use("forget", **wish)
    assert seen["examples"] == [str(pointer_of(drawers[0]))]
    assert 1 in seen["would_forget"].values()
    assert "Nothing is forgotten yet" in seen["next_step"]
    other = {"kind": "drawer", "which": str(pointer_of(drawers[1]))}
    assert "does not match" in alices.refused("forget", **other, confirmation=seen["confirmation"])
    assert "does not match" in alices.refused("forget", **wish, confirmation="yes")
    assert not Forgetting.objects.filter(user_id=alice.id).exists()
    done = alices.use("forget", **wish, confirmation=seen["confirmation"])
    assert done["counts"]["drawers"] == 1
    assert "no such drawer" in alices.refused("read_drawer", drawer=wish["which"])
    assert "Minka is grey." in json.dumps(alices.use("recall_memory", query="Minka"))
    assert alices.use("undo_forgetting", receipt=done["receipt"])["undone"]
    assert alices.use("read_drawer", drawer=wish["which"])["text"] == "My cat is called Minka."
    assert "no such receipt" in alices.refused("undo_forgetting", receipt=done["receipt"])


@pytest.mark.parametrize("named", ["cook", "id"])
def test_the_chats_with_an_agent_are_forgotten(alices: Talk, alice: User, named: str) -> None:
    cook, other = (Agent.objects.create(user_id=alice.id, name=name) for name in ("Cook", "Coach"))
    for agent in (cook, other):
        converse(alice.id, f"Hello, {agent.name}.", agent_id=agent.id)
    wish = {"kind": "agent", "which": str(cook.id) if named == "id" else named}
    seen = alices.use("forget", **wish)
    assert seen["would_forget"] == {"Whole chats": 1, "Messages in chats": 1}
    assert alices.use("forget", **wish, confirmation=seen["confirmation"])["receipt"]
    left = Conversation.objects.filter(user_id=alice.id, deleted_at=None)
    assert [chat.agent_id for chat in left] == [other.id]


def test_a_preview_of_less_confirms_no_more(alices: Talk, alice: User, drawers: list[Drawer]) -> None:
    seen = alices.use("forget", kind="wing", which="Home")
    file(alice.id, ["Something else."], Spot(wing="Home"))
    assert "does not match" in alices.refused(
        "forget", kind="wing", which="Home", confirmation=seen["confirmation"]
    )


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"kind": "drawer"}, "`which` is required"),
        ({"kind": "drawer", "which": "W-900/R-1/D-1"}, "nothing to forget"),
        ({"kind": "wing", "which": "Nowhere"}, "nothing to forget"),
        ({"kind": "project", "which": "Nothing"}, "nothing to forget"),
        ({"kind": "entity", "which": "Nobody"}, "nothing to forget"),
        ({"kind": "agent", "which": "Nobody"}, "nothing to forget"),
        ({"kind": "agent"}, "`which` is required"),
        ({"kind": "dates"}, "nothing to forget"),
        ({"kind": "account"}, "`kind`"),
    ],
)
def test_there_may_be_nothing_to_forget(
    site: str, alice: User, drawers: list[Drawer], wish: dict[str, str], sentence: str
) -> None:
    assert sentence in Talk(site, token_of(alice)).refused("forget", **wish)


def test_sensitive_words_are_withheld(alices: Talk, alice: User, drawers: list[Drawer]) -> None:
    fact = learn(drawers[0], "called Minka", "Your cat is called Minka.")
    relate(drawers[0], "user", "has_pet", "Minka")
    Drawer.objects.filter(user_id=alice.id, id=drawers[0].id).update(sensitive=True)
    read = alices.use("read_drawer", drawer=str(drawers[0].id))
    assert read["withheld"] == WITHHELD
    told = [
        read,
        alices.use("read_drawer", drawer=str(drawers[1].id)),
        alices.use("browse", room_id=str(drawers[0].room_id)),
        alices.use("facts"),
        alices.use("graph"),
        alices.use("graph", entity="user", other="Minka"),
        alices.use("timeline", entity="Minka"),
        alices.use("recall_memory", query="What is my cat called?"),
    ]
    assert "called Minka" not in json.dumps(told)
    assert fact.statement not in json.dumps(told)


def test_nobody_reaches_into_anothers_palace(bobs: Talk, alice: User, drawers: list[Drawer]) -> None:
    room = str(drawers[0].room_id)
    assert bobs.use("recall_memory", query="Minka")["hits"] == []
    assert bobs.use("browse")["wings"] == []
    assert "Not found" in bobs.refused("browse", room_id=room)
    assert "no such drawer" in bobs.refused("read_drawer", drawer=str(drawers[0].id))
    assert "nothing to forget" in bobs.refused("forget", kind="room", which=room)


def test_recall_that_is_switched_off(alices: Talk, alice: User, drawers: list[Drawer]) -> None:
    preferences = preferences_of(alice.id)
    preferences.enabled = False
    preferences.save()
    result = alices.result("recall_memory", query="Minka")
    assert result.content[0].text == "The user has turned memory off."


def test_what_cannot_be_read_is_said_in_words(alices: Talk) -> None:
    assert alices.refused("recall_memory").startswith("`query`")
    assert alices.refused("recall_memory", query="x", mood="bad").startswith("`mood`")
    assert alices.refused("browse", cursor="nonsense") == "This cursor is invalid."
    assert alices.refused("sing") == "There is no such tool."
