from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from accounts.sessions import browser_name, open_session_ids, remove_expired_sessions
from tests.html import check_page, parse

pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/"
SESSIONS = "/accounts/sessions/"


def test_two_windows_leave_alone_what_the_other_changed(
    alice_client: Client, alice: User, settings: Settings
) -> None:
    settings.LANGUAGES = [("en-gb", "English"), ("ar", "العربية")]
    beginnings = {"initial-name": "Alice", "initial-language": ""}
    first = {"name": "Alice", "language": ""} | beginnings
    alice_client.post(ADDRESS, first | {"language": "ar"})
    alice_client.post(ADDRESS, first | {"name": "أليس"})
    alice.refresh_from_db()
    assert (alice.name, alice.language) == ("أليس", "ar")


def test_a_language_is_chosen_where_there_are_several(
    alice_client: Client, alice: User, settings: Settings
) -> None:
    assert "Language of the pages" not in check_page(alice_client.get(ADDRESS))
    settings.LANGUAGES = [("en-gb", "English"), ("ar", "العربية")]
    given = {"name": "أليس", "language": "ar"}
    page = check_page(alice_client.post(ADDRESS, given, follow=True))
    assert 'lang="ar"' in page
    assert 'dir="rtl"' in page
    assert "no pages in that language" in check_page(
        alice_client.post(ADDRESS, {**given, "language": "de"}), 422
    )
    back = alice_client.post(ADDRESS, {**given, "language": ""}, follow=True)
    assert 'dir="ltr"' in check_page(back)


def test_a_browser_is_answered_in_its_language(client: Client, alice: User, settings: Settings) -> None:
    settings.LANGUAGES = [("en-gb", "English"), ("ar", "العربية")]
    wanted = {"Accept-Language": "ar-EG, en;q=0.5"}
    answer = client.get("/accounts/sign-in/", headers=wanted)
    assert 'dir="rtl"' in check_page(answer)
    assert "Accept-Language" in answer.headers["Vary"]


def sessions_on(html: str) -> list[str]:
    actions = [e.attributes.get("action", "") for e in parse(html).elements if e.tag == "form"]
    return [action for action in actions if action.endswith("/end/")]


def test_expired_sessions_are_removed(signed_in: Client, alice: User) -> None:
    (expires,) = Session.objects.values_list("expire_date", flat=True)
    assert len(open_session_ids(alice.id, expires - timedelta(seconds=1))) == 1
    assert open_session_ids(alice.id, expires) == []
    remove_expired_sessions(expires - timedelta(seconds=1))
    assert signed_in.get(ADDRESS).status_code == 200
    remove_expired_sessions(expires)
    assert not Session.objects.exists()
    assert not UserSession.objects.exists()


@pytest.mark.parametrize(
    "address", ["look/", "sessions/", "sessions/1/end/", "tokens/", "apps/x/disconnect/", ""]
)
def test_every_change_needs_a_token_and_a_person(
    strict: Client, client: Client, alice: User, address: str
) -> None:
    assert client.post(ADDRESS + address).status_code == 302
    strict.force_login(alice)
    assert strict.post(ADDRESS + address).status_code == 403


@pytest.mark.parametrize("address", [ADDRESS, SESSIONS, "/accounts/welcome/"])
def test_pages_need_a_signed_in_user(client: Client, alice_client: Client, address: str) -> None:
    assert "/admin/" not in check_page(alice_client.get(address))
    assert client.get(address).headers["Location"] == f"/accounts/sign-in/?next={address}"


def test_only_staff_see_a_link_to_the_administration(carol_client: Client) -> None:
    assert "/admin/" in check_page(carol_client.get(ADDRESS))


def test_users_rename_themselves_but_cannot_become_staff(alice_client: Client, alice: User) -> None:
    given = {"name": "أليس", "is_staff": "on", "is_superuser": "on"}
    assert "Saved." in check_page(alice_client.post(ADDRESS, given, follow=True))
    alice.refresh_from_db()
    assert (alice.name, alice.is_staff, alice.is_superuser) == ("أليس", False, False)


@pytest.mark.parametrize(
    ("name", "chosen", "kept"),
    [("theme", "dark", "dark"), ("density", "comfortable", "comfortable"), ("theme", '"><script>', "")],
)
def test_the_look_is_kept_in_the_browser_and_taken_back(
    alice_client: Client, name: str, chosen: str, kept: str
) -> None:
    for value, shown in ((chosen, kept), ("", "")):
        alice_client.post("/accounts/look/", {name: value})
        assert f'data-{name}="{shown}"' in check_page(alice_client.get(ADDRESS))


def test_sessions_are_listed_without_their_keys_and_ended(
    signed_in: Client, second_alice_client: Client, bob_client: Client
) -> None:
    html = check_page(signed_in.get(SESSIONS))
    assert "Firefox on Linux" in html
    assert html.count("this browser</span>") == 1
    keys = list(UserSession.objects.values_list("session_key", flat=True))
    assert len(keys) == 2
    assert not [key for key in keys if key in html]
    (address,) = sessions_on(html)
    assert signed_in.get(address).status_code == 405
    assert "Page not found" in check_page(bob_client.post(address), 404)
    assert second_alice_client.get(ADDRESS).status_code == 200
    assert signed_in.post(address).status_code == 302
    assert second_alice_client.get(ADDRESS).status_code == 302
    assert signed_in.get(ADDRESS).status_code == 200
    assert signed_in.post(address).status_code == 404


def test_all_other_sessions_are_ended(
    signed_in: Client, second_alice_client: Client, bob_client: Client
) -> None:
    signed_in.post(SESSIONS)
    statuses = [each.get(ADDRESS).status_code for each in (signed_in, second_alice_client, bob_client)]
    assert statuses == [200, 302, 200]


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 15) Chrome/140.0 Safari/537.36", "Chrome on Android"),
        ("curl/8.0", ""),
    ],
)
def test_browsers_are_named(user_agent: str, name: str) -> None:
    assert browser_name(user_agent) == name
