"""Invalid environment variables stop the start with advice; the documentation, the compose file and the code
name the same variables."""

import ast
import os
import re
import runpy
from decimal import Decimal

import pytest
import yaml
from django.core.exceptions import ImproperlyConfigured

from llm.configuration import ConfigurationError, LlmConfiguration
from palace.embedded.location import data_folder
from palace.environment import Environment
from tests.at_once import at_once
from tests.cases import cases
from tests.palace.processes import CHECKOUT, environment, run_process


@pytest.mark.parametrize("case", *cases(__file__, "environment.txt").values())
def test_invalid_value_is_refused_with_advice(case, tmp_path, monkeypatch):
    given, advice = case.split(" → ")
    variable, value = given.split("=", 1)
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


def test_invalid_value_ends_commands_with_one_sentence(tmp_path):
    done = run_process("manage.py", "check", env=environment(tmp_path, EMBEDDING_MODEL="no-such-model"))
    assert done.returncode == 1
    assert done.stderr.startswith("Palace cannot run: ")
    assert "EMBEDDING_MODEL" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_checks_name_mistyped_variables_and_https(tmp_path):
    env = environment(tmp_path, PALACE_SIGNUP="off", PALACE_QUXX="1")
    done = run_process("manage.py", "check", "--deploy", "--fail-level", "WARNING", env=env)
    assert done.returncode == 1
    assert (
        "PALACE_SIGNUP is not a setting, so it has no effect.\n\tHINT: Did you mean PALACE_SIGN_UP?"
        in done.stderr
    )
    assert "PALACE_QUXX is not a setting" in done.stderr
    assert "Set PALACE_HTTPS=on" in done.stderr
    assert "SECURE_" not in done.stderr
    assert "3 issues" in done.stderr


def test_mail_is_encrypted_in_one_way(tmp_path):
    implicit = run_process("manage.py", "diffsettings", env=environment(tmp_path, EMAIL_USE_SSL="on"))
    assert "EMAIL_PORT = 465" in implicit.stdout
    assert "EMAIL_USE_TLS" not in implicit.stdout  # off, as in Django
    both = environment(tmp_path, EMAIL_USE_SSL="on", EMAIL_USE_TLS="on")
    assert "exclude each other" in run_process("manage.py", "check", env=both).stderr


def test_concurrent_starts_agree_on_one_secret_key(tmp_path):
    keys = at_once(lambda _: Environment({}).secret_key(tmp_path / "home"), 8)
    assert len(set(keys)) == 1
    assert len(keys[0]) > 50
    assert (tmp_path / "home" / "secret-key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["secret-key"]


def test_valid_values_are_read_and_empty_ones_count_as_unset():
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
def test_budget_is_an_amount_or_unset(value, amount):
    variables = Environment({"PALACE_MONTHLY_BUDGET": value})
    if amount == "refused":
        with pytest.raises(ImproperlyConfigured, match="US dollars such as"):
            variables.money("PALACE_MONTHLY_BUDGET")
    else:
        assert variables.money("PALACE_MONTHLY_BUDGET") == amount


def test_new_home_is_private(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)  # for root, the server's account needs access
    Environment({}).secret_key(tmp_path / "home")
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700
    data_folder(tmp_path / "other" / "postgres")
    assert (tmp_path / "other").stat().st_mode & 0o777 == 0o700


def test_existing_home_is_closed_by_its_owner_alone(tmp_path, monkeypatch):
    owner = os.geteuid() or 1000
    homes = [tmp_path / name for name in ("own", "filled", "foreign", "of root")]
    for home in homes:
        home.mkdir()
        home.chmod(0o775)
    if os.geteuid() == 0:
        for home in homes:
            os.chown(home, owner, owner)
    (homes[1] / "secret-key").write_text("kept")
    for home, account in zip(homes, (owner, owner, owner + 1, 0), strict=True):
        monkeypatch.setattr(os, "geteuid", lambda account=account: account)
        Environment({}).secret_key(home)
        data_folder(home / "postgres")
    assert [home.stat().st_mode & 0o777 for home in homes] == [0o700, 0o700, 0o775, 0o775]
    assert (homes[1] / "secret-key").read_text() == "kept"


TABLE = CHECKOUT / "docs" / "configuration.md"
COMPOSE = (CHECKOUT / "docker-compose.yml").read_text()
COMPOSED = yaml.safe_load(COMPOSE)
SERVICES = COMPOSED["services"]
READERS = {
    "database", "text", "switch", "choice", "number", "money", "words", "hosts", "origins", "address",
    "networks", "languages", "token", "rsa_key", "sender", "_value", "_model_name", "getenv",
}  # fmt: skip
NAME = re.compile(r"[A-Z][A-Z0-9_]{3,}")
ONLY_COMPOSE = {"POSTGRES_PASSWORD", "PALACE_DATABASE_PASSWORD"}
SET_BY_COMPOSE = {"DATABASE_URL", "REDIS_URL", "PALACE_MIGRATION_DATABASE_URL"}
NOT_IN_CONTAINERS = {"PORT", "PALACE_BIND", "PALACE_HOME"}
"""The port and folder are those of the image; `PORT` is the one published on the host."""
NOT_PALACE = {"DJANGO_SETTINGS_MODULE", "ORT_DISABLE_TELEMETRY"}


def documented():
    rows = re.findall(r"^\| `([A-Z_]+)` \|(.*)\|$", TABLE.read_text(), re.MULTILINE)
    return {name: [cell.strip() for cell in rest.split("|")] for name, rest in rows}


def read_by(path):
    """The variables that a file reads: string arguments of the reading functions."""
    return {
        argument.value
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and (getattr(node.func, "attr", "") in READERS or getattr(node.func, "id", "") in READERS)
        for argument in node.args
        if isinstance(argument, ast.Constant)
        and isinstance(argument.value, str)
        and NAME.fullmatch(argument.value)
    }


def read_by_the_code():
    packages = ("palace", "accounts", "memory", "chat", "api", "llm", "bench")
    files = [path for package in packages for path in (CHECKOUT / package).rglob("*.py")]
    return set().union(*(read_by(path) for path in files)) - NOT_PALACE


def test_documented_variables_are_those_the_code_reads():
    assert read_by_the_code() == set(documented())


def test_compose_has_every_service_with_a_health_check():
    assert set(SERVICES) == {"postgres", "redis", "migrate", "web", "worker", "scheduler"}
    for name in set(SERVICES) - {"migrate"}:
        assert SERVICES[name]["healthcheck"]["test"], name
    for name in ("web", "worker", "scheduler"):
        waits = SERVICES[name]["depends_on"]
        assert waits["migrate"] == {"condition": "service_completed_successfully"}
        assert waits["postgres"] == waits["redis"] == {"condition": "service_healthy"}


def test_compose_persists_database_and_queue():
    assert SERVICES["postgres"]["image"] == "pgvector/pgvector:pg18"
    assert SERVICES["postgres"]["volumes"] == ["database:/var/lib/postgresql"]
    assert "--appendonly yes" in " ".join(SERVICES["redis"]["command"])
    assert SERVICES["redis"]["volumes"] == ["queue:/data"]
    used = {
        volume.partition(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])
    }
    assert used == set(COMPOSED["volumes"])


def test_compose_sets_only_documented_variables():
    for name in ("web", "worker", "scheduler", "migrate"):
        assert set(SERVICES[name]["environment"]) <= set(documented())
    asked = set(re.findall(r"\$\{([A-Z_]+)", COMPOSE))
    assert asked - ONLY_COMPOSE <= set(documented())


REQUIRED_BY_COMPOSE = {
    "POSTGRES_PASSWORD": "letters",
    "PALACE_DATABASE_PASSWORD": "digits",
    "SECRET_KEY": "a key of more than fifty characters, which keeps nothing secret",
    "PALACE_HOSTS": "palace.example.org",
}


def composed(value):
    """A value of the compose file, with the required variables in their places and the defaults of others."""
    required = re.sub(r"\$\{(\w+):\?[^}]*\}", lambda match: REQUIRED_BY_COMPOSE[match[1]], value)
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", required)


@pytest.mark.parametrize("name", ["web", "worker"])
def test_compose_needs_only_the_required_variables(name, tmp_path):
    given = {variable: composed(value) for variable, value in SERVICES[name]["environment"].items()}
    done = run_process("manage.py", "check", "--deploy", env=environment(tmp_path, **given))
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout
    gateway = COMPOSED["networks"]["default"]["ipam"]["config"][0]["gateway"]
    assert given["FORWARDED_ALLOW_IPS"] == gateway


@pytest.mark.parametrize("name", ["web", "worker", "scheduler", "migrate"])
def test_compose_passes_every_applicable_variable(name):
    given = SERVICES[name]["environment"]
    wanted = set(documented()) - SET_BY_COMPOSE - NOT_IN_CONTAINERS
    assert wanted - set(given) == set()
    assert {each for each in wanted if not given[each].startswith(f"${{{each}:")} == set()
