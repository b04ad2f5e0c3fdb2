"""Operators see imports, and nobody's words."""

import pytest
from django.contrib import admin

from accounts.tenancy import tenant
from chat.models import Agent, Conversation, Generation, Message
from transfer.models import ImportRun, RefusedEntry


@pytest.fixture
def rows(alice):
    with tenant(alice.id):
        run = ImportRun.objects.create(user_id=alice.id, format="chatgpt", messages=12)
    return {"transfer/importrun": (run, "chatgpt")}


def test_operators_read_the_figures_and_change_nothing(rows, carol_client, alice_client):
    for model in (Agent, Conversation, Message, Generation, RefusedEntry):
        assert not admin.site.is_registered(model)
    for name, (row, figure) in rows.items():
        for path in (f"/admin/{name}/", f"/admin/{name}/{row.id}/change/"):
            html = carol_client.get(path).content.decode()
            assert str(row.id) in html
            assert figure in html
            assert "Secret" not in html
            assert alice_client.get(path).status_code == 302
        assert carol_client.get(f"/admin/{name}/add/").status_code == 403
        assert carol_client.post(f"/admin/{name}/{row.id}/change/", {"model": "x"}).status_code == 403
