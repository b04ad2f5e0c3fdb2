"""`export_memory` and `restore_memory`, from one account to another."""

import io
import zipfile

import pytest
from django.core.management import CommandError

from accounts.tenancy import tenant
from memory.models import ActivityEvent, Drawer
from tests.commands import run_command
from tests.transfer.exporting.furnished import LIVES, furnish


def run(command, *arguments):
    return run_command(command, *arguments, stderr=io.StringIO())


def test_export_can_be_restored_into_another_account(alice, bob, tmp_path):
    with tenant(alice.id):
        furnish(alice.id)
    file = tmp_path / "mine.zip"
    out = run("export_memory", "--user", alice.email, "--out", str(file))
    assert "drawers: 12\n" in out
    assert "wing names: " in out
    with zipfile.ZipFile(file) as archive:
        assert LIVES in archive.read("data/drawers.jsonl").decode()
    assert list(tmp_path.iterdir()) == [file]
    dry = run("restore_memory", str(file), "--user", bob.email, "--dry-run")
    assert "drawers: 12\n" in dry
    with tenant(bob.id):
        assert not Drawer.objects.exists()
    assert run("restore_memory", str(file), "--user", bob.email) == dry
    assert run("restore_memory", str(file), "--user", bob.email) == "Everything is already here.\n"
    with tenant(bob.id):
        assert Drawer.objects.count() == 12
    with tenant(alice.id):
        event = ActivityEvent.objects.filter(kind="exported").earliest("at")
        assert event.details["counts"]["drawers"] == 12


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("export_memory", "--user", "nobody@example.org", "--out", "a.zip"), "no account"),
        (("export_memory", "--user", "alice@example.org", "--out", "/nowhere/a.zip"), "cannot be written"),
        (("restore_memory", "/nowhere/a.zip", "--user", "alice@example.org"), "cannot be read"),
        (("restore_memory", __file__, "--user", "alice@example.org"), "not a zip"),
    ],
)
def test_errors_are_one_sentence(alice, arguments, reason):
    with pytest.raises(CommandError, match=reason):
        run(*arguments)
