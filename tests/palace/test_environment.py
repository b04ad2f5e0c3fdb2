"""Invalid environment variables stop the start with advice; the documentation, the compose file and the code
name the same variables."""

import os
import re
import runpy
from decimal import Decimal
from fnmatch import fnmatch

import pytest
import yaml
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured

from llm.configuration import ConfigurationError, LlmConfiguration
from palace.embedded.location import data_folder
from palace.environment import Environment
from tests.at_once import at_once
from tests.cases import cases
from tests.palace.processes import CHECKOUT, environment


@pytest.mark.parametrize("case", *cases(__file__, "environment.txt").values())
def test_invalid_value_is_refused_with_advice(case, tmp_path, monkeypatch):
    given, advice = case.split(" → ")
    variable, value = given.split("=", 1)
    with pytest.raises((ImproperlyConfigured, ConfigurationError)) as refused:
        settings_of(tmp_path, monkeypatch, **{variable: value})
        LlmConfiguration.from_environment(os.environ)
    assert variable in str(refused.value)
    assert advice in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "hidden-word" not in str(refused.value)


def test_checks_name_mistyped_variables_and_missing_https(settings):
    names = settings.ENV.names
    settings.ENV = Environment({"PALACE_SIGNUP": "off", "PALACE_QUXX": "1"})
    settings.ENV.names = names
    found = run_checks(tags=["security"], include_deployment_checks=True)
    said = [f"{each.msg} {each.hint}" for each in found if not each.is_silenced()]
    assert len(said) == 3
    assert "PALACE_SIGNUP is not a setting, so it has no effect. Did you mean PALACE_SIGN_UP?" in said
    assert any("PALACE_QUXX is not a setting" in each for each in said)
    assert any("Set PALACE_HTTPS=on" in each for each in said)


def settings_of(tmp_path, monkeypatch, **variables):
    """The settings with only these variables in the environment."""
    for name in os.environ:
        monkeypatch.delenv(name)
    for name, kept in environment(tmp_path, **variables).items():
        monkeypatch.setenv(name, kept)
    return runpy.run_path(str(CHECKOUT / "palace/settings.py"))


def test_mail_is_encrypted_in_one_way(tmp_path, monkeypatch):
    implicit = settings_of(tmp_path, monkeypatch, EMAIL_USE_SSL="on")
    assert (implicit["EMAIL_PORT"], implicit["EMAIL_USE_TLS"]) == (465, False)
    with pytest.raises(ImproperlyConfigured, match="exclude each other"):
        settings_of(tmp_path, monkeypatch, EMAIL_USE_SSL="on", EMAIL_USE_TLS="on")


def test_https_is_required_and_only_the_server_decides_who_uses_it(tmp_path, monkeypatch):
    found = settings_of(tmp_path, monkeypatch, PALACE_HTTPS="on", FORWARDED_ALLOW_IPS="10.0.0.1")
    assert (
        found["SECURE_SSL_REDIRECT"] is found["SESSION_COOKIE_SECURE"] is found["CSRF_COOKIE_SECURE"] is True
    )
    assert found["SECURE_HSTS_SECONDS"] > 0
    assert "SECURE_PROXY_SSL_HEADER" not in found, "visitors could claim to use it"


def test_sign_ins_are_counted_without_redis(tmp_path, monkeypatch):
    caches = settings_of(tmp_path, monkeypatch, REDIS_URL="redis://127.0.0.1:9/0")["CACHES"]
    assert caches["default"] == {"BACKEND": "accounts.shared_cache.SharedCache"}
    assert caches["requests"]["LOCATION"] == "redis://127.0.0.1:9/0"


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
    assert variables.money("PALACE_MONTHLY_BUDGET") is None
    assert [Environment({"M": amount}).money("M") for amount in ("0", "2.50")] == [0, Decimal("2.5")]
    assert variables.database("DATABASE_URL") == {
        "NAME": "mine",
        "USER": "me",
        "PASSWORD": "p@ss",
        "HOST": "db.example.org",
        "PORT": "6000",
        "OPTIONS": {"sslmode": "require"},
    }


APPLICATION, OWNER = "postgresql://palace_app:a@{}/palace", "postgresql://palace:hidden-word@{}"


@pytest.mark.parametrize(
    ("application", "owner", "advice"),
    [
        ("db:5432", "db/palace", ""),
        ("localhost", "127.0.0.1/palace", ""),
        ("db:6432", "db:5432/palace", ""),
        ("new", "old/palace", "they differ in the host."),
        ("db", "old/elsewhere", "differ in the host and the database."),
        (None, "db/palace", "needs DATABASE_URL"),
    ],
)
def test_owner_must_log_in_to_the_database_of_the_application(application, owner, advice):
    given = {"OWNER_URL": OWNER.format(owner)}
    if application:
        given["DATABASE_URL"] = APPLICATION.format(application)
    if not advice:
        login = Environment(given).owner("OWNER_URL", "DATABASE_URL")
        assert login.items() >= {"user": "palace", "password": "hidden-word"}.items()
        return
    with pytest.raises(ImproperlyConfigured, match=advice) as refused:
        Environment(given).owner("OWNER_URL", "DATABASE_URL")
    assert "hidden-word" not in str(refused.value)


def test_home_is_closed_to_others_by_its_owner_alone(tmp_path, monkeypatch):
    owner = os.geteuid() or 1000
    homes = [tmp_path / name for name in ("own", "filled", "foreign", "of root")]
    for home in homes:
        home.mkdir()
        home.chmod(0o775)
    if os.geteuid() == 0:
        for home in homes:
            os.chown(home, owner, owner)
    (homes[1] / "secret-key").write_text("kept")
    homes.append(tmp_path / "new")
    for home, account in zip(homes, (owner, owner, owner + 1, 0, owner), strict=True):
        monkeypatch.setattr(os, "geteuid", lambda account=account: account)
        Environment({}).secret_key(home)
        data_folder(home / "postgres")
    assert [home.stat().st_mode & 0o777 for home in homes] == [0o700, 0o700, 0o775, 0o775, 0o700]
    assert (homes[1] / "secret-key").read_text() == "kept"


TABLE = CHECKOUT / "docs" / "configuration.md"
COMPOSE = (CHECKOUT / "docker-compose.yml").read_text()
COMPOSED = yaml.safe_load(COMPOSE)
SERVICES = COMPOSED["services"]
ONLY_COMPOSE = {"POSTGRES_PASSWORD", "PALACE_DATABASE_PASSWORD"}
SET_BY_COMPOSE = {"DATABASE_URL", "REDIS_URL", "PALACE_MIGRATION_DATABASE_URL"}
NOT_IN_CONTAINERS = {"PORT", "PALACE_BIND", "PALACE_HOME"}
"""The port and folder are those of the image; `PORT` is the one published on the host."""


def documented():
    return set(re.findall(r"^\| `([A-Z_]+)` \|.*\|$", TABLE.read_text(), re.MULTILINE))


def test_documented_variables_are_those_the_code_reads(settings):
    models = (CHECKOUT / "llm/configuration.py").read_text()
    assert settings.ENV.names | set(re.findall(r'"([A-Z][A-Z_]{3,})"', models)) == documented()


def test_compose_checks_health_waits_for_migrations_and_keeps_the_database_and_the_queue():
    assert set(SERVICES) == {"postgres", "redis", "migrate", "web", "worker", "scheduler"}
    assert [name for name in set(SERVICES) - {"migrate"} if not SERVICES[name]["healthcheck"]["test"]] == []
    assert "/readyz" in SERVICES["web"]["healthcheck"]["test"][-1], "also fails without the database"
    for name in ("web", "worker", "scheduler"):
        waits = SERVICES[name]["depends_on"]
        assert waits["migrate"] == {"condition": "service_completed_successfully"}
        assert waits["postgres"] == waits["redis"] == {"condition": "service_healthy"}
    assert SERVICES["postgres"]["image"] == "pgvector/pgvector:pg18"
    assert SERVICES["postgres"]["volumes"] == ["database:/var/lib/postgresql"]
    assert "--appendonly yes" in " ".join(SERVICES["redis"]["command"])
    assert SERVICES["redis"]["volumes"] == ["queue:/data"]
    volumes = [volume for service in SERVICES.values() for volume in service.get("volumes", [])]
    assert {volume.partition(":")[0] for volume in volumes} == set(COMPOSED["volumes"])


@pytest.mark.parametrize("rules", [".gitignore", ".dockerignore"])
def test_backups_in_the_checkout_get_into_no_commit_and_no_image(rules):
    patterns = [line.strip("/") for line in (CHECKOUT / rules).read_text().splitlines()]
    for name in (".env", "palace.tar.gz", "palace.dump", "uploads.tar", "drill", "memory.zip"):
        assert any(fnmatch(name, pattern) for pattern in patterns), name


def test_compose_sets_every_applicable_variable_and_only_documented_ones():
    wanted = documented() - SET_BY_COMPOSE - NOT_IN_CONTAINERS
    for name in ("web", "worker", "scheduler", "migrate"):
        given = SERVICES[name]["environment"]
        assert wanted <= set(given) <= documented()
        assert {each for each in wanted if not given[each].startswith(f"${{{each}:")} == set()
    assert set(re.findall(r"\$\{([A-Z_]+)", COMPOSE)) - ONLY_COMPOSE <= documented()


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


def test_compose_needs_only_the_required_variables(tmp_path, monkeypatch):
    web, worker = (
        {variable: composed(value) for variable, value in SERVICES[name]["environment"].items()}
        for name in ("web", "worker")
    )
    found = settings_of(tmp_path, monkeypatch, **web)
    assert (found["SECURE_SSL_REDIRECT"], found["DEBUG"]) == (True, False)
    assert "palace.example.org" in found["ALLOWED_HOSTS"]
    assert web["FORWARDED_ALLOW_IPS"] == COMPOSED["networks"]["default"]["ipam"]["config"][0]["gateway"]
    assert settings_of(tmp_path, monkeypatch, **worker)["QUEUE"] == "redis"
