"""The offer to use the browser's time zone, which a script shows if the setting differs."""

import pytest

from accounts.demo import SHOWS_DEMO, create_demo
from memory.models import MemoryPreferences
from memory.preferences import preferences_of
from tests.chat.ledger import NOW
from tests.html import check_page

URL = "/memory/settings/time-zone/"
OFFER = '<template id="zone-offer" data-zone="Europe/Berlin">'


@pytest.fixture(autouse=True)
def berlin(as_alice):
    MemoryPreferences.objects.create(user_id=as_alice.id, time_zone="Europe/Berlin")


@pytest.mark.parametrize("page", ["/chat/", "/memory/", "/memory/settings/", "/accounts/"])
def test_pages_contain_the_hidden_offer(alice_client, page):
    assert OFFER in check_page(alice_client.get(page))


def test_the_demo_contains_no_offer(alice_client, as_alice):
    create_demo(as_alice, "Mira", NOW)
    session = alice_client.session
    session[SHOWS_DEMO] = True
    session.save()

    assert "zone-offer" not in check_page(alice_client.get("/memory/"))


def test_accepting_the_offer_redirects_back_and_can_be_undone(alice_client, as_alice):
    sent = {"time_zone": "America/New_York", "back": "/memory/facts/?kind=goal"}
    answer = alice_client.post(URL, sent)

    assert (answer.status_code, answer["Location"]) == (302, "/memory/facts/?kind=goal")
    assert preferences_of(as_alice.id).time_zone == "America/New_York"
    (undo,) = (message.extra_tags for message in _messages_with(alice_client, "America/New York"))
    alice_client.post(undo)
    assert preferences_of(as_alice.id).time_zone == "Europe/Berlin"


@pytest.mark.parametrize("zone", ["", "Mars/Olympus", "../../etc/passwd"])
def test_an_unknown_time_zone_changes_nothing(alice_client, as_alice, zone):
    answer = alice_client.post(URL, {"time_zone": zone, "back": "https://example.org/"})

    assert answer["Location"] == "/memory/settings/"
    assert _messages_with(alice_client, "There is no time zone named")
    assert preferences_of(as_alice.id).time_zone == "Europe/Berlin"


def _messages_with(person, words):
    return [each for each in person.get("/memory/settings/").context["messages"] if words in str(each)]
