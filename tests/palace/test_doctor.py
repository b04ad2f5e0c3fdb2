"""`doctor` says of every part whether it works, and what to do if it does not."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from pytest_django import Settings

from llm import current
from llm.configuration import LlmConfiguration
from palace import health
from palace.management.commands import doctor


@pytest.fixture(autouse=True)
def _nothing_cached() -> None:
    health.model_parts.cache_clear()


def parts() -> dict[str, dict[str, str]]:
    out = io.StringIO()
    try:
        call_command("doctor", "--json", stdout=out)
    except CommandError as error:
        assert str(error) == "Palace cannot run until this is fixed."  # noqa: PT017 - parts were printed
    return {part["name"]: part for part in json.loads(out.getvalue())}


@pytest.mark.django_db(transaction=True)
def test_a_healthy_installation_is_up_in_every_part_but_the_model_endpoint() -> None:
    out = io.StringIO()
    call_command("doctor", stdout=out)
    lines = out.getvalue().splitlines()
    assert {line.split()[0] for line in lines} <= {"up", "degraded"}
    found = parts()
    for name in ("database", "migrations", "row-level security", "disk"):
        assert found[name]["state"] == "up", found[name]


@pytest.mark.django_db(transaction=True)
def test_missing_models_and_a_full_disk_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr("memory.mining.reader.installed.CHECKOUT_MODELS", tmp_path)
    monkeypatch.setattr("llm.multilingual.installed.CHECKOUT_MODELS", tmp_path)
    monkeypatch.setattr(current, "site_configuration", lambda: LlmConfiguration(models_home=tmp_path))
    monkeypatch.setattr(doctor, "SCARCE", 10**18)
    found = parts()
    assert found["reader"]["state"] == found["multilingual model"]["state"] == "degraded"
    assert "make install" in found["multilingual model"]["words"]
    assert found["disk"]["state"] == "degraded"


@pytest.mark.django_db(transaction=True)
def test_missing_policies_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "is_protected", lambda connection: False)
    with pytest.raises(CommandError, match="cannot run"):
        call_command("doctor", stdout=io.StringIO())
    assert "manage.py migrate" in parts()["row-level security"]["words"]


def test_without_a_database_the_other_parts_are_still_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Away:
        def cursor(self) -> Any:
            raise OperationalError("connection refused")

    def refuse(*_: Any) -> Any:
        raise OperationalError("connection refused")

    monkeypatch.setattr(health, "connection", Away())
    monkeypatch.setattr(doctor, "as_owner", refuse)
    found = parts()
    assert found["database"]["state"] == "down"
    assert "migrations" not in found
    assert found["disk"]["state"] == "up"
