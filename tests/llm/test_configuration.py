from decimal import Decimal
from pathlib import Path

import pytest

from llm.configuration import ConfigurationError, LlmConfiguration
from llm.metering import Price


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


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        *[
            ("OPENAI_BASE_URL", value)
            for value in (
                "127.0.0.1:11434",
                "ftp://example.org/v1",
                "http://",
                "http://example.org:port/v1",
                "https://exa mple.org/v1",
                "https://example.org/v1?key=1",
            )
        ],
        ("OPENAI_API_KEY", "sk-abc def"),
        ("OPENAI_API_KEY", "sk-“abc”"),
        ("CHAT_MODEL", "two models"),
        ("EXTRACTION_MODEL", "line\nbreak"),
        ("EMBEDDING_MODEL", "text-embedding-3-small"),
        ("OTHER_EMBEDDING_MODELS", "text-embedding-3-small"),
        ("PALACE_HOME", __file__),
        *[
            ("MODEL_PRICES", value)
            for value in ("gpt", "gpt=", "gpt=cheap", "gpt=-1", "=1", "gpt=1/x", "g=NaN")
        ],
    ],
)
def test_unusable_values_are_refused_with_advice(variable, value):
    with pytest.raises(ConfigurationError, match=variable) as refusal:
        LlmConfiguration.from_environment({variable: value})
    assert str(refusal.value).endswith(".")
    assert "abc" not in str(refusal.value)


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        ("", "gpt-4o-mini"),
        ("https://api.openai.com/v1", "gpt-4o-mini"),
        ("https://openrouter.ai/api/v1", "openai/gpt-4o-mini"),
        ("http://127.0.0.1:11434/v1", "openai/gpt-4o-mini"),
    ],
)
def test_only_openai_itself_drops_the_maker(base_url, expected):
    configuration = LlmConfiguration(base_url=base_url, api_key="k")
    assert configuration.name_at_endpoint("openai/gpt-4o-mini") == expected
    assert configuration.name_at_endpoint("qwen3:4b") == "qwen3:4b"


@pytest.mark.parametrize(
    ("url", "is_private"),
    [
        ("http://127.0.0.1:11434/v1", True),
        ("http://[::1]:11434/v1", True),
        ("http://192.168.1.20:8080/v1", True),
        ("http://ollama:11434/v1", True),
        ("http://host.docker.internal:11434/v1", True),
        ("http://rack.local/v1", True),
        ("https://api.openai.com/v1", False),
        ("https://8.8.8.8/v1", False),
        ("", False),
    ],
)
def test_unpriced_models_are_free_at_private_endpoints_only(url, is_private):
    configuration = LlmConfiguration(base_url=url)
    assert configuration.is_private == is_private
    assert configuration.prices.cost_usd("nobody/nothing", 1, 1) == (0 if is_private else None)
