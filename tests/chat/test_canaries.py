"""Words planted wherever a user or a model can put them are gone once they are forgotten: from all tables,
planner statistics, queues, caches and logs. Restoring an earlier export does not bring them back."""

from datetime import timedelta

import dramatiq
import pytest
from django.core.cache import caches
from django.db import connection
from django.test import override_settings

from accounts.models import User
from accounts.tenancy import tenant
from api.rest.idempotency import HEADER
from chat.conversations import Choices, start
from chat.models import Agent
from chat.replies.jobs import send_message
from chat.replies.recall import try_recall
from chat.retention import remove, restorable_chats
from llm import current
from memory.consolidation.application import consolidate
from memory.facts.queries import current_facts
from memory.facts.review.wording import Wording, edit
from memory.forgetting.account_deletion import close_account
from memory.forgetting.requests import forget, forget_now, preview
from memory.forgetting.scopes import ForgetRequest, NothingToForget
from memory.graph import editing
from memory.graph.resolution import find_entity
from memory.models import ActivityEvent, Drawer, ProfileText, RecallTrace, Wing
from memory.organize import arranging
from memory.organize.notes import Note, save_note
from memory.organize.places import Target
from memory.projections.profile import refresh_profile
from memory.projections.upkeep import refresh_due
from memory.recall.types import RecallRequest, RecallSettings
from palace.postgres.base import as_owner
from tests.api.conftest import api_client, send
from tests.chat.following import write
from tests.drills.ledger import NOW, converse, mine
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.memory.mining.answers import answer, edge, placed, stated
from tests.transfer.exporting.furnished import bring, contents, export

CANARY = "Zanzibarius"
SAID = f"I live in {CANARY}."
LATER = f"{CANARY} is warm, and the harbour of {CANARY} is loud."
EXTRACTION = answer(
    wing={"kind": "project", "name": f"{CANARY} house"},
    turns=[placed(topic=f"{CANARY} plans"), placed("t2", topic=f"{CANARY} plans")],
    facts=[
        stated(object=CANARY, value=CANARY, statement=f"The user lives in {CANARY}.",
               quote=f"I live in {CANARY}", location=CANARY),
        stated(quote=f"{CANARY} is not in the turn"),
    ],
    relations=[edge(object=CANARY, quote=f"I live in {CANARY}")],
    entities=[{"name": CANARY, "type": "place", "aliases": [f"Port {CANARY}"]}],
)  # fmt: skip
TABLES = """
SELECT format('%I.%I', n.nspname, c.relname), array_agg(a.attname), array_agg(format(
  CASE a.atttypid WHEN 'bytea'::regtype THEN 'encode(%I, ''escape'')' ELSE '%I::text' END, a.attname))
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p', 'm') AND n.nspname NOT IN ('information_schema', 'pg_toast')
  AND (n.nspname <> 'pg_catalog' OR c.relname = 'pg_statistic')
GROUP BY n.nspname, c.relname
"""


def places_of(word):
    """Every column of every table that contains the word, read with a superuser's view."""
    found = []
    with as_owner(), connection.cursor() as cursor:
        cursor.execute(TABLES)
        for table, columns, texts in cursor.fetchall():
            counts = ", ".join(f"count(*) FILTER (WHERE {text} ILIKE %(word)s)" for text in texts)
            cursor.execute(f"SELECT {counts} FROM {table}", {"word": f"%{word}%"})
            counted = zip(columns, cursor.fetchone(), strict=True)
            found += [f"{table}.{column}: {count}" for column, count in counted if count]
    queue = repr([vars(each) for each in dramatiq.get_broker().queues.values()])
    outside = {"queue": queue, "cache": repr(caches["requests"]._cache)}
    return found + [name for name, text in outside.items() if word in text]


@pytest.fixture(scope="module")
def palace(world):
    """A project full of the word, in a palace that also has other content."""
    alice = User.objects.create_user("alice@example.org", name="Alice", agreed_at=NOW)
    embedder = FakeEmbedder()
    with tenant(alice.id), current.using(embedder=embedder):
        converse(alice.id, "I like the zither.", "Noted.", at=NOW - timedelta(days=90))
        mine(alice.id)
        agent = Agent.objects.create(user_id=alice.id, name="Guide")
        house = f"{CANARY} house"
        chat = converse(alice.id, SAID, LATER, title=house, agent_id=agent.id, project=house)
        with current.using(embedder=embedder, chat=FakeChat([EXTRACTION])):
            mine(alice.id)
        _ask_by_rest(alice)
        _use_everywhere(alice.id)
    return alice, chat


@pytest.fixture
def alice(palace, db):
    return palace[0]


@pytest.fixture
def planted(palace, as_alice, embedder):
    """The chat in that project."""
    return palace[1]


def _use_everywhere(user_id):
    fact = current_facts(user_id).filter(statement__contains=CANARY).get()
    edit(user_id, fact.id, Wording(f"The user lives near {CANARY}.", fact.kind, CANARY, NOW), NOW)
    place = find_entity(user_id, CANARY)
    editing.retype(user_id, place.id, "organisation", NOW)
    Drawer.objects.filter(content=SAID).update(annotation=f"Really {CANARY}")
    refresh_profile(user_id, NOW)
    refresh_due(user_id, NOW)
    consolidate(user_id, NOW)
    asking = start(user_id, Choices(), NOW)
    _, generation = send_message(asking, "Where do I live?", NOW)
    write(generation, NOW)
    no_time_limit = RecallSettings(time_limit_ms=60_000)
    question = RecallRequest(user_id, f"How loud is {CANARY}?", NOW, settings=no_time_limit, explicit=True)
    program_recall = try_recall(question)
    assert program_recall.hits
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("ANALYZE")


@override_settings(RECALL_PATIENCE=20)
def _ask_by_rest(user):
    program, question = api_client(user), f"How loud is {CANARY}?"
    for path, body in (
        ("recall", {"message": question}),
        ("search", {"query": question}),
        ("forget/preview", {"kind": "everything"}),
    ):
        answer = send(program, "POST", f"/api/v1/{path}", body, **{HEADER: path})
        assert CANARY in answer.content.decode()


def request_for(kind, chat):
    drawer = Drawer.objects.get(content=SAID)
    entity = find_entity(chat.user_id, CANARY)
    ids = {name: getattr(drawer, f"{name}_id") for name in ("closet", "room", "wing")}
    ids |= {
        "drawer": drawer.id,
        "entity": entity.id,
        "source": chat.id,
        "agent": chat.agent_id,
        "project": drawer.wing_id,
    }
    days = {"since": NOW - timedelta(days=40), "until": NOW} if kind == "dates" else {}
    return ForgetRequest(kind, ids.get(kind), **days)


KINDS = ["closet", "room", "wing", "entity", "source", "project", "agent", "dates", "everything"]


@pytest.mark.parametrize("kind", KINDS)
def test_forgotten_word_is_gone_from_all_storage(planted, kind, caplog, capfd):
    before = places_of(CANARY)
    assert len(before) > 25, before
    assert any("recalltrace" in place or "pg_statistic" in place for place in before)
    receipt = forget_now(planted.user_id, request_for(kind, planted), NOW)
    assert places_of(CANARY) == []
    assert receipt.residue["is_clean"], receipt.residue
    assert {each["why"] for each in receipt.residue["found"]} <= {"in_chats"}, "only the question"
    out, err = capfd.readouterr()
    assert CANARY not in caplog.text + out + err
    mine(planted.user_id)
    converse(planted.user_id, SAID, LATER)
    mine(planted.user_id)
    kept = [place for place in places_of(CANARY) if "chat_" not in place]
    assert kept == [], "not filed again from an import of the same words"


@pytest.mark.parametrize("scope", ["drawer", "room", "source", "everything"])
def test_forgetting_everything_erases_what_is_already_in_the_trash(planted, scope):
    user_id, later = planted.user_id, NOW + timedelta(hours=1)
    deletion = forget(user_id, request_for(scope, planted), NOW)
    if scope == "everything":
        assert preview(user_id, ForgetRequest("everything")).examples == ()
        with pytest.raises(NothingToForget):
            forget(user_id, ForgetRequest("everything"), NOW)
    else:
        deleted = converse(user_id, f"Nobody mined {CANARY}.", title=CANARY)
        remove(deleted, NOW, forget_too=False)
    receipt = forget_now(user_id, ForgetRequest("everything"), later)
    assert places_of(CANARY) == []
    assert receipt.residue["is_clean"], receipt.residue
    deletion.refresh_from_db()
    assert (deletion.final_at, deletion.residue["is_clean"]) == (later, True)
    assert not restorable_chats(user_id).exists()
    with pytest.raises(NothingToForget):
        forget_now(user_id, ForgetRequest("everything"), later)


def test_forgetting_a_drawer_erases_only_its_words(as_alice, embedder):
    save_note(as_alice.id, Note("The key is under the Mandragora.", closet="Mandragora key"), NOW)
    save_note(as_alice.id, Note("The key is under the Vexillum."), NOW)
    drawer = Drawer.objects.get(content__contains="Mandragora")
    receipt = forget_now(as_alice.id, ForgetRequest("drawer", drawer.id), NOW)
    assert places_of("Mandragora") == []
    assert receipt.residue["is_clean"]
    assert places_of("Vexillum")


def test_receipt_lists_residue(planted):
    user_id = planted.user_id
    wing = Wing.objects.get(name__contains="house")
    ProfileText.objects.create(user_id=user_id, text=f"I am from {CANARY}.", written_at=NOW)
    RecallTrace.objects.create(user_id=user_id, trace={"query": CANARY}, at=NOW)
    receipt = forget_now(user_id, request_for("wing", planted), NOW)
    assert not Wing.objects.filter(id=wing.id).exists()
    left = {(each["table"], each["why"]) for each in receipt.residue["found"]}
    assert left >= {("memory_profiletext", "written"), ("memory_recalltrace", "in_chats")}
    ActivityEvent.objects.create(user_id=user_id, kind="imported", details={"file": CANARY}, at=NOW)
    assert "public.memory_activityevent.details: 1" in places_of(CANARY)


def test_closing_an_account_erases_all_text_of_its_owner(planted, alice, caplog, capfd):
    user_id = alice.id
    ProfileText.objects.create(user_id=user_id, text=f"I am from {CANARY}.", written_at=NOW)
    Agent.objects.filter(user_id=user_id).update(instructions=f"Speak of {CANARY}.")
    wing = Wing.objects.get(name__contains="house")
    arranging.rename(user_id, Target("wing", wing.id), f"{CANARY} home", NOW)
    editing.add_name(user_id, find_entity(user_id, CANARY).id, f"Old {CANARY}", NOW)
    assert close_account(alice).found == ()
    assert places_of(CANARY) == []
    out, err = capfd.readouterr()
    assert CANARY not in caplog.text + out + err


QUICK = ("room", "entity", "everything")


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind in QUICK else pytest.mark.drill) for kind in KINDS]
)
def test_restore_does_not_bring_back_forgotten_words(planted, alice, kind):
    archive = export(alice.id)
    forget_now(alice.id, request_for(kind, planted), NOW)
    assert places_of(CANARY) == []
    others = Drawer.objects.count()
    bring(alice, archive)
    assert places_of(CANARY) == []
    assert Drawer.objects.count() == others
    mine(alice.id)
    converse(alice.id, SAID, LATER)
    mine(alice.id)
    bring(alice, archive)
    assert [place for place in places_of(CANARY) if "chat_" not in place] == []


def test_restore_into_an_account_with_tombstones_brings_back_no_forgotten_words(planted, alice, bob):
    """The new export with tombstones is restored first, then the old one."""
    old = export(alice.id)
    forget_now(alice.id, request_for("source", planted), NOW)
    new = export(alice.id)
    assert [name for name, data in contents(new).items() if CANARY.encode() in data] == []
    bring(bob, new)
    bring(bob, old)
    assert places_of(CANARY) == []
