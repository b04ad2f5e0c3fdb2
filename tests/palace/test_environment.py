"""Wrong values of environment variables stop the start with advice."""

import os
import runpy
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from llm.configuration import ConfigurationError, LlmConfiguration
from palace.embedded.location import data_folder
from palace.environment import Environment
from tests.at_once import at_once
from tests.palace.processes import CHECKOUT, environment, finished


@pytest.mark.parametrize(
    ("variable", "value", "advice"),
    [
        ("PORT", "eighty", "whole number from 1 to 65535"),
        ("PORT", "70000", "whole number from 1 to 65535"),
        ("PORT", "--5", "whole number"),
        ("PALACE_BIND", "localhost", "IP address such as 127.0.0.1"),
        ("FORWARDED_ALLOW_IPS", "*", "IP addresses or networks"),
        ("PALACE_HOME", "/etc/passwd", "must be a folder"),
        ("DATABASE_URL", "mysql://root@db/palace", "postgresql://user:password@host"),
        ("DATABASE_URL", "postgresql://u:hidden-word@db:5432", "postgresql://user:password@host"),
        ("DATABASE_URL", "postgresql://u:hidden-word@[::1/x", "postgresql://user:password@host"),
        ("REDIS_URL", "localhost:6379", "redis://host:6379/0"),
        ("OPENAI_BASE_URL", "127.0.0.1:11434", "such as http://127.0.0.1:11434/v1"),
        ("OPENAI_API_KEY", "sk hidden-word", "without quotation marks"),
        ("CHAT_MODEL", "gpt 4", "one model name"),
        ("EXTRACTION_MODEL", "gpt 4", "one model name"),
        ("EMBEDDING_MODEL", "no-such-model", "EMBEDDING_MODEL"),
        ("PALACE_SIGN_UP", "maybe", "`on` or `off`"),
        ("PALACE_HTTPS", "2", "`on` or `off`"),
        ("PALACE_HOSTS", "https://palace.example.org", "without https:// or port"),
        ("PALACE_HOSTS", "palace.example.org:8000", "without https:// or port"),
        ("PALACE_ORIGINS", "palace.example.org", "such as https://palace.example.org"),
        ("SECRET_KEY", "short", "at least 50 random characters"),
        ("SECRET_KEY", "x" * 60, "at least 50 random characters"),
        ("METRICS_TOKEN", "hidden-word", "at least 16 characters"),
        ("PALACE_WORKER_THREADS", "0", "whole number from 1 to 64"),
        ("PALACE_SWEEP_SECONDS", "0.5", "whole number from 1 to 3600"),
        ("PALACE_RECALL_PATIENCE", "0", "whole number from 1 to 20"),
        ("PALACE_BACKGROUND_TIMEOUT", "5", "whole number from 10 to 3600"),
        ("PALACE_UPLOAD_LIMIT_MB", "-1", "whole number from 1 to 100000"),
        ("PALACE_LANGUAGES", "en-gb,klingon", "such as en-gb,de,ar"),
        ("PALACE_LOGS", "yaml", "one of: text, debug, json"),
        ("EMAIL_PORT", "smtp", "whole number from 1 to 65535"),
        ("EMAIL_USE_TLS", "perhaps", "`on` or `off`"),
    ],
)
def test_a_wrong_value_is_refused_with_advice(
    variable: str, value: str, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in os.environ:
        monkeypatch.delenv(name)
    for name, kept in environment(tmp_path, **{variable: value}).items():
        monkeypatch.setenv(name, kept)
    with pytest.raises((ImproperlyConfigured, ConfigurationError)) as refused:
        runpy.run_path(str(CHECKOUT / "palace/settings.py"))
        LlmConfiguration.from_environment(os.environ)
    assert variable in str(refused.value)
    assert advice in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "hidden-word" not in str(refused.value)


def test_a_wrong_value_ends_every_command_with_one_sentence(tmp_path: Path) -> None:
    done = finished("manage.py", "check", env=environment(tmp_path, EMBEDDING_MODEL="no-such-model"))
    assert done.returncode == 1
    assert done.stderr.startswith("Palace cannot run: ")
    assert "EMBEDDING_MODEL" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_starters_at_once_agree_on_one_secret_key(tmp_path: Path) -> None:
    keys = at_once(lambda _: Environment({}).secret_key(tmp_path / "home"), 8)
    assert len(set(keys)) == 1
    assert len(keys[0]) > 50
    assert (tmp_path / "home" / "secret-key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["secret-key"]


def test_right_values_are_read_and_empty_ones_count_as_unset() -> None:
    url = "postgresql://me:p%40ss@db.example.org:6000/mine?sslmode=require"
    variables = Environment(
        {"DATABASE_URL": url, "ON": "Yes", "HOSTS": "a.example.org, [::1],*", "PORT": "", "NAMES": " , "}
    )
    assert variables.switch("ON", default=False) is True
    assert variables.hosts("HOSTS", "") == ["a.example.org", "[::1]", "*"]
    assert variables.number("PORT", 8000, low=1, high=9000) == 8000
    assert variables.words("NAMES") == []
    assert variables.database("DATABASE_URL") == {
        "NAME": "mine",
        "USER": "me",
        "PASSWORD": "p@ss",
        "HOST": "db.example.org",
        "PORT": "6000",
        "OPTIONS": {"sslmode": "require"},
    }


@pytest.mark.parametrize(
    ("value", "amount"),
    [("", None), ("0", 0), ("2.50", Decimal("2.5")), *((bad, "refused") for bad in ("-1", "1e9x", "NaN"))],
)
def test_money_is_an_amount_or_nothing(value: str, amount: Decimal | str | None) -> None:
    variables = Environment({"PALACE_MONTHLY_BUDGET": value})
    if amount == "refused":
        with pytest.raises(ImproperlyConfigured, match="US dollars such as"):
            variables.money("PALACE_MONTHLY_BUDGET")
    else:
        assert variables.money("PALACE_MONTHLY_BUDGET") == amount


def test_a_new_home_is_closed_to_other_accounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)  # as root, the server's account has to enter
    Environment({}).secret_key(tmp_path / "home")
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700
    data_folder(tmp_path / "other" / "postgres")
    assert (tmp_path / "other").stat().st_mode & 0o777 == 0o700
