import threading

import pytest

from llm import current, weights
from llm.configuration import LlmConfiguration
from llm.embedding_models import BGE_SMALL, E5_SMALL
from llm.errors import EmbedderUnavailable, NoEndpoint
from llm.gateway import ChatRequest
from llm.types import ChatMessage
from tests.fake_gateway import FakeChat, FakeEmbedder


@pytest.fixture(autouse=True)
def restored():
    """Restore the models after each test."""
    with current.using():
        yield


def names() -> list[str]:
    return [model.name for model in current.available_embedding_models()]


def test_without_an_endpoint_only_local_embeddings():
    current.configure(LlmConfiguration())
    with pytest.raises(NoEndpoint) as refusal:
        current.chat()
    assert refusal.value.permanent
    assert current.embedder() is current.embedder(BGE_SMALL.name)
    assert names() == [BGE_SMALL.name, E5_SMALL.name]
    with pytest.raises(EmbedderUnavailable, match="settings") as unknown:
        current.embedder("text-embedding-9-giant")
    assert unknown.value.permanent


def test_an_endpoint_adds_chat_and_an_embedding_model(configuration, server):
    current.configure(configuration)
    assert current.chat() is current.chat()
    reply = current.chat().complete(ChatRequest((ChatMessage("user", "hi"),)))
    assert reply.text == "You said: hi"
    assert names() == [BGE_SMALL.name, E5_SMALL.name, "text-embedding-3-small"]
    assert current.embedder("text-embedding-3-small").embed_query("hello").vectors.shape == (1, 1536)
    assert current.embedder().model == BGE_SMALL


def test_a_chosen_remote_model_is_the_default_beside_the_local_one(server):
    current.configure(LlmConfiguration(base_url=server.base_url, embedding_model="nomic-embed-text"))
    assert current.embedder().model.dimensions == 768
    assert current.embedder("local").model == BGE_SMALL
    assert names() == ["nomic-embed-text", BGE_SMALL.name, E5_SMALL.name]


def test_stand_ins_are_seen_by_all_threads_until_the_block_ends():
    before = current.embedder()
    chat, embedder = FakeChat(["hi"]), FakeEmbedder()
    other = FakeEmbedder(name="fake-other", dimensions=64)
    seen = []
    with current.using(chat=chat, embedder=embedder, other_embedders=[other]):
        thread = threading.Thread(target=lambda: seen.append((current.chat(), current.embedder())))
        thread.start()
        thread.join()
        with current.using(chat=FakeChat()):
            assert current.chat() is not chat
        assert current.chat() is chat
        assert current.embedder("fake-other") is other
        assert names() == ["fake-bag-of-words", "fake-other", BGE_SMALL.name, E5_SMALL.name]
    assert seen == [(chat, embedder)]
    assert current.embedder() is before
    with pytest.raises(EmbedderUnavailable):
        current.embedder("fake-other")


def test_the_local_model_is_fetched_only_where_it_is_the_default(monkeypatch, tmp_path, server):
    def fail(home):
        raise weights.FetchFailed(f"Not available for {home.name}.")

    monkeypatch.setattr(weights, "install", fail)
    current.configure(LlmConfiguration(models_home=tmp_path / "models"))
    with pytest.raises(EmbedderUnavailable, match=r"Not available for models\."):
        current.fetch_local_model()
    current.configure(LlmConfiguration(base_url=server.base_url, embedding_model="nomic-embed-text"))
    current.fetch_local_model()
