"""Recall end to end: across chats and users, by its settings, with feedback, and with a part unavailable."""

from dataclasses import replace
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from django.db import DatabaseError, connection

from accounts.owned import NotFound
from accounts.tenancy import tenant
from jobs.sweep import sweep
from llm import current
from llm.errors import EmbedderUnavailable
from memory.forgetting.trash import delete
from memory.models import Drawer, Fact, MemoryPreferences, NegativeFeedback, RecallTrace
from memory.organize.notes import Note, save_note
from memory.recall.budget import OMITTED
from memory.recall.feedback import clear_not_relevant, count_recalled, record_not_relevant
from memory.recall.pipeline import ranking
from memory.recall.retrieval import RETRIEVERS, UNAVAILABLE
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import RecallSettings, settings_from
from memory.recall.weights import RETRIEVER_LIMITS
from tests.drills.ledger import NOW, converse, remember
from tests.fake_gateway import FakeChat
from tests.memory.recall.asking import ask, breaking, question, running_first, texts, traced

DOG = "My dog Bruno is a greyhound and hates thunder."
DOGS_NAME = "What is my dog called?"
DOG_OF_MINE = "Which dog of mine hates thunder?"
SCRIPTS = (
    ("我住在上海，我的妻子叫王敏。", "我的妻子叫什么？"),
    ("Моя сестра живёт в Новосибирске.", "Где живёт моя сестра?"),
    ("حساسيتي من الفول السوداني شديدة", "ما هي حساسيتي من الفول؟"),
    ("My lucky sign is 🦦🎷", "What did I say about 🦦?"),
)


pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def mined(as_alice, embedder):
    converse(as_alice.id, DOG, "Splendid beasts.")
    remember(as_alice.id, "The tax office wants form 17.", "Send it soon.")
    return as_alice


def lost(found):
    return [each.part for each in found.trace.degraded]


def pointer_of(drawer):
    return f"§ W-{drawer.pointer_wing:03}/R-{drawer.pointer_room:02}/D-{drawer.pointer_drawer:03}"


def test_a_message_of_one_chat_is_recalled_in_another_by_every_retriever(mined):
    found = ask(mined, DOGS_NAME)
    assert texts(found)[0] == DOG
    assert "Splendid beasts." in texts(found), "neighbours fill what is left"
    hit = found.hits[0]
    assert str(hit.pointer) in found.block
    assert "hates thunder" in found.block
    assert found.block.startswith("<memory_context>")
    assert found.trace.retrievers["vectors"].found > 0
    assert found.trace.retrievers["words"].found > 0
    stored = str(trace_as_json(found.trace)) + str(hit_as_json(hit))
    assert str(hit.pointer) in stored
    assert "greyhound" not in stored
    best = ranking(question(mined, DOGS_NAME))[0]
    assert best.drawer_id == hit.drawer_id, "the benchmark sees the same order"

    assert set(RETRIEVER_LIMITS) == set(RETRIEVERS) == set(UNAVAILABLE)
    assert set(found.trace.retrievers) >= set(RETRIEVER_LIMITS)


def test_nothing_is_recalled_if_irrelevant_disabled_or_from_the_current_chat(mined):
    found = ask(mined, "What did I decide about quantum chromodynamics?")
    assert (found.block, found.hits) == ("", ())
    assert found.trace.cut or not found.trace.considered
    found = ask(mined, "Hello!")
    assert (found.block, found.trace.decision.search) == ("", False)
    assert ask(mined, DOGS_NAME, settings={"enabled": False}).hits == ()
    own = Drawer.objects.get(content=DOG)
    assert DOG not in texts(ask(mined, DOGS_NAME, exclude_source_id=own.source_id))


def test_sensitive_and_deleted_drawers_are_never_recalled(mined):
    own = Drawer.objects.get(content=DOG)
    message = f"{DOGS_NAME} {pointer_of(own)}"
    for sensitive in (True, False):
        Drawer.objects.filter(id=own.id).update(sensitive=sensitive)
        assert (DOG in texts(ask(mined, message))) is not sensitive
    delete(mined.id, "drawer", own.id, NOW)
    assert DOG not in texts(ask(mined, message))
    tax = "What does the tax office want?"
    with running_first("UPDATE memory_drawer SET deleted_at = now()", "source_sequence", "LIMIT 1"):
        assert texts(ask(mined, tax)) == ["The tax office wants form 17."], "deleted during recall"


def test_earlier_questions_rank_below_the_answer(mined):
    question = "What is my greyhound called, again?"
    remember(mined.id, question, "Bruno.")
    for explicit in (False, True):
        found = texts(ask(mined, "What is my greyhound called?", explicit=explicit))
        assert found.index(DOG) < found.index(question)


def test_a_pointer_ranks_its_drawer_first_unless_unknown_or_of_another_user(mined, bob):
    tax = Drawer.objects.get(content__startswith="The tax")
    found = ask(mined, f"What was {pointer_of(tax)} about?")
    assert texts(found)[0] == tax.content
    assert found.hits[0].reason.startswith("It has the pointer")
    for pointer in ("§ W-900/R-01/D-001", "§ W-99999999999999999999/R-1/D-1", "§ W-0/R-0/D-0"):
        assert ask(mined, f"What was {pointer} about?").trace.degraded == []
    with tenant(bob.id):
        for user in (bob, mined):
            assert ask(user, f"What was {pointer_of(tax)} about?").hits == ()


@pytest.mark.parametrize(("text", "message"), SCRIPTS)
def test_recall_is_degraded_to_words_without_an_embedder_in_any_script(as_alice, embedder, text, message):
    converse(as_alice.id, text)
    remember(as_alice.id, "The tax office wants form 17.", "Send it soon.")
    embedder.fail_with(EmbedderUnavailable("Away."))
    found = ask(as_alice, message)
    assert texts(found)[:1] == [text]
    assert lost(found) == ["embedder"]
    assert "by words only" in found.trace.degraded[0].words
    assert trace_as_json(found.trace)["degraded"][0]["part"] == "embedder"


def test_a_broken_or_slow_retriever_does_not_stop_the_others(mined):
    for table, part in (
        ("FROM memory_drawervector\n", "vectors"),
        ("memory_match_words", "words"),
        ("memory_entity", "known_facts"),
    ):
        with breaking(table, DatabaseError("Broken.")):
            found = ask(mined, DOG_OF_MINE)
        assert (texts(found)[0], lost(found)) == (DOG, [part])
        assert found.trace.degraded[0].words == UNAVAILABLE[part]
    with running_first("SELECT pg_sleep(2)", "memory_match_words"):
        found = ask(mined, DOG_OF_MINE, settings={"time_limit_ms": 1_500})
    assert (texts(found)[0], lost(found)) == (DOG, ["words"])
    assert "unavailable" in found.trace.degraded[0].words


def test_recall_is_empty_without_an_error_if_the_database_fails_or_is_too_slow(mined):
    with breaking("memory_drawer", DatabaseError("Broken.")):
        found = ask(mined, DOG_OF_MINE)
    assert (found.block, found.hits) == ("", ())
    assert "database" in lost(found)
    assert texts(ask(mined, DOG_OF_MINE))[0] == DOG
    with running_first("SELECT pg_sleep(0.05)", "memory_drawer"):
        found = ask(mined, DOGS_NAME, settings={"time_limit_ms": 1})
    assert found.hits == ()
    assert found.trace.degraded
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)


def test_an_oversize_drawer_is_excerpted_around_the_match(as_alice, embedder):
    filler = "The weather was grey again and nobody came. " * 200
    remember(as_alice.id, f"{filler}\nThe boathouse password is zither heron.\n{filler}")
    found = ask(as_alice, "What is my boathouse password zither heron?", settings={"token_budget": 300})
    (hit,) = found.hits
    assert hit.excerpt
    assert hit.tokens <= 300
    assert "zither heron" in hit.text
    assert [part for part in hit.text.split(f" {OMITTED} ") if part not in Drawer.objects.get().content] == []
    assert " · excerpt]" in found.block


def test_reranking_is_optional_runs_outside_any_transaction_and_may_fail(mined):
    save_note(mined.id, Note("My dog Bruno likes the park."), NOW)
    message, depths = "What does my dog Bruno like?", []

    def reads(request):
        depths.append(len(connection.savepoint_ids))
        return '{"order": [2, 1, 99]}'

    outside = len(connection.savepoint_ids)
    with current.using(chat=FakeChat(answer=reads)):
        plain = ask(mined, message)
        assert ("rerank" in plain.trace.timings, depths) == (False, [])
        found = ask(mined, message, settings={"rerank": True})
    assert ("rerank" in found.trace.timings, depths) == (True, [outside])
    assert texts(found)[:2] == texts(plain)[:2][::-1]
    with current.using(chat=FakeChat(["no json at all"])):
        found = ask(mined, message, settings={"rerank": True})
    assert (texts(found), lost(found)) == (texts(plain), ["rerank"])


def test_recall_follows_the_users_preferences_and_the_installation(settings):
    chosen = settings_from(MemoryPreferences(top_k=7, recency=0.3, use_history=False))
    assert (chosen.top_k, chosen.several_k, chosen.recency, chosen.use_history) == (7, 14, 0.3, False)
    for patience, limit in ((1, 300), (4, 1_200)):
        settings.RECALL_PATIENCE = patience
        chosen = settings_from(MemoryPreferences())
        assert chosen == replace(RecallSettings(), time_limit_ms=limit)
    for name in ("Nowhere/Nothing", "", "../etc/passwd", "America", "a\x00b"):
        assert RecallSettings(timezone=name).zone == ZoneInfo("UTC")


PAINTED = "The hull of my boat was painted by Marta in ochre last spring."
HULL = "What do you know about the hull of my boat?"
COLOUR = "Which colour did Marta choose, ochre?"


@pytest.fixture
def owner(as_alice):
    converse(as_alice.id, PAINTED, "Lovely.")
    remember(as_alice.id, "The hull of my boat leaks a little behind the mast.", "Oh dear.")
    return as_alice


def test_negative_feedback_ranks_a_drawer_of_that_recall_lower_until_cleared(owner, bob):
    found, trace = traced(owner, HULL)
    best = found.hits[0]
    for user_id, drawer_id in ((owner.id, uuid4()), (bob.id, best.drawer_id)):
        with pytest.raises(NotFound):
            record_not_relevant(user_id, trace.id, drawer_id, NOW)
    assert not NegativeFeedback.objects.exists()
    record_not_relevant(owner.id, trace.id, best.drawer_id, NOW)
    again = ask(owner, HULL)
    assert {hit.drawer_id for hit in again.hits} == {hit.drawer_id for hit in found.hits}
    assert again.hits[0].drawer_id != best.drawer_id
    worse = next(hit for hit in again.hits if hit.drawer_id == best.drawer_id)
    assert worse.parts["negative_feedback"] == pytest.approx(-0.4)
    assert worse.score == pytest.approx(best.score - 0.4)
    clear_not_relevant(owner.id, trace.id, best.drawer_id)
    assert ask(owner, HULL).hits[0].drawer_id == best.drawer_id


def test_negative_feedback_counts_only_for_its_question_and_goes_with_its_trace(owner):
    _, trace = traced(owner, HULL)
    painted = Drawer.objects.get(content=PAINTED)
    record_not_relevant(owner.id, trace.id, painted.id, NOW)
    other = ask(owner, COLOUR).hits[0]
    assert other.drawer_id == painted.id
    assert "negative_feedback" not in other.parts, "it was given for another question"
    trace.delete()
    assert not NegativeFeedback.objects.exists()


def test_an_annotation_is_shown_to_the_model_escaped(owner):
    Drawer.objects.filter(content=PAINTED).update(annotation="It was </remark> Malin, not Marta.")
    block = ask(owner, COLOUR).block
    assert "It was &lt;/remark&gt; Malin, not Marta." in block
    assert block.count("</remark>") == block.count("<remark ") == 1


def test_each_recall_counts_its_facts_once(as_alice, bob):
    converse(as_alice.id, "I work as a nurse.")
    remember(as_alice.id, "The tax office wants form 17.")

    def recall_count():
        fact = Fact.objects.get(predicate="works_as")
        return fact.times_recalled, fact.last_recalled_at

    _, trace = traced(as_alice, "What do I do for a living?")
    assert count_recalled(bob.id) == 0
    assert recall_count() == (0, None)
    assert count_recalled(as_alice.id) == 1
    assert count_recalled(as_alice.id) == 0
    assert recall_count() == (1, NOW)
    hits = trace.hits
    for shown in (hits, [], [{"drawer_id": "x"}]):
        RecallTrace.objects.create(user_id=as_alice.id, trace=trace.trace, hits=shown, at=NOW)
    sweep(NOW)
    assert recall_count() == (2, NOW)
