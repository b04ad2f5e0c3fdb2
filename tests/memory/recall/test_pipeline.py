"""Recall end to end: across chats, between users, and with a part unavailable."""

import pytest
from django.db import DatabaseError, connection

from accounts.tenancy import tenant
from llm import current
from llm.errors import EmbedderUnavailable
from memory.forgetting.trash import delete
from memory.models import Drawer
from memory.organize.notes import Note, save_note
from memory.recall.budget import OMITTED
from memory.recall.pipeline import ranking
from memory.recall.trace import hit_as_json, trace_as_json
from tests.drills.ledger import NOW, converse, remember
from tests.fake_gateway import FakeChat
from tests.memory.recall.asking import ask, breaking, question, texts

DOG = "My dog Bruno is a greyhound and hates thunder."
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


def test_a_message_of_one_chat_is_recalled_in_another(mined):
    found = ask(mined, "What is my dog called?")
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
    best = ranking(question(mined, "What is my dog called?"))[0]
    assert best.drawer_id == hit.drawer_id, "the benchmark sees the same order"


def test_nothing_is_recalled_if_irrelevant_disabled_or_from_the_current_chat(mined):
    found = ask(mined, "What did I decide about quantum chromodynamics?")
    assert (found.block, found.hits) == ("", ())
    assert found.trace.cut or not found.trace.considered
    found = ask(mined, "Hello!")
    assert (found.block, found.trace.decision.search) == ("", False)
    assert ask(mined, "What is my dog called?", settings={"enabled": False}).hits == ()
    own = Drawer.objects.get(content=DOG)
    assert DOG not in texts(ask(mined, "What is my dog called?", exclude_source_id=own.source_id))


def test_sensitive_and_deleted_drawers_are_never_recalled(mined):
    own = Drawer.objects.get(content=DOG)
    Drawer.objects.filter(id=own.id).update(sensitive=True)
    message = f"What is my dog called? {pointer_of(own)}"
    assert DOG not in texts(ask(mined, message))
    Drawer.objects.filter(id=own.id).update(sensitive=False)
    assert DOG in texts(ask(mined, message))
    delete(mined.id, "drawer", own.id, NOW)
    assert DOG not in texts(ask(mined, message))


@pytest.mark.parametrize("explicit", [False, True])
def test_earlier_questions_rank_below_the_answer(mined, explicit):
    question = "What is my greyhound called, again?"
    remember(mined.id, question, "Bruno.")
    found = texts(ask(mined, "What is my greyhound called?", explicit=explicit))
    assert found.index(DOG) < found.index(question)


def pointer_of(drawer):
    return f"§ W-{drawer.pointer_wing:03}/R-{drawer.pointer_room:02}/D-{drawer.pointer_drawer:03}"


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
    assert [lost.part for lost in found.trace.degraded] == ["embedder"]
    assert "by words only" in found.trace.degraded[0].words
    assert trace_as_json(found.trace)["degraded"][0]["part"] == "embedder"


@pytest.mark.parametrize(
    ("table", "part"), [("FROM memory_drawervector\n", "vectors"), ("memory_match_words", "words")]
)
def test_an_error_in_one_retriever_does_not_stop_the_other(mined, table, part):
    with breaking(table, DatabaseError("Broken.")):
        found = ask(mined, "Which dog of mine hates thunder?")
    assert texts(found)[0] == DOG
    assert [lost.part for lost in found.trace.degraded] == [part]


def test_recall_is_empty_after_a_database_error(mined):
    with breaking("memory_drawer", DatabaseError("Broken.")):
        found = ask(mined, "Which dog of mine hates thunder?")
    assert (found.block, found.hits) == ("", ())
    assert "database" in [lost.part for lost in found.trace.degraded]
    assert texts(ask(mined, "Which dog of mine hates thunder?"))[0] == DOG


def test_a_slow_retriever_is_cancelled_and_the_other_answers(mined):
    def wrapper(execute, sql, params, many, context):
        if "memory_match_words" in sql:
            sql = sql.replace("SELECT drawer_id,", "SELECT pg_sleep(2)::text, drawer_id,")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        found = ask(mined, "Which dog of mine hates thunder?", settings={"time_limit_ms": 1_500})
    assert texts(found)[0] == DOG
    (lost,) = found.trace.degraded
    assert (lost.part, "unavailable" in lost.words) == ("words", True)


def test_recall_is_empty_without_an_error_if_the_time_limit_is_too_short(mined):
    def wrapper(execute, sql, params, many, context):
        if "memory_drawer" in sql and sql.lstrip().startswith("SELECT"):
            execute("SELECT pg_sleep(0.05)", None, False, context)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        found = ask(mined, "What is my dog called?", settings={"time_limit_ms": 1})
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
    assert all(part in Drawer.objects.get().content for part in hit.text.split(f" {OMITTED} "))
    assert " · excerpt]" in found.block


def test_reranking_runs_outside_any_transaction_and_may_fail(mined):
    save_note(mined.id, Note("My dog Bruno likes the park."), NOW)
    depths = []

    def reads(request):
        depths.append(len(connection.savepoint_ids))
        return '{"order": [2, 1, 99]}'

    outside = len(connection.savepoint_ids)
    plain = texts(ask(mined, "What does my dog Bruno like?"))
    with current.using(chat=FakeChat(answer=reads)):
        found = ask(mined, "What does my dog Bruno like?", settings={"rerank": True})
    assert depths == [outside]
    assert texts(found)[:2] == plain[:2][::-1]
    with current.using(chat=FakeChat(["no json at all"])):
        found = ask(mined, "What does my dog Bruno like?", settings={"rerank": True})
    assert texts(found) == plain
    assert [lost.part for lost in found.trace.degraded] == ["rerank"]


def test_a_drawer_deleted_during_recall_causes_no_error(mined):
    def wrapper(execute, sql, params, many, context):
        if "source_sequence" in sql and "LIMIT 1" in sql:
            execute("UPDATE memory_drawer SET deleted_at = now()", None, False, context)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        assert texts(ask(mined, "What is my dog called?")) == [DOG]
