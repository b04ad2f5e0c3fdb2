"""Recall of unfiled messages: what one chat says is known in others before it is mined."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chat.agents import default_agent
from chat.models import Agent, Conversation, Message
from chat.replies.recall import try_recall
from chat.replies.sources import sources_of
from llm import current
from llm.errors import EmbedderUnavailable
from memory.forgetting.requests import forget
from memory.forgetting.scopes import ForgetRequest
from memory.mining.progress import discard, progress_of
from memory.mining.transcripts import CONVERSATION
from memory.models import Drawer
from memory.preferences import change_preferences
from memory.recall import retrieval
from memory.recall.pipeline import recall
from memory.recall.retrievers import unfiled
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import RecallRequest, RecallSettings
from memory.search.queries import SearchFilters
from tests.drills.ledger import NOW, Said, converse, mine
from tests.fake_gateway import FakeEmbedder

FERRY = "We booked the night ferry to Stavanger for the fourteenth of June."
ASKED = "Which ferry did I book to Stavanger?"
OPEN = {"source": Conversation.Source.CHAT}


pytestmark = pytest.mark.usefixtures("embedder")


def say(user, *words, **changes):
    return converse(user.id, *words, at=NOW - timedelta(minutes=2), **(OPEN | changes))


def ask(user, message=ASKED, **changes):
    return recall(
        RecallRequest(user.id, message, NOW, settings=RecallSettings(time_limit_ms=5_000), **changes)
    )


def queries_for_unfiled(user):
    """How many queries find that nothing is unfiled."""
    with CaptureQueriesContext(connection) as queries:
        assert unfiled.read(RecallRequest(user.id, ASKED, NOW), 200) == ()
    return len(queries)


def texts(found):
    return [hit.text for hit in found.hits]


def test_unmined_message_is_recalled_in_another_chat(as_alice):
    chat = say(as_alice, FERRY, "Have a calm crossing!", title="Summer <trip>")
    found = ask(as_alice)
    assert texts(found) == [FERRY]
    hit = found.hits[0]
    assert (hit.pointer, hit.unfiled_in) == (None, chat.id)
    assert "not filed yet" in hit.reason
    assert "[§ not filed yet · " in found.block
    assert " · user · Summer &lt;trip&gt;]\n" in found.block
    assert FERRY in found.block
    assert found.trace.retrievers["unfiled"].found >= 1
    stored = str(trace_as_json(found.trace)) + str(hit_as_json(hit))
    assert "Stavanger for" not in stored
    assert str(chat.id) in stored


def test_sentence_of_a_long_message_scores_the_same_before_and_after_filing(as_alice):
    message = (
        "Can you help me to plan the meals of the coming week, with many vegetables and little meat? "
        "By the way, I replaced the old kitchen tap on Sunday. "
        "Something quick for the evenings would be best, since both of us come home late from work."
    )
    with current.using(embedder=FakeEmbedder(sentences=True)):
        say(as_alice, message)
        (before,) = ask(as_alice, "When did I replace the kitchen tap?").trace.considered
        mine(as_alice.id)
        (after,) = ask(as_alice, "When did I replace the kitchen tap?").trace.considered
    assert before.scores["sentence"] == after.scores["sentence"] == 1.0
    assert before.span == after.span
    assert before.scores["cosine"] == pytest.approx(after.scores["cosine"], abs=0.01)


def test_unfiled_messages_are_found_by_words_and_by_meaning(as_alice, monkeypatch):
    def fail(*_):
        raise EmbedderUnavailable("away")

    converse(as_alice.id, "The tax office wants form 17.", "Send it soon.")
    mine(as_alice.id)
    say(as_alice, FERRY)
    scores = ask(as_alice).hits[0].scores
    assert min(scores["coverage"], scores["similarity"]) > 0
    monkeypatch.setattr(retrieval, "earlier_embedder_for", fail)
    say(as_alice, "The ferry to Stavanger leaves at nine in the evening.")
    found = ask(as_alice)
    assert len(found.hits) == 2
    assert sum("similarity" in hit.scores for hit in found.hits) == 1, "the other by its words alone"


def test_irrelevant_messages_and_those_of_the_current_chat_are_not_recalled(as_alice):
    chat = say(as_alice, FERRY)
    for asked, changes in (
        ("What did I decide about quantum chromodynamics?", {}),
        ("Hello!", {}),
        (ASKED, {"exclude_source_id": chat.id}),
        (ASKED, {"history": (FERRY,)}),
        (ASKED, {"within": SearchFilters(role="assistant")}),
    ):
        assert ask(as_alice, asked, **changes).hits == (), (asked, changes)
    say(as_alice, ASKED)
    assert texts(ask(as_alice)) == [FERRY], "the same question asked elsewhere is no answer"
    assert ask(as_alice, explicit=True).hits


@pytest.mark.parametrize("changes", [{"incognito": True}, {"mine": False}, {"deleted_at": NOW}])
def test_chats_excluded_from_mining_are_not_recalled(as_alice, changes):
    say(as_alice, FERRY, **changes)
    assert ask(as_alice).hits == ()


def test_agent_and_mining_preferences_apply_to_unfiled_messages(as_alice):
    silent = Agent.objects.create(user_id=as_alice.id, name="Silent", mine=False)
    say(as_alice, FERRY, agent_id=silent.id)
    assert ask(as_alice).hits == ()
    assert queries_for_unfiled(as_alice) == 1
    chat = say(as_alice, FERRY, agent_id=default_agent(as_alice.id).id)
    assert texts(ask(as_alice)) == [FERRY]
    change_preferences(as_alice.id, {"auto_mine": False}, NOW)
    assert ask(as_alice).hits == (), "without auto-mining only requested chats are recalled"
    assert queries_for_unfiled(as_alice) == 1
    Conversation.objects.filter(id=chat.id).update(mine_requested_at=NOW)
    assert texts(ask(as_alice)) == [FERRY]
    discard(progress_of(as_alice.id, CONVERSATION, chat.id), NOW)
    assert ask(as_alice).hits == ()


def test_memory_replies_tool_results_and_injected_blocks_are_not_recalled(as_alice):
    say(
        as_alice,
        Said(f"> {FERRY}", "assistant", {"model": "memory"}),
        Said(FERRY, "tool"),
        f"<memory_context>\n{FERRY}\n</memory_context>",
    )
    assert ask(as_alice).hits == ()


@pytest.mark.parametrize("with_chats", [True, False])
def test_forgotten_messages_are_not_recalled_from_the_ledger(as_alice, with_chats):
    chat = say(as_alice, FERRY)
    trace_id = try_recall(RecallRequest(as_alice.id, ASKED, NOW)).trace_id
    assert trace_id
    assert sources_of(as_alice.id, [trace_id])[trace_id][0].words == FERRY
    forget(as_alice.id, ForgetRequest("source", object_id=chat.id, with_chats=with_chats), NOW)
    assert ask(as_alice).hits == ()
    assert [source for source in sources_of(as_alice.id, [trace_id])[trace_id] if source.words] == []


def test_mining_files_the_recalled_message_under_the_same_id(as_alice):
    say(as_alice, FERRY, "Have a calm crossing!", closed_at=NOW)
    before = try_recall(RecallRequest(as_alice.id, ASKED, NOW))
    assert before.trace_id
    mine(as_alice.id)
    found = ask(as_alice)
    assert texts(found).count(FERRY) == 1
    assert found.hits[0].drawer_id == before.hits[0].drawer_id
    assert found.hits[0].pointer
    source = sources_of(as_alice.id, [before.trace_id])[before.trace_id][0]
    assert (source.pointer, source.unfiled_in) == (str(found.hits[0].pointer), None)
    assert queries_for_unfiled(as_alice) == 1


def test_message_filed_during_recall_is_found_once(as_alice, monkeypatch):
    chat = say(as_alice, FERRY)
    read = unfiled.read

    def read_then_mine(*given):
        found = read(*given)
        Conversation.objects.filter(id=chat.id).update(closed_at=NOW)
        mine(as_alice.id)
        return found

    monkeypatch.setattr(unfiled, "read", read_then_mine)
    found = ask(as_alice)
    assert texts(found) == [FERRY]
    assert found.hits[0].drawer_id == Drawer.objects.get(content=FERRY).id
    assert found.hits[0].pointer


def test_large_import_does_not_hide_recent_messages(as_alice):
    for number in range(60):
        converse(as_alice.id, *(f"Note {number}-{n} on turbines." for n in range(5)))
    say(as_alice, FERRY)
    assert texts(ask(as_alice))[0] == FERRY
    assert Message.objects.count() == 301
