"""`export_memory` and `restore_memory`, from one account to another."""

import io
import json
import zipfile

import pytest
from django.core.management import CommandError, call_command

from accounts.tenancy import tenant
from memory.models import ActivityEvent, Drawer
from tests.transfer.exporting.furnished import LIVES, furnish


@pytest.fixture
def furnished(alice):
    with tenant(alice.id):
        furnish(alice.id)
    return alice


def run(command, *arguments):
    out = io.StringIO()
    call_command(command, *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_out_of_one_account_and_into_another(furnished, bob, tmp_path):
    file = str(tmp_path / "mine.zip")
    out = run("export_memory", "--user", "alice@example.org", "--out", file)
    assert "drawers: 12\n" in out
    assert "wing names: " in out
    dry = run("restore_memory", file, "--user", "bob@example.org", "--dry-run")
    assert "drawers: 12\n" in dry
    with tenant(bob.id):
        assert not Drawer.objects.exists()
    assert run("restore_memory", file, "--user", "bob@example.org") == dry
    again = run("restore_memory", file, "--user", "bob@example.org")
    assert again == "Everything is here already.\n"
    with tenant(bob.id):
        assert Drawer.objects.count() == 12
    with tenant(furnished.id):
        event = ActivityEvent.objects.get(kind="exported")
        assert event.details["counts"]["drawers"] == 12


def test_one_wing(furnished, tmp_path):
    file = tmp_path / "wing.zip"
    run("export_memory", "--user", "alice@example.org", "--wing", "another", "--out", str(file))
    with zipfile.ZipFile(file) as archive:
        assert json.loads(archive.read("manifest.json"))["scope"] == "wing"
        assert LIVES in archive.read("data/drawers.jsonl").decode()
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--user", "nobody@example.org", "--out", "a.zip"), "no account"),
        (("--user", "alice@example.org", "--wing", "nowhere", "--out", "a.zip"), "no wing"),
        (("--user", "alice@example.org", "--out", "/nowhere/a.zip"), "cannot be written"),
    ],
)
def test_an_export_that_cannot_be(alice, arguments, said):
    with pytest.raises(CommandError, match=said):
        run("export_memory", *arguments)


def test_a_restore_that_cannot_be(alice, tmp_path):
    with pytest.raises(CommandError, match="cannot be read"):
        run("restore_memory", str(tmp_path / "none.zip"), "--user", "alice@example.org")
    (tmp_path / "odd.zip").write_bytes(b"odd")
    with pytest.raises(CommandError, match="not a zip"):
        run("restore_memory", str(tmp_path / "odd.zip"), "--user", "alice@example.org")
