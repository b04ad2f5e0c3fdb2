import re

import pytest

from memory.models import ActivityEvent, MemoryPreferences
from memory.preferences import preferences_of
from tests.html import check_page

URL = "/memory/consent/"


@pytest.fixture(autouse=True)
def not_agreed(alice):
    """Alice has not agreed yet."""
    alice.agreed_at = None
    alice.save(update_fields=["agreed_at"])


def test_the_page_explains_what_is_stored_before_asking_for_consent(alice_client):
    html = check_page(alice_client.get(URL))
    assert "No other user of Palace can, staff included" in html
    assert "Whoever runs this server could." in html
    assert html.index("Word for word") < html.index("I agree")
    assert "You agreed on" not in html


@pytest.mark.parametrize(("answer", "auto_mine"), [("by-itself", True), ("when-asked", False), ("", False)])
def test_consent_is_saved_with_its_first_date(alice_client, as_alice, answer, auto_mine):
    assert alice_client.post(URL, {"remember": answer})["Location"] == "/accounts/welcome/"
    assert preferences_of(as_alice.id).auto_mine is auto_mine
    as_alice.refresh_from_db()
    first = as_alice.agreed_at
    assert first is not None
    html = check_page(alice_client.get(URL))
    assert "You agreed on" in html
    assert "I agree" not in html
    assert ('value="by-itself"' in html, 'value="when-asked"' in html) == (not auto_mine, auto_mine)

    alice_client.post(URL, {"remember": "by-itself"})
    as_alice.refresh_from_db()
    assert as_alice.agreed_at == first


def test_the_browsers_time_zone_becomes_the_setting(alice_client, as_alice):
    page = alice_client.get(URL)
    assert 'name="time_zone" data-zone-field' in check_page(page)

    alice_client.post(URL, {"remember": "by-itself", "time_zone": "Asia/Tokyo"})

    assert preferences_of(as_alice.id).time_zone == "Asia/Tokyo"
    event = ActivityEvent.objects.get(kind=ActivityEvent.Kind.SETTINGS)
    assert event.details["after"] == {"time_zone": "Asia/Tokyo"}
    again = check_page(alice_client.get(URL))
    assert "data-zone-field" not in re.sub("(?s)<template.*?</template>", "", again)


@pytest.mark.parametrize(
    ("saved", "sent"),
    [
        *(("", ""), ("", "Mars/Olympus"), ("", "../../etc/passwd")),
        *(("Europe/Berlin", "Asia/Tokyo"), ("UTC", "Asia/Tokyo")),
    ],
)
def test_an_unknown_time_zone_is_ignored_and_a_saved_one_is_kept(alice_client, as_alice, saved, sent):
    if saved:
        MemoryPreferences.objects.create(user_id=as_alice.id, time_zone=saved)
    for zone in (sent, "Asia/Tokyo"):  # agreeing again changes none either
        alice_client.post(URL, {"remember": "by-itself", "time_zone": zone})
        assert preferences_of(as_alice.id).time_zone == (saved or "UTC")
