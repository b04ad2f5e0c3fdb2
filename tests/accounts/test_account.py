import pytest
from django.test import Client
from pytest_django import Settings

from accounts.models import Session, User
from accounts.signing import open_sessions
from tests.html import check_page, parse

pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/"


@pytest.mark.parametrize("address", [ADDRESS, "/accounts/password/", "/accounts/welcome/"])
def test_pages(client: Client, alice_client: Client, address: str) -> None:
    check_page(alice_client.get(address))
    assert client.get(address).headers["Location"] == f"/accounts/sign-in/?next={address}"
    assert alice_client.delete(address).status_code == 405


def test_the_page_marks_where_it_is(alice_client: Client) -> None:
    page = parse(check_page(alice_client.get(ADDRESS)))
    current = [e for e in page.elements if e.attributes.get("aria-current") == "page"]
    assert [e.attributes["href"] for e in current] == [ADDRESS]


def test_only_staff_are_shown_the_way_to_the_administration(
    alice_client: Client, carol_client: Client
) -> None:
    assert "/admin/" not in check_page(alice_client.get(ADDRESS))
    assert "/admin/" in check_page(carol_client.get(ADDRESS))


def test_another_name(alice_client: Client, alice: User) -> None:
    response = alice_client.post(ADDRESS, {"name": "أليس", "email": alice.email}, follow=True)
    assert "Saved." in check_page(response)
    alice.refresh_from_db()
    assert alice.name == "أليس"


def test_another_address_needs_the_password(alice_client: Client, alice: User) -> None:
    given = {"name": "Alice", "email": "New@example.org"}
    html = check_page(alice_client.post(ADDRESS, given), 422)
    assert "needs your password" in html
    given["password"] = "wrong"
    check_page(alice_client.post(ADDRESS, given), 422)
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"
    given["password"] = "alice-password-1"
    assert alice_client.post(ADDRESS, given).status_code == 302
    alice.refresh_from_db()
    assert alice.email == "new@example.org"


def test_somebody_elses_address_is_refused(alice_client: Client, bob: User) -> None:
    given = {"email": "BOB@example.org", "password": "alice-password-1"}
    html = check_page(alice_client.post(ADDRESS, given), 422)
    assert "Somebody has an account with this address." in html
    assert "Constraint" not in html
    assert ">Alice<" in html


def test_two_windows_leave_alone_what_the_other_changed(
    alice_client: Client, alice: User, settings: Settings
) -> None:
    settings.LANGUAGES = [("en-gb", "English"), ("ar", "العربية")]
    beginnings = {"initial-name": "Alice", "initial-language": ""}
    first = {"name": "Alice", "email": alice.email, "language": ""} | beginnings
    alice_client.post(ADDRESS, first | {"language": "ar"})
    alice_client.post(ADDRESS, first | {"name": "أليس"})
    alice.refresh_from_db()
    assert (alice.name, alice.language) == ("أليس", "ar")


def test_no_page_says_that_an_address_was_there_before(alice_client: Client, alice: User) -> None:
    page = check_page(alice_client.get(ADDRESS))
    assert 'name="initial-name"' in page
    assert 'name="initial-email"' not in page
    given = {"name": "Alice", "email": "new@example.org", "initial-email": "new@example.org"}
    assert "needs your password" in check_page(alice_client.post(ADDRESS, given), 422)
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"


def test_nobody_makes_themselves_staff(alice_client: Client, alice: User) -> None:
    given = {"name": "A", "email": alice.email, "is_staff": "on", "is_superuser": "on"}
    alice_client.post(ADDRESS, given)
    alice.refresh_from_db()
    assert not alice.is_staff


def test_a_language_is_chosen_where_there_are_several(
    alice_client: Client, alice: User, settings: Settings
) -> None:
    assert "Language of the pages" not in check_page(alice_client.get(ADDRESS))
    settings.LANGUAGES = [("en-gb", "English"), ("ar", "العربية")]
    given = {"name": "أليس", "email": alice.email, "language": "ar"}
    page = check_page(alice_client.post(ADDRESS, given, follow=True))
    assert 'lang="ar"' in page
    assert 'dir="rtl"' in page
    assert "does not speak" in check_page(
        alice_client.post(ADDRESS, {**given, "language": "de"}), 422
    )
    back = alice_client.post(ADDRESS, {**given, "language": ""}, follow=True)
    assert 'dir="ltr"' in check_page(back)


def test_a_browser_is_answered_in_its_language(
    client: Client, alice: User, settings: Settings
) -> None:
    settings.LANGUAGES = [("en-gb", "English"), ("ar", "العربية")]
    wanted = {"Accept-Language": "ar-EG, en;q=0.5"}
    answer = client.get("/accounts/sign-in/", headers=wanted)
    assert 'dir="rtl"' in check_page(answer)
    assert "Accept-Language" in answer.headers["Vary"]


@pytest.mark.parametrize(("chosen", "kept"), [("dark", "dark"), ("light", "light")])
def test_the_look_is_kept_in_this_browser(alice_client: Client, chosen: str, kept: str) -> None:
    alice_client.post("/accounts/theme/", {"theme": chosen})
    assert f'data-theme="{kept}"' in check_page(alice_client.get(ADDRESS))
    alice_client.post("/accounts/theme/", {"theme": ""})
    assert 'data-theme=""' in check_page(alice_client.get(ADDRESS))


def test_a_look_that_is_none_is_not_kept(alice_client: Client) -> None:
    alice_client.post("/accounts/theme/", {"theme": '"><script>'})
    assert not alice_client.cookies["theme"].value


def sessions_on(html: str) -> list[str]:
    actions = [e.attributes.get("action", "") for e in parse(html).elements if e.tag == "form"]
    return [action for action in actions if action.endswith("/end/")]


def test_sessions_are_listed(alice_client: Client, second_alice_client: Client) -> None:
    html = check_page(alice_client.get(ADDRESS))
    assert "Firefox on Linux" in html
    assert html.count("this browser</span>") == 1
    assert len(sessions_on(html)) == 1


def test_session_keys_are_never_shown(alice_client: Client, second_alice_client: Client) -> None:
    html = alice_client.get(ADDRESS).content.decode()
    keys = list(Session.objects.values_list("session_key", flat=True))
    assert len(keys) == 2
    assert not [key for key in keys if key in html]


def test_ending_a_session(alice_client: Client, second_alice_client: Client) -> None:
    (address,) = sessions_on(alice_client.get(ADDRESS).content.decode())
    assert alice_client.get(address).status_code == 405
    assert alice_client.post(address).status_code == 302
    assert second_alice_client.get(ADDRESS).status_code == 302
    assert alice_client.get(ADDRESS).status_code == 200
    assert alice_client.post(address).status_code == 404


def test_somebody_elses_session_is_not_there(
    alice_client: Client, second_alice_client: Client, bob_client: Client
) -> None:
    (address,) = sessions_on(alice_client.get(ADDRESS).content.decode())
    response = bob_client.post(address)
    assert "There is nothing here" in check_page(response, 404)
    unknown = bob_client.post("/accounts/sessions/none/end/")
    assert response.content == unknown.content
    assert second_alice_client.get(ADDRESS).status_code == 200


def test_ending_all_others(
    alice_client: Client, second_alice_client: Client, bob_client: Client
) -> None:
    assert alice_client.get("/accounts/sessions/end-others/").status_code == 405
    alice_client.post("/accounts/sessions/end-others/")
    assert alice_client.get(ADDRESS).status_code == 200
    assert second_alice_client.get(ADDRESS).status_code == 302
    assert bob_client.get(ADDRESS).status_code == 200


@pytest.mark.parametrize(
    "address", ["theme/", "sessions/end-others/", "sessions/x/end/", "password/", ""]
)
def test_every_change_needs_a_token_and_a_person(
    strict: Client, client: Client, alice: User, address: str
) -> None:
    assert client.post(ADDRESS + address).status_code == 302
    strict.force_login(alice)
    assert strict.post(ADDRESS + address).status_code == 403


def test_expired_sessions_are_not_listed(alice_client: Client, alice: User) -> None:
    now = Session.objects.get().expire_date
    assert open_sessions(alice.id, None, now) == []


def test_the_welcome_offers_three_ways(alice_client: Client) -> None:
    html = check_page(alice_client.get("/accounts/welcome/"))
    for address in ("/chat/import/", "/chat/demo/", "/chat/"):
        assert address in html
