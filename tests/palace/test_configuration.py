"""The table of variables, the compose file and the code name the same variables."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.palace.processes import CHECKOUT

TABLE = CHECKOUT / "docs" / "configuration.md"
COMPOSE = CHECKOUT / "docker-compose.yml"
READERS = {
    "database", "text", "switch", "choice", "number", "money", "words", "hosts", "origins", "address",
    "networks", "languages", "token", "_value", "_model_name", "getenv",
}  # fmt: skip
NAME = re.compile(r"[A-Z][A-Z0-9_]{3,}")
ONLY_COMPOSE = {"POSTGRES_PASSWORD", "PALACE_DATABASE_PASSWORD"}
SET_BY_COMPOSE = {"DATABASE_URL", "REDIS_URL", "PALACE_MIGRATION_DATABASE_URL"}
NOT_IN_CONTAINERS = {"PORT", "PALACE_BIND", "PALACE_HOME"}
"""The port and folder are those of the image; `PORT` is the one published on the host."""
OF_OTHERS = {"DJANGO_SETTINGS_MODULE", "ORT_DISABLE_TELEMETRY"}


def documented() -> dict[str, list[str]]:
    rows = re.findall(r"^\| `([A-Z_]+)` \|(.*)\|$", TABLE.read_text(), re.MULTILINE)
    return {name: [cell.strip() for cell in rest.split("|")] for name, rest in rows}


def read_by(path: Path) -> set[str]:
    """Names that a file reads from the environment: arguments of the functions that do so."""
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


def read_by_the_code() -> set[str]:
    packages = ("palace", "accounts", "memory", "chat", "api", "llm", "bench")
    files = [path for package in packages for path in (CHECKOUT / package).rglob("*.py")]
    return set().union(*(read_by(path) for path in files)) - OF_OTHERS


def test_every_variable_is_in_the_table_and_the_other_way_round() -> None:
    assert read_by_the_code() == set(documented())


@pytest.fixture
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())
    return loaded


def test_compose_has_every_service_with_a_health_check(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert set(services) == {"postgres", "redis", "migrate", "web", "worker", "scheduler"}
    for name in set(services) - {"migrate"}:
        assert services[name]["healthcheck"]["test"], name
    for name in ("web", "worker", "scheduler"):
        waits = services[name]["depends_on"]
        assert waits["migrate"] == {"condition": "service_completed_successfully"}
        assert waits["postgres"] == waits["redis"] == {"condition": "service_healthy"}


def test_compose_keeps_what_must_survive(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert services["postgres"]["image"] == "pgvector/pgvector:pg18"
    assert services["postgres"]["volumes"] == ["database:/var/lib/postgresql"]
    assert "--appendonly yes" in " ".join(services["redis"]["command"])
    assert services["redis"]["volumes"] == ["queue:/data"]
    used = {
        volume.partition(":")[0] for service in services.values() for volume in service.get("volumes", [])
    }
    assert used == set(compose["volumes"])


def test_compose_sets_only_variables_that_palace_knows(compose: dict[str, Any]) -> None:
    for name in ("web", "worker", "scheduler", "migrate"):
        assert set(compose["services"][name]["environment"]) <= set(documented())
    asked = set(re.findall(r"\$\{([A-Z_]+)", COMPOSE.read_text()))
    assert asked - ONLY_COMPOSE <= set(documented())


@pytest.mark.parametrize("name", ["web", "worker", "scheduler", "migrate"])
def test_compose_passes_on_every_variable_that_a_container_can_use(
    compose: dict[str, Any], name: str
) -> None:
    given = compose["services"][name]["environment"]
    wanted = set(documented()) - SET_BY_COMPOSE - NOT_IN_CONTAINERS
    assert wanted - set(given) == set()
    assert {each for each in wanted if not given[each].startswith(f"${{{each}:")} == set()
