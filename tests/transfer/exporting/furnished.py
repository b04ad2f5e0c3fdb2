"""A palace with varied content, made through the product's own functions."""

import io
import zipfile
from datetime import datetime, timedelta
from uuid import UUID

from chat.agents import default_agent
from chat.models import Agent, Message
from llm import current
from memory.consolidation.application import consolidate
from memory.facts.review import decisions
from memory.forgetting.trash import delete
from memory.graph import editing
from memory.graph.resolution import find_entity
from memory.models import Drawer, Fact, MemoryPreferences, RecallTrace, Wing, WingName
from memory.organize.notes import Note, save_note
from memory.projections import corrections
from tests.drills.ledger import NOW, Said, converse, mine
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.memory.mining.answers import answer, edge, placed, stated
from transfer.exporting.writing import write_export

LATER = NOW + timedelta(days=1)
MARKUP = "<script>alert(1)</script> ![x](http://example.org/x.png) ```` `code` § \u202e мир 世界 🧁"

LIVES = "I live in Lisbon with my sister Ana."
BAKES = "I bake rye bread on Sundays."
SECRET = "My passport is in the blue drawer."
REPLIES = ("Lovely city.", "How long does it rise?")


def extraction() -> str:
    """The extraction of the first chat."""
    return answer(
        turns=[placed(topic="Home"), placed("t2", topic="Home")],
        facts=[
            stated(object="Lisbon", value="Lisbon", statement="The user lives in Lisbon.",
                   quote="I live in Lisbon"),
        ],
        relations=[edge(object="Lisbon", quote="I live in Lisbon")],
        entities=[{"name": "Lisbon", "type": "place", "aliases": ["Lisboa"]}],
    )  # fmt: skip


def furnish(user_id: UUID) -> None:
    """Add chats, branches, notes, decisions, edits, trash, settings and a consolidation."""
    agent = default_agent(user_id)
    other = Agent.objects.create(user_id=user_id, name="Cook", instructions="Be brief.", mine=True)
    with current.using(embedder=FakeEmbedder(), chat=FakeChat([extraction()])):
        converse(user_id, LIVES, REPLIES[0], title="Home", agent_id=agent.id)
        mine(user_id)
    with current.using(embedder=FakeEmbedder()):
        _without_model(user_id, other)
        save_note(user_id, Note(MARKUP, wing="Odd <b>names</b> ](x)", room="# Room"), NOW)
        _decide(user_id)
        delete(user_id, "drawer", Drawer.objects.get(content=SECRET).id, LATER)
        consolidate(user_id, LATER)
    MemoryPreferences.objects.create(user_id=user_id, top_k=7, time_zone="Europe/Lisbon")
    corrections.write_own_words(user_id, "I am a baker.", LATER)


def _without_model(user_id: UUID, agent: Agent) -> None:
    trace = RecallTrace.objects.create(user_id=user_id, trace={"retrievers": []}, at=NOW)
    again = Said("A day, or two.", "assistant", {"trace_id": trace.id})
    converse(
        user_id, BAKES, REPLIES[1], "One day.", "Good.", again, SECRET, "Noted.",
        title="Bread", agent_id=agent.id, source="import", external_id="bread-1",
    )  # fmt: skip
    Message.objects.filter(user_id=user_id, content="A day, or two.").update(parent_sequence=3)
    call = {"tool_name": "oven", "tool_arguments": '{"c": 220}', "call_id": "1"}
    converse(user_id, "Heat the oven.", Said("", "assistant", call), title="Oven")
    converse(user_id, "hidden", "hidden", incognito=True)
    mine(user_id)


def _decide(user_id: UUID) -> None:
    fact = Fact.objects.get(user_id=user_id, statement="The user lives in Lisbon.")
    corrections.set_hidden(user_id, fact.id, LATER, hidden=True)
    other = Fact.objects.filter(user_id=user_id, status="active").exclude(id=fact.id).first()
    if other is not None:
        decisions.end(user_id, other.id, NOW, LATER)
    lisbon = find_entity(user_id, "Lisbon")
    editing.rename(user_id, lisbon.id, "Lissabon", LATER)
    wing = Wing.objects.filter(user_id=user_id).order_by("ordinal").first()
    WingName.objects.create(user_id=user_id, wing_id=wing.id, slug="another", name="Another", is_alias=True)
    drawer = Drawer.objects.filter(user_id=user_id, content=LIVES)
    drawer.update(pinned=True, sensitive=True, annotation="Since 2019.")


def export(user_id: UUID, at: datetime = LATER) -> bytes:
    """The export archive of a user."""
    out = io.BytesIO()
    write_export(user_id, out, at)
    return out.getvalue()


def contents(archive: bytes) -> dict[str, bytes]:
    """The files of an archive by name."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def messages_of(user_id: UUID) -> int:
    """The number of messages of a user."""
    return Message.objects.filter(user_id=user_id).count()
