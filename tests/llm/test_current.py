import threading

import pytest

from llm import current
from llm.configuration import LlmConfiguration
from llm.embedding_models import BGE_SMALL
from llm.errors import EmbedderUnavailable, NoEndpoint
from llm.fake_gateway import FakeChat, FakeEmbedder
from llm.gateway import ChatRequest
from llm.types import ChatMessage


@pytest.fixture(autouse=True)
def restored():
    """Whatever a test configures, the next one finds what was there before."""
    with current.using():
        yield


def test_without_an_endpoint_there_is_no_chat_but_an_embedder():
    current.configure(LlmConfiguration())
    with pytest.raises(NoEndpoint) as refusal:
        current.chat()
    assert refusal.value.permanent
    assert current.embedder().model == BGE_SMALL
    assert current.available_embedding_models() == (BGE_SMALL,)


def test_an_endpoint_gives_chat_and_one_more_embedding_model(configuration, server):
    current.configure(configuration)
    reply = current.chat().complete(ChatRequest((ChatMessage("user", "hi"),)))
    assert reply.text == "You said: hi"
    names = [model.name for model in current.available_embedding_models()]
    assert names == [BGE_SMALL.name, "text-embedding-3-small"]
    remote = current.embedder("text-embedding-3-small")
    assert remote.embed_query("hello").vectors.shape == (1, 1536)
    assert current.embedder().model == BGE_SMALL


def test_a_chosen_remote_model_is_the_default_and_local_stays_on_offer(server):
    current.configure(
        LlmConfiguration(base_url=server.base_url, embedding_model="nomic-embed-text")
    )
    assert current.embedder().model.dimensions == 768
    assert current.embedder("local").model == BGE_SMALL
    names = [model.name for model in current.available_embedding_models()]
    assert names == ["nomic-embed-text", BGE_SMALL.name]


def test_models_are_made_once(configuration):
    current.configure(configuration)
    assert current.chat() is current.chat()
    assert current.embedder() is current.embedder(BGE_SMALL.name)


def test_a_model_that_is_not_offered_is_refused_in_words():
    with pytest.raises(EmbedderUnavailable, match="settings") as refusal:
        current.embedder("text-embedding-9-giant")
    assert refusal.value.permanent


def test_stand_ins_are_seen_by_all_threads_and_go_with_the_block():
    before = current.embedder()
    chat, embedder = FakeChat(["hi"]), FakeEmbedder()
    other = FakeEmbedder(name="fake-other", dimensions=64)
    seen = []
    with current.using(chat=chat, embedder=embedder, other_embedders=[other]):
        thread = threading.Thread(target=lambda: seen.append((current.chat(), current.embedder())))
        thread.start()
        thread.join()
        assert current.embedder("fake-other") is other
        names = [model.name for model in current.available_embedding_models()]
        assert names == ["fake-bag-of-words", "fake-other", BGE_SMALL.name]
    assert seen == [(chat, embedder)]
    assert current.embedder() is before
    with pytest.raises(EmbedderUnavailable):
        current.embedder("fake-other")


def test_stand_ins_can_be_nested():
    outer, inner = FakeChat(), FakeChat()
    with current.using(chat=outer):
        with current.using(chat=inner):
            assert current.chat() is inner
        assert current.chat() is outer
