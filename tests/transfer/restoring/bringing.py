"""Restore an archive into an account, and inspect the result."""

import io

from accounts.tenancy import tenant
from tests.transfer.exporting.furnished import LATER, contents, export
from transfer.restoring.restoring import RestoreRequest, restore


def bring(user, archive, **changes):
    with tenant(user.id):
        return restore(RestoreRequest(user.id, LATER, **changes), io.BytesIO(archive))


def state(user):
    """The files of an export, except the manifest."""
    with tenant(user.id):
        files = contents(export(user.id))
    return {name: data for name, data in files.items() if name != "manifest.json"}
