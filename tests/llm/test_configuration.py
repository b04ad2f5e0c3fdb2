"""Configuration from the environment, allowed addresses, and the models in use."""

import socket
import threading
from decimal import Decimal
from pathlib import Path

import pytest

from llm import current, weights
from llm.addresses import AddressRefused, Target, parse, resolve
from llm.configuration import ConfigurationError, LlmConfiguration
from llm.embedding_models import BGE_SMALL, E5_SMALL
from llm.errors import EmbedderUnavailable, NoEndpoint
from llm.gateway import ChatRequest
from llm.metering import Price
from llm.types import ChatMessage
from tests.cases import cases
from tests.fake_gateway import FakeChat, FakeEmbedder

VALUES = cases(__file__, "values.txt")


def test_nothing_set_means_no_endpoint_and_local_embeddings():
    configuration = LlmConfiguration.from_environment({"EMBEDDING_MODEL": "local"})
    assert configuration == LlmConfiguration()
    assert not configuration.has_endpoint
    assert "sk-abc" not in repr(LlmConfiguration(api_key="sk-abc"))
    assert configuration.embedding_model == ""
    assert configuration.models_home.parts[-2:] == (".palace", "models")
    assert LlmConfiguration.from_environment({"OPENAI_API_KEY": "sk-abc"}).has_endpoint


def test_values_are_read_and_blank_ones_ignored(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    configuration = LlmConfiguration.from_environment(
        {
            "OPENAI_BASE_URL": " http://127.0.0.1:11434/v1/ ",
            "OPENAI_API_KEY": "  ",
            "CHAT_MODEL": "qwen3:4b",
            "EXTRACTION_MODEL": "",
            "EMBEDDING_MODEL": "mine@768",
            "OTHER_EMBEDDING_MODELS": "bge-m3, nomic-embed-text:latest,,local",
            "MODEL_PRICES": " llama3.3=0 ,openai/gpt-4o-mini=0.15/0.60,, a=b=1/2",
            "PALACE_HOME": "data",
        }
    )
    assert configuration == LlmConfiguration(
        base_url="http://127.0.0.1:11434/v1",
        chat_model="qwen3:4b",
        embedding_model="mine@768",
        other_embedding_models=("bge-m3", "nomic-embed-text:latest"),
        models_home=Path(tmp_path) / "data" / "models",
        own_prices={
            "llama3.3": Price(Decimal(0), Decimal(0)),
            "openai/gpt-4o-mini": Price(Decimal("0.15"), Decimal("0.60")),
            "a=b": Price(Decimal(1), Decimal(2)),
        },
    )
    assert configuration.has_endpoint


@pytest.mark.parametrize("case", [*VALUES["VARIABLE=unusable value"], f"PALACE_HOME={__file__}"])
def test_unusable_values_are_refused_with_advice(case):
    variable, value = case.split("=", 1)
    with pytest.raises(ConfigurationError, match=variable) as refusal:
        LlmConfiguration.from_environment({variable: value})
    assert str(refusal.value).endswith(".")
    assert "abc" not in str(refusal.value)


@pytest.mark.parametrize(
    ("url", "is_private", "is_openai"),
    [
        ("http://127.0.0.1:11434/v1", True, False),
        ("http://[::1]:11434/v1", True, False),
        ("http://192.168.1.20:8080/v1", True, False),
        ("http://ollama:11434/v1", True, False),
        ("http://host.docker.internal:11434/v1", True, False),
        ("http://rack.local/v1", True, False),
        ("https://openrouter.ai/api/v1", False, False),
        ("https://8.8.8.8/v1", False, False),
        ("https://api.openai.com/v1", False, True),
        ("", False, True),
    ],
)
def test_private_models_are_free_and_only_openai_drops_its_prefix(url, is_private, is_openai):
    configuration = LlmConfiguration(base_url=url, api_key="k")
    assert configuration.is_private == is_private
    assert configuration.prices.cost_usd("nobody/nothing", 1, 1) == (0 if is_private else None)
    name = "gpt-4o-mini" if is_openai else "openai/gpt-4o-mini"
    assert configuration.name_at_endpoint("openai/gpt-4o-mini") == name
    assert configuration.name_at_endpoint("qwen3:4b") == "qwen3:4b"


@pytest.mark.parametrize("host", " ".join(VALUES["private hosts"]).split())
def test_private_addresses_are_refused(host):
    with pytest.raises(AddressRefused):
        resolve(f"https://{host}/", private=False)


def test_target_is_the_checked_address_and_any_private_one_refuses_the_host(monkeypatch):
    ips = ["93.184.216.34"]

    def found(host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in ips]

    monkeypatch.setattr(socket, "getaddrinfo", found)
    target = resolve("https://example.org:8443/a?b=c", private=False)
    assert target == Target(True, "example.org", 8443, "93.184.216.34", "/a?b=c")
    assert target.host_header == "example.org:8443"
    ips.append("127.0.0.1")
    with pytest.raises(AddressRefused, match="private network"):
        resolve("https://rebind.example/", private=False)


def test_public_and_permitted_private_addresses_are_resolved_and_international_names_encoded():
    assert {resolve(url, private=False).path for url in VALUES["public URLs"]} == {"/"}
    assert resolve("http://127.0.0.1:81", private=True) == Target(False, "127.0.0.1", 81, "127.0.0.1", "/")
    assert parse("https://münchen.example/", private=False)[1] == "xn--mnchen-3ya.example"


@pytest.mark.parametrize("url", ["", *VALUES["invalid URLs"], "https://example.org/" + "a" * 500])
def test_invalid_url_is_refused(url):
    with pytest.raises(AddressRefused):
        parse(url, private=False)


@pytest.fixture(autouse=True)
def restored():
    """Restore the models after each test."""
    with current.using():
        yield


def names():
    return [model.name for model in current.available_embedding_models()]


def test_without_an_endpoint_only_local_embeddings_are_available():
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


def test_using_replaces_models_in_all_threads_inside_the_block():
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


def test_configured_remote_model_becomes_the_default_and_no_local_one_is_fetched(
    monkeypatch, tmp_path, server
):
    def fail(home):
        raise weights.FetchFailed(f"Not available for {home.name}.")

    monkeypatch.setattr(weights, "install", fail)
    current.configure(LlmConfiguration(models_home=tmp_path / "models"))
    with pytest.raises(EmbedderUnavailable, match=r"Not available for models\."):
        current.fetch_local_model()
    current.configure(LlmConfiguration(base_url=server.base_url, embedding_model="nomic-embed-text"))
    current.fetch_local_model()
    assert current.embedder().model.dimensions == 768
    assert current.embedder("local").model == BGE_SMALL
    assert names() == ["nomic-embed-text", BGE_SMALL.name, E5_SMALL.name]
