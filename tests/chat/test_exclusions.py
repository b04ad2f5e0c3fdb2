"""Messages with excluded words stay out of memory, wherever they come from."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from django.urls import reverse

from accounts.tenancy import tenant
from chat.models import Conversation, Message
from memory.models import Drawer, Fact, Room
from memory.preferences import change_preferences, excluding, preferences_of
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest, settings_from
from tests.api.conftest import token_of
from tests.drills.ledger import NOW, converse, mine
from tests.memory.pages.settings.test_settings import choices
from tests.transfer.exporting.furnished import bring, export

pytestmark = pytest.mark.usefixtures("embedder")

SECRET, OTHER = "My sister Ruth plays the zither in Lisbon.", "My brother Paul lives in Leeds."


def exclude(user):
    with tenant(user.id):
        change_preferences(user.id, {"never_remember": "zither"}, NOW)


@pytest.mark.parametrize(
    ("excluded", "text", "is_kept_out"),
    [
        ("zither", SECRET, True),
        ("ZITHER\n\n  my   Sister ", "About MY SISTER.", True),
        ("Ann", "We are planning an annex.", False),
        ("c++ (17)", "I use C++ (17) at work.", True),
        ("straße", "STRASSE 7", True),
        ("妹妹", "我妹妹住在里斯本。", True),
        (".*", "Anything at all.", False),
        ("\n \n", "Anything at all.", False),
    ],
)
def test_exclusion_matches_whole_words_in_any_case(excluded, text, is_kept_out):
    assert excluding(excluded)(text) is is_kept_out


def test_excluded_message_and_title_are_neither_filed_nor_extracted(as_alice):
    exclude(as_alice)
    converse(as_alice.id, SECRET, "How lovely!", OTHER, title="My sister Ruth plays the zither …")
    mine(as_alice.id)
    assert set(Drawer.objects.values_list("content", flat=True)) == {"How lovely!", OTHER}
    assert not Fact.objects.filter(statement__icontains="Ruth").exists()
    assert [room.title for room in Room.objects.all()] == [""]
    assert Message.objects.filter(content=SECRET).exists(), "the chat keeps it"


def test_excluded_message_is_not_recalled_before_mining(as_alice):
    exclude(as_alice)
    for words in (SECRET, OTHER):
        converse(as_alice.id, words, at=NOW - timedelta(minutes=2), source=Conversation.Source.CHAT)
    settings = replace(settings_from(preferences_of(as_alice.id)), time_limit_ms=5_000)
    for asked, found in (("Where does my sister Ruth play?", 0), ("Where does my brother Paul live?", 1)):
        hits = recall(RecallRequest(as_alice.id, asked, NOW, settings=settings)).hits
        assert [hit.text for hit in hits] == [OTHER][:found]


def test_restoring_an_older_export_skips_excluded_messages(as_alice, bob):
    converse(as_alice.id, SECRET, "How lovely!", OTHER)
    mine(as_alice.id)
    archive = export(as_alice.id)
    exclude(bob)
    bring(bob, archive)
    with tenant(bob.id):
        assert sorted(Drawer.objects.values_list("content", flat=True)) == ["How lovely!", OTHER]
        assert not Fact.objects.filter(statement__icontains="Ruth").exists()


def test_excluded_words_can_be_set_on_the_settings_page_and_by_the_api(alice, alice_client):
    page = reverse("memory:settings")
    assert "Never save messages containing" in alice_client.get(page).content.decode()
    headers = {"Authorization": f"Bearer {token_of(alice)}"}
    body = json.dumps({"never_remember": "zither\nmy diagnosis"})
    answer = alice_client.patch("/api/v1/settings", body, "application/json", headers=headers)
    assert answer.status_code == 200, answer.content
    with tenant(alice.id):
        assert preferences_of(alice.id).never_remember == "zither\nmy diagnosis"
    given = choices(alice, never_remember="zither\r\nmy boss")
    assert alice_client.post(page, given).status_code == 302
    with tenant(alice.id):
        assert preferences_of(alice.id).never_remember == "zither\nmy boss"
