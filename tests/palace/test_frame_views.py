import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.tenancy import tenant
from tests.html import check_page
from tests.memory.palaces import Spot, file

pytestmark = pytest.mark.django_db


def test_the_page_lists_where_one_can_go(alice_client: Client):
    response = alice_client.get("/go/")
    check_page(response)
    assert reverse("memory:timeline") in response.content.decode()


def test_the_palette_gets_options_alone(alice_client: Client):
    text = alice_client.get("/go/?q=time", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in text
    assert 'role="option"' in text
    assert reverse("memory:timeline") in text
    assert reverse("memory:facts") not in text


def test_subjects_of_the_person_are_offered_and_nobody_elses(
    alice: User, alice_client: Client, bob_client: Client
):
    with tenant(alice.id):
        file(alice.id, ["Bread rises."], Spot(wing="Sour <b>Dough</b>"))
    assert "Sour &lt;b&gt;Dough&lt;/b&gt;" in alice_client.get("/go/?q=dough").content.decode()
    assert "Sour" not in bob_client.get("/go/?q=dough").content.decode()


def test_a_pointer_is_offered_as_a_drawer(alice_client: Client):
    text = alice_client.get("/go/?q=§ w-3/r-2/d-1").content.decode()
    assert reverse("memory:pointer", args=[3, 2, 1]) in text


def test_keys_are_switched_off_and_on_in_this_browser(alice_client: Client):
    check_page(alice_client.get("/keys/"))
    assert 'data-keys="off"' not in alice_client.get("/keys/").content.decode()
    assert alice_client.post("/keys/", {"keys": "off"}).status_code == 303
    assert 'data-keys="off"' in alice_client.get("/keys/").content.decode()
    alice_client.post("/keys/", {"keys": "on"})
    assert 'data-keys="off"' not in alice_client.get("/keys/").content.decode()


@pytest.mark.parametrize("path", ["/go/", "/keys/"])
def test_both_need_a_login(client: Client, path: str):
    assert client.get(path).status_code == 302


def test_going_somewhere_is_not_posted(alice_client: Client):
    assert alice_client.post("/go/").status_code == 405
