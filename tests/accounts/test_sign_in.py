from typing import Any

import pytest
from django.test import Client

from accounts.models import Session, User
from accounts.signing import browser_name
from tests.html import check_page

pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/sign-in/"
GIVEN = {"username": "alice@example.org", "password": "alice-password-1"}
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def test_it_works_in_any_case(client: Client, alice: User) -> None:
    assert "Sign in" in check_page(client.get(ADDRESS))
    response = client.post(ADDRESS, GIVEN | {"username": " Alice@EXAMPLE.org "})
    assert response.headers["Location"] == "/"
    assert client.get("/accounts/").status_code == 200


def test_the_session_knows_its_owner_and_browser(client: Client, alice: User) -> None:
    client.post(ADDRESS, GIVEN, headers={"User-Agent": FIREFOX + "\x07" + "x" * 400})
    session = Session.objects.get()
    assert session.user == alice
    assert session.user_agent.startswith(FIREFOX + "x")
    assert len(session.user_agent) == 200


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 15) Chrome/140.0 Safari/537.36", "Chrome on Android"),
        ("curl/8.0", ""),
        ("", ""),
    ],
)
def test_browser_name(user_agent: str, name: str) -> None:
    assert browser_name(user_agent) == name


@pytest.mark.parametrize(
    "wrong", [{"password": "wrong"}, {"username": "nobody@example.org"}, {"username": "bad"}]
)
def test_wrong_words_are_refused(client: Client, alice: User, wrong: dict[str, str]) -> None:
    check_page(client.post(ADDRESS, GIVEN | wrong), 422)
    assert client.get("/accounts/").status_code == 302


def test_the_answer_does_not_tell_who_has_an_account(client: Client, alice: User) -> None:
    known = client.post(ADDRESS, GIVEN | {"password": "wrong"}).content
    unknown = client.post(ADDRESS, {"username": "zed@example.org", "password": "wrong"}).content
    sentence = b"No account has this e-mail and password."
    assert sentence in known
    assert sentence in unknown


def test_an_account_switched_off(client: Client, alice: User) -> None:
    alice.is_active = False
    alice.save()
    check_page(client.post(ADDRESS, GIVEN), 422)
    assert client.get("/accounts/").status_code == 302


def test_it_goes_on_where_the_person_wanted_to_go(client: Client, alice: User) -> None:
    response = client.get("/memory/facts/?q=%C2%A7")
    html = check_page(client.get(response.headers["Location"]))
    assert 'value="/memory/facts/?q=%C2%A7"' in html
    response = client.post(ADDRESS, GIVEN | {"next": "/memory/facts/?q=1"})
    assert response.headers["Location"] == "/memory/facts/?q=1"


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/",
        "//evil.example/",
        "///evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "http:evil.example",
        "\x00//evil.example",
    ],
)
def test_it_leads_nowhere_else(client: Client, alice: User, elsewhere: str) -> None:
    response = client.post(ADDRESS, GIVEN | {"next": elsewhere})
    assert response.headers["Location"] == "/"
    response = client.get(ADDRESS, {"next": elsewhere})
    assert response.headers["Location"] == "/"


def test_repeated_failures_lock_every_spelling_of_the_address(
    client: Client, alice: User, settings: Any
) -> None:
    settings.AXES_ENABLED = True
    spellings = ["alice", "Alice", "ALICE", " alice", "aLice"]
    for spelling in spellings:
        given = {"username": f"{spelling}@example.org", "password": "wrong"}
        last = client.post(ADDRESS, given)
    assert "paused" in check_page(last, 429)
    assert "paused" in check_page(client.post(ADDRESS, GIVEN), 429)
    assert client.get("/accounts/").status_code == 302


def test_failures_of_one_lock_nobody_else(
    client: Client, alice: User, bob: User, settings: Any
) -> None:
    settings.AXES_ENABLED = True
    for _ in range(6):
        client.post(ADDRESS, GIVEN | {"password": "wrong"})
    response = client.post(ADDRESS, {"username": bob.email, "password": "bob-password-1"})
    assert response.status_code == 302


def test_the_administration_throttles_too(client: Client, carol: User, settings: Any) -> None:
    settings.AXES_ENABLED = True
    for spelling in ("carol", "Carol", "CAROL", "cAROL", "CARol"):
        given = {"username": f"{spelling}@example.org", "password": "wrong"}
        last = client.post("/admin/login/", given)
    assert last.status_code == 429


def test_a_post_needs_its_token(strict: Client, alice: User) -> None:
    response = strict.post(ADDRESS, GIVEN)
    assert "Nothing was changed" in check_page(response, 403)
    token = strict.get(ADDRESS).context["csrf_token"]
    assert strict.post(ADDRESS, GIVEN | {"csrfmiddlewaretoken": str(token)}).status_code == 302


def test_the_session_key_changes_at_the_door(client: Client, alice: User) -> None:
    client.session["planted"] = True
    client.session.save()
    before = client.session.session_key
    client.post(ADDRESS, GIVEN)
    assert client.session.session_key != before


def test_signing_out(alice_client: Client) -> None:
    assert alice_client.get("/accounts/sign-out/").status_code == 405
    response = alice_client.post("/accounts/sign-out/")
    assert response.headers["Location"] == ADDRESS
    assert alice_client.get("/accounts/").status_code == 302
    assert not Session.objects.filter(user__isnull=False).exists()


def test_signing_out_needs_a_token(strict: Client, alice: User) -> None:
    strict.force_login(alice)
    assert strict.post("/accounts/sign-out/").status_code == 403
    assert strict.get("/accounts/").status_code == 200


def test_wrong_method(client: Client) -> None:
    assert client.delete(ADDRESS).status_code == 405
