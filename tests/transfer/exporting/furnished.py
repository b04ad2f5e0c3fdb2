"""Palaces made through the product's own functions, one with varied content and one with a row of every
exported kind, to be exported and restored into another account."""

import io
import zipfile
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from accounts.models import User
from accounts.tenancy import tenant
from chat.agents import default_agent
from chat.conversations import NewMessage
from chat.external_threads import History, store_history
from chat.models import Agent, Message
from llm import current
from memory.consolidation.application import consolidate
from memory.facts import corrections as disputes
from memory.facts.filing import file_fact
from memory.facts.review import decisions
from memory.facts.similarity import embed_statements
from memory.forgetting.requests import forget, forget_now
from memory.forgetting.scopes import ForgetRequest
from memory.forgetting.trash import delete
from memory.graph import editing
from memory.graph.resolution import find_entity
from memory.models import Drawer, Fact, MemoryPreferences, RecallTrace, Room, Skill, Wing, WingName
from memory.organize import arranging
from memory.organize.notes import Note, save_note
from memory.organize.places import Target
from memory.projections import corrections, insights, skills
from memory.projections.skills import propose_skills
from memory.recall import feedback
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest
from tests.drills.ledger import NOW, Said, converse, mine
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.memory.mining.answers import answer, edge, placed, stated
from tests.memory.palaces import TOOL_CHAT, statement_in
from transfer.exporting.writing import write_export
from transfer.restoring.restoring import Restored, RestoreRequest, restore

LATER = NOW + timedelta(days=1)
MARKUP = "<script>alert(1)</script> ![x](http://example.org/x.png) ```` `code` § \u202e мир 世界 🧁"

LIVES = "I live in Lisbon with my sister Ana."
BAKES = "I bake rye bread on Sundays."
SECRET = "My passport is in the blue drawer."
REPLIES = ("Lovely city.", "How long does it rise?")
DAY = timedelta(days=1)
ERASED = "The word on the cellar door is Quellnymphe."
TRASHED = "My cousin hums when she thinks of Kasimir."
ACTIVE = "The user keeps bees behind the brewery."
ENDED = "The user no longer rows."
TEA = "The user likes to drink green tea in the morning before work."
TEA_AGAIN = "The user likes to drink some green tea in the morning before work."


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


def live_in(user_id: UUID) -> None:
    """Furnish a palace, and do everything in it that its owner can."""
    furnish(user_id)
    with current.using(embedder=FakeEmbedder()):
        _say_more(user_id)
        _file_facts(user_id)
        _arrange(user_id)
        _give_feedback(user_id)
        _forget(user_id)


def _say_more(user_id: UUID) -> None:
    converse(user_id, *(Said(words, role) for role, words in TOOL_CHAT), title="A new server")
    thread = (NewMessage("user", "My tram is line 4."), NewMessage("assistant", "Noted."))
    store_history(user_id, History(thread, external_id="thread-7"), LATER - 20 * DAY)
    mine(user_id)
    for words in (ERASED, TRASHED):
        save_note(user_id, Note(words, wing="Odds", room="Ends"), LATER)


def _file_facts(user_id: UUID) -> None:
    """Facts that are active, superseded, ended and deleted, insights and a skill."""
    one = {"kind": "identity", "key": "home_town", "predicate": "lives_in", "single_valued": True}
    statements = [
        (ACTIVE, {"key": "bees"}),
        (TEA, {"key": "tea_one"}),
        (TEA_AGAIN, {"key": "tea_two"}),
        ("The user lives in Porto.", one | {"value": "Porto", "object": "Porto"}),
        ("The user lives in Oslo.", one | {"value": "Oslo", "object": "Oslo"}),
        (ENDED, {"key": "rowing", "predicate": "does", "object": "rowing", "ended": True}),
        ("The user sings badly.", {"key": "singing"}),
    ]
    facts = [_file_statement(user_id, words, day, fields) for day, (words, fields) in enumerate(statements)]
    decisions.delete(user_id, [filed for filed in facts[-1:] if filed], LATER)
    propose_skills(user_id, None, LATER)
    skill = Skill.objects.get(user_id=user_id)
    skills.reword(user_id, skill.id, skills.Wording("Deploy", "Name the host."), LATER)
    insights.decide(user_id, insights.insights(user_id).items[0].id, LATER, dismissed=True)
    corrections.write_own_words(user_id, "I am a baker and keep bees.", LATER + DAY)


def _file_statement(user_id: UUID, statement: str, day: int, given: dict[str, object]) -> UUID | None:
    at = LATER - (10 - day) * DAY
    drawer = save_note(user_id, Note(f"{statement} (day {day})", wing="Me"), at)
    fields = {
        "kind": "preference",
        "value": statement,
        "predicate": "likes",
        "object": "it",
        "confidence": 0.9,
        "authority": "user",
        "span": (0, len(statement)),
    }
    filed = statement_in(drawer, statement=statement, valid_from=at, **(fields | given))
    fact = file_fact(filed, embed_statements(current.embedder(), [statement]))
    return fact.id if fact else None


def _arrange(user_id: UUID) -> None:
    """Rename, merge, move, pin and mark, and change people and things."""
    home = Wing.objects.get(user_id=user_id, name="Home")
    odds = Wing.objects.get(user_id=user_id, name="Odds")
    me = Wing.objects.get(user_id=user_id, name="Me")
    arranging.rename(user_id, Target("wing", home.id), "Haus am Fluß", LATER)
    arranging.merge(user_id, Target("wing", home.id), Target("wing", me.id), LATER)
    room = Room.objects.filter(user_id=user_id, wing_id=odds.id, merged_into_id=None).first()
    arranging.move(user_id, Target("room", room.id), home.id, LATER)
    arranging.mark(user_id, Drawer.objects.get(content=BAKES).id, "pinned", on=True, now=LATER)
    lissabon = find_entity(user_id, "Lissabon")
    editing.set_detail(user_id, lissabon.id, ("river", "Tejo"), LATER)
    editing.add_name(user_id, lissabon.id, "Лиссабон", LATER)


def _give_feedback(user_id: UUID) -> None:
    """Mark a recalled drawer as not relevant, and another one as wrong."""
    found = recall(RecallRequest(user_id, "Which bread do I bake on Sundays?", LATER, explicit=True))
    trace = RecallTrace.objects.create(
        user_id=user_id,
        trace={"query": {"words": ["bread"]}},
        hits=[{"drawer_id": str(hit.drawer_id)} for hit in found.hits],
        at=LATER,
    )
    replies = Message.objects.filter(user_id=user_id, role="assistant", trace_id=None)
    reply = replies.filter(conversation__deleted_at=None, conversation__incognito=False).earliest("id")
    Message.objects.filter(id=reply.id).update(trace_id=trace.id)
    feedback.record_not_relevant(user_id, trace.id, found.hits[0].drawer_id, LATER)
    held = Drawer.objects.get(user_id=user_id, content__startswith=ACTIVE)
    disputes.correct_drawer(user_id, held.id, "They are wasps.", LATER)


def _forget(user_id: UUID) -> None:
    """Erase one drawer for good, and move one to the trash."""
    erased = Drawer.objects.get(user_id=user_id, content=ERASED)
    forget_now(user_id, ForgetRequest("drawer", erased.id), LATER)
    trashed = Drawer.objects.get(user_id=user_id, content=TRASHED)
    forget(user_id, ForgetRequest("drawer", trashed.id), LATER)


def bring(user: User, archive: bytes, **changes: Any) -> Restored:
    """Restore an archive into the account of a user."""
    with tenant(user.id):
        return restore(RestoreRequest(user.id, LATER, **changes), io.BytesIO(archive))


def state(user: User) -> dict[str, bytes]:
    """The files of an export, except the manifest."""
    with tenant(user.id):
        files = contents(export(user.id))
    return {name: data for name, data in files.items() if name != "manifest.json"}
