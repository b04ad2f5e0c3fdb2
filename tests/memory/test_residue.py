"""What was forgotten for good is in no row of memory any more, but for names that its owner gave."""

from datetime import timedelta
from uuid import UUID

from django.apps import apps
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import User
from llm import current
from memory.changes.log import expire
from memory.consolidation.application import consolidate
from memory.facts import current_facts
from memory.facts.review import decisions
from memory.facts.review.wording import Wording, edit
from memory.forgetting.trash import delete, purge
from memory.graph import editing
from memory.graph.resolution import find_entity
from memory.models import ActivityEvent, Drawer
from memory.projections.profile import refresh_profile
from tests.drills.ledger import NOW, converse, mine
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.memory.mining.answers import answer, edge, placed, stated

LATER = NOW + timedelta(days=31)
UNDERSTOOD = answer(
    turns=[placed(topic="Zanzibar plans")],
    facts=[
        stated(object="Zanzibar", value="Zanzibar", statement="The user lives in Zanzibar.",
               quote="I live in Zanzibar"),
        stated(quote="Zanzibar is not in the turn"),
    ],
    relations=[edge(object="Zanzibar", quote="I live in Zanzibar")],
    entities=[{"name": "Zanzibar", "type": "place", "aliases": []}],
)  # fmt: skip


def rows_with(user_id: UUID, words: str) -> list[str]:
    """The tables of memory that have these words in a row of this person's."""
    found = []
    for model in apps.get_app_config("memory").get_models():
        table = model._meta.db_table
        if "user_id" in {field.column for field in model._meta.concrete_fields}:
            with connection.cursor() as cursor:
                cursor.execute(
                    f"SELECT 1 FROM {table} t WHERE user_id = %s AND t::text ILIKE %s LIMIT 1",
                    [user_id, f"%{words}%"],
                )
                if cursor.fetchone():
                    found.append(table)
    return found


def test_no_row_of_memory_keeps_a_word(as_alice: User):
    with current.using(embedder=FakeEmbedder(), chat=FakeChat([UNDERSTOOD])):
        converse(as_alice.id, "I live in Zanzibar.", "Zanzibar is warm.", title="Zanzibar")
        mine(as_alice.id)
    event = ActivityEvent.objects.get(kind="memory_mined")
    event.details["refused"].append({"item": "lives in Zanzibar", "reason": "Nobody said that."})
    event.save()
    fact = current_facts(as_alice.id).get()
    words = Wording("The user lives in Zanzibar City.", fact.kind, "Zanzibar City", NOW)
    edit(as_alice.id, fact.id, words, NOW)
    decisions.end(as_alice.id, fact.id, NOW, NOW)
    place = find_entity(as_alice.id, "Zanzibar City")
    assert place is not None
    editing.retype(as_alice.id, place.id, "organisation", NOW)
    refresh_profile(as_alice.id, NOW)
    consolidate(as_alice.id, NOW)
    assert "memory_activityevent" in rows_with(as_alice.id, "zanzibar")

    delete(as_alice.id, "source", Drawer.objects.first().source_id, NOW)
    purge(as_alice.id, LATER)
    expire(as_alice.id, LATER)
    consolidate(as_alice.id, LATER)
    expire(as_alice.id, LATER + timedelta(days=31))
    assert rows_with(as_alice.id, "zanzibar") == []


def test_refused_facts_are_hidden_while_their_words_are_in_the_trash(alice_client: Client, as_alice: User):
    with current.using(embedder=FakeEmbedder(), chat=FakeChat([UNDERSTOOD])):
        converse(as_alice.id, "I live in Zanzibar.", "Zanzibar is warm.")
        mine(as_alice.id)
    url = reverse("memory:activity")
    assert "The quote is not in the turn" in alice_client.get(url).content.decode()
    delete(as_alice.id, "source", Drawer.objects.first().source_id, NOW)
    assert "The quote is not in the turn" not in alice_client.get(url).content.decode()
