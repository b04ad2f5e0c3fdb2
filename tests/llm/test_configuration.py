from decimal import Decimal
from pathlib import Path

import pytest

from llm.configuration import ConfigurationError, LlmConfiguration
from llm.prices import Price


def test_nothing_set_means_no_endpoint_and_local_embeddings():
    configuration = LlmConfiguration.from_environment({})
    assert configuration == LlmConfiguration()
    assert not configuration.has_endpoint
    assert configuration.embedding_model == ""
    assert configuration.models_home.parts[-2:] == (".palace", "models")


def test_everything_is_read_and_blanks_count_as_unset(tmp_path):
    configuration = LlmConfiguration.from_environment(
        {
            "OPENAI_BASE_URL": " http://127.0.0.1:11434/v1/ ",
            "OPENAI_API_KEY": "  ",
            "CHAT_MODEL": "qwen3:4b",
            "EXTRACTION_MODEL": "",
            "EMBEDDING_MODEL": "nomic-embed-text:latest",
            "PALACE_HOME": str(tmp_path),
        }
    )
    assert configuration.base_url == "http://127.0.0.1:11434/v1"
    assert configuration.has_endpoint
    assert configuration.chat_model == "qwen3:4b"
    assert configuration.extraction_model == "openai/gpt-4o-mini"
    assert configuration.embedding_model == "nomic-embed-text:latest"
    assert configuration.models_home == tmp_path / "models"


def test_a_key_alone_is_an_endpoint():
    configuration = LlmConfiguration.from_environment({"OPENAI_API_KEY": "sk-abc"})
    assert configuration.has_endpoint


def test_local_is_the_name_of_the_default_embedder():
    assert LlmConfiguration.from_environment({"EMBEDDING_MODEL": "local"}).embedding_model == ""


def test_a_relative_home_does_not_move_with_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    configuration = LlmConfiguration.from_environment({"PALACE_HOME": "data"})
    assert configuration.models_home == Path(tmp_path) / "data" / "models"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("OPENAI_BASE_URL", "127.0.0.1:11434"),
        ("OPENAI_BASE_URL", "ftp://example.org/v1"),
        ("OPENAI_BASE_URL", "http://"),
        ("OPENAI_BASE_URL", "http://example.org:port/v1"),
        ("OPENAI_BASE_URL", "https://exa mple.org/v1"),
        ("OPENAI_BASE_URL", "https://example.org/v1?key=1"),
        ("OPENAI_API_KEY", "sk-abc def"),
        ("OPENAI_API_KEY", "sk-“abc”"),
        ("CHAT_MODEL", "two models"),
        ("EXTRACTION_MODEL", "line\nbreak"),
        ("EMBEDDING_MODEL", "text-embedding-3-small"),
        ("OTHER_EMBEDDING_MODELS", "text-embedding-3-small"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_with_advice(variable, value):
    with pytest.raises(ConfigurationError, match=variable) as refusal:
        LlmConfiguration.from_environment({variable: value})
    assert str(refusal.value).endswith(".")
    if variable == "OPENAI_API_KEY":
        assert "abc" not in str(refusal.value)


def test_an_embedding_model_nobody_knows_needs_its_length():
    endpoint = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
    with pytest.raises(ConfigurationError, match="@768"):
        LlmConfiguration.from_environment({**endpoint, "EMBEDDING_MODEL": "mine"})
    known = LlmConfiguration.from_environment({**endpoint, "EMBEDDING_MODEL": "mine@768"})
    assert known.embedding_model == "mine@768"


def test_a_file_is_no_home(tmp_path):
    file = tmp_path / "home"
    file.write_text("")
    with pytest.raises(ConfigurationError, match="PALACE_HOME"):
        LlmConfiguration.from_environment({"PALACE_HOME": str(file)})


def test_the_key_is_not_shown_by_the_configuration():
    assert "sk-abc" not in repr(LlmConfiguration(api_key="sk-abc"))


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        ("", "gpt-4o-mini"),
        ("https://api.openai.com/v1", "gpt-4o-mini"),
        ("https://openrouter.ai/api/v1", "openai/gpt-4o-mini"),
        ("http://127.0.0.1:11434/v1", "openai/gpt-4o-mini"),
    ],
)
def test_only_openai_itself_drops_the_name_of_the_maker(base_url, expected):
    configuration = LlmConfiguration(base_url=base_url, api_key="k")
    assert configuration.name_at_endpoint("openai/gpt-4o-mini") == expected
    assert configuration.name_at_endpoint("qwen3:4b") == "qwen3:4b"


def test_prices_of_ones_own_are_read():
    prices = LlmConfiguration.from_environment(
        {"MODEL_PRICES": " llama3.3=0 ,openai/gpt-4o-mini=0.15/0.60,, a=b=1/2"}
    ).own_prices
    assert prices == {
        "llama3.3": Price(Decimal(0), Decimal(0)),
        "openai/gpt-4o-mini": Price(Decimal("0.15"), Decimal("0.60")),
        "a=b": Price(Decimal(1), Decimal(2)),
    }


@pytest.mark.parametrize("value", ["gpt", "gpt=", "gpt=cheap", "gpt=-1", "=1", "gpt=1/x", "g=NaN"])
def test_a_price_that_is_none_is_refused_with_advice(value):
    with pytest.raises(ConfigurationError, match="MODEL_PRICES has to list prices"):
        LlmConfiguration.from_environment({"MODEL_PRICES": value})


@pytest.mark.parametrize(
    ("address", "at_home"),
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
def test_an_endpoint_of_ones_own_network_is_at_home(address, at_home):
    configuration = LlmConfiguration(base_url=address)
    assert configuration.at_home == at_home
    assert configuration.prices.cost_usd("nobody/nothing", 1, 1) == (0 if at_home else None)


def test_other_embedding_models_are_a_list_of_known_ones():
    endpoint = {"OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"}
    listed = {**endpoint, "OTHER_EMBEDDING_MODELS": "bge-m3, mine@768,,local"}
    assert LlmConfiguration.from_environment(listed).other_embedding_models == (
        "bge-m3",
        "mine@768",
    )
    with pytest.raises(ConfigurationError, match="OTHER_EMBEDDING_MODELS"):
        LlmConfiguration.from_environment({**endpoint, "OTHER_EMBEDDING_MODELS": "mine"})
